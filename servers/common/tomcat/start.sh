# Runs Tomcat, or a product made of it, in the foreground: start.sh PORT SCRATCH CACHE OPTION...
# (OPTION: further options of the JVM).
# The options are those of the product's own catalina.sh, which would have the shell evaluate them.
set -eu
port=$1 scratch=$2 cache=$3 home=$3/tomcat
shift 3
. "$(dirname "$0")/../jvm.sh"
umask 0027
if [ "${STEELYARD_ACCESS_LOG:-off}" = on ]; then access_log=true; else access_log=false; fi
if [ "${STEELYARD_TLS:-off}" = on ]; then secure=true scheme=https; else secure=false scheme=http; fi
set -- "$@" -Djava.util.logging.manager=org.apache.juli.ClassLoaderLogManager -Djdk.tls.ephemeralDHKeySize=2048 \
  -Dorg.apache.catalina.security.SecurityListener.UMASK=0027
for package in java.base/java.lang java.base/java.lang.reflect java.base/java.io java.base/java.util java.base/java.util.concurrent \
  java.rmi/sun.rmi.transport; do
  set -- "$@" "--add-opens=$package=ALL-UNNAMED"
done
agent=$home/lib/openejb-javaagent.jar # TomEE's
if [ -r "$agent" ]; then set -- "$@" "-javaagent:$agent" -Djava.protocol.handler.pkgs=org.apache.catalina.webresources; fi
run_java "$@" --enable-native-access=ALL-UNNAMED "-Dsteelyard.host=${STEELYARD_HOST:-127.0.0.1}" "-Dsteelyard.port=$port" \
  "-Dsteelyard.threads=${STEELYARD_THREADS:-200}" "-Dsteelyard.accept_queue=${STEELYARD_ACCEPT_QUEUE:-100}" "-Dsteelyard.max_connections=${STEELYARD_MAX_CONNECTIONS:-8192}" \
  "-Dsteelyard.secure=$secure" "-Dsteelyard.scheme=$scheme" "-Dsteelyard.certificate=${STEELYARD_CERTIFICATE:-}" \
  "-Dsteelyard.access_log=$access_log" "-Dsteelyard.compression=${STEELYARD_COMPRESSION:-off}" \
  -classpath "$home/bin/bootstrap.jar:$home/bin/tomcat-juli.jar" "-Dcatalina.base=$scratch" "-Dcatalina.home=$home" \
  org.apache.catalina.startup.Bootstrap start

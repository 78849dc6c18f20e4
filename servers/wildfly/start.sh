# Runs WildFly in the foreground: start.sh PORT SCRATCH CACHE. Its management takes any free port of the same address.
# The options are those of the product's own standalone.sh, which would have the shell evaluate them.
set -eu
port=$1 scratch=$2 cache=$3 home=$3/wildfly host=${STEELYARD_HOST:-127.0.0.1}
modules=$home/modules
if [ -d "$scratch/modules" ]; then modules=$scratch/modules:$modules; fi # those that a service puts in the place of the product's own
. ../common/jvm.sh
set -- -D"[Standalone]" "-Djdk.serialFilter=maxbytes=10485760;maxdepth=128;maxarray=100000;maxrefs=300000"
for package in java.desktop/sun.awt java.naming/com.sun.jndi.ldap java.naming/com.sun.jndi.url.ldap java.naming/com.sun.jndi.url.ldaps \
  jdk.naming.dns/com.sun.jndi.dns; do
  set -- "$@" "--add-exports=$package=ALL-UNNAMED"
done
for package in java.base/java.lang java.base/java.lang.invoke java.base/java.lang.reflect java.base/java.io java.base/java.net \
  java.base/java.security java.base/java.util java.base/java.util.concurrent java.management/javax.management java.naming/javax.naming; do
  set -- "$@" "--add-opens=$package=ALL-UNNAMED"
done
run_java "$@" -Djava.net.preferIPv4Stack=true "-Dorg.jboss.boot.log.file=$scratch/log/server.log" \
  "-Dlogging.configuration=file:$scratch/configuration/logging.properties" \
  -jar "$home/jboss-modules.jar" -mp "$modules" org.jboss.as.standalone "-Djboss.home.dir=$home" \
  "-Djboss.server.base.dir=$scratch" "-Djboss.http.port=$port" \
  "-Dsteelyard.threads=${STEELYARD_THREADS:-200}" "-Dsteelyard.accept_queue=${STEELYARD_ACCEPT_QUEUE:-10000}" \
  "-Dsteelyard.max_connections=${STEELYARD_MAX_CONNECTIONS:-2147483647}" -b "$host" -bmanagement "$host" -Djboss.management.http.port=0

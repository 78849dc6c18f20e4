# Runs WildFly in the foreground: start.sh PORT SCRATCH CACHE. Its management takes any free port of 127.0.0.1.
set -eu
port=$1 scratch=$2 cache=$3
. ../common/jvm.sh
export JAVA_OPTS="$JVM_OPTIONS -Djava.net.preferIPv4Stack=true"
export LAUNCH_JBOSS_IN_BACKGROUND=true # so that the script passes signals on
exec sh "$cache/wildfly/bin/standalone.sh" "-Djboss.server.base.dir=$scratch" "-Djboss.http.port=$port" \
  "-Dsteelyard.threads=${STEELYARD_THREADS:-200}" "-Dsteelyard.accept_queue=${STEELYARD_ACCEPT_QUEUE:-10000}" \
  "-Dsteelyard.max_connections=${STEELYARD_MAX_CONNECTIONS:-2147483647}" -b 127.0.0.1 -bmanagement 127.0.0.1 -Djboss.management.http.port=0

# Runs WildFly in the foreground: start.sh PORT SCRATCH CACHE. Its management takes any free port of 127.0.0.1.
set -eu
. ../common/jvm.sh
export JAVA_OPTS="$JVM_OPTIONS -Djava.net.preferIPv4Stack=true"
export LAUNCH_JBOSS_IN_BACKGROUND=true # so that the script passes signals on
exec sh "$3/wildfly/bin/standalone.sh" "-Djboss.server.base.dir=$2" "-Djboss.http.port=$1" \
  "-Dsteelyard.threads=${STEELYARD_THREADS:-200}" -b 127.0.0.1 \
  -bmanagement 127.0.0.1 -Djboss.management.http.port=0

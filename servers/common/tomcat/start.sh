# Runs Tomcat in the foreground: start.sh PORT SCRATCH CACHE.
set -eu
. "$(dirname "$0")/../jvm.sh"
export CATALINA_HOME="$3/tomcat" CATALINA_BASE="$2" CATALINA_TMPDIR="$2/temp"
export CATALINA_OPTS="$JVM_OPTIONS -Dsteelyard.port=$1 -Dsteelyard.threads=${STEELYARD_THREADS:-200}"
exec sh "$CATALINA_HOME/bin/catalina.sh" run

# Runs Tomcat in the foreground: start.sh PORT SCRATCH CACHE.
set -eu
port=$1 scratch=$2 cache=$3
. "$(dirname "$0")/../jvm.sh"
export CATALINA_HOME="$cache/tomcat" CATALINA_BASE="$scratch" CATALINA_TMPDIR="$scratch/tmp"
export CATALINA_OPTS="$JVM_OPTIONS -Dsteelyard.port=$port -Dsteelyard.threads=${STEELYARD_THREADS:-200} \
-Dsteelyard.accept_queue=${STEELYARD_ACCEPT_QUEUE:-100} -Dsteelyard.max_connections=${STEELYARD_MAX_CONNECTIONS:-8192}"
exec sh "$CATALINA_HOME/bin/catalina.sh" run

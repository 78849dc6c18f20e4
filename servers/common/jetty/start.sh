# Runs Jetty in the foreground: start.sh PORT SCRATCH CACHE.
set -eu
. "$(dirname "$0")/../jvm.sh"
cd "$2"
# shellcheck disable=SC2086 # JVM_OPTIONS are words
exec "$JAVA_HOME/bin/java" $JVM_OPTIONS -jar "$3/jetty/start.jar" "jetty.home=$3/jetty" "jetty.base=$2" \
  "jetty.http.port=$1" "jetty.threadPool.maxThreads=${STEELYARD_THREADS:-200}"

# Runs Jetty in the foreground: start.sh PORT SCRATCH CACHE.
set -eu
port=$1 scratch=$2 cache=$3
. "$(dirname "$0")/../jvm.sh"
cd "$scratch"
# shellcheck disable=SC2086 # JVM_OPTIONS are words
exec "$JAVA_HOME/bin/java" $JVM_OPTIONS -jar "$cache/jetty/start.jar" "jetty.home=$cache/jetty" "jetty.base=$scratch" \
  "jetty.http.port=$port" "jetty.threadPool.maxThreads=${STEELYARD_THREADS:-200}" \
  "jetty.http.acceptQueueSize=${STEELYARD_ACCEPT_QUEUE:-0}"

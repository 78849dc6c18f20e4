# Runs Jetty in the foreground: start.sh PORT SCRATCH CACHE.
set -eu
port=$1 scratch=$2 cache=$3
. "$(dirname "$0")/../jvm.sh"
cd "$scratch"
run_java -jar "$cache/jetty/start.jar" "jetty.home=$cache/jetty" "jetty.base=$scratch" \
  "jetty.http.host=${STEELYARD_HOST:-127.0.0.1}" "jetty.http.port=$port" "jetty.threadPool.maxThreads=${STEELYARD_THREADS:-200}" \
  "jetty.http.acceptQueueSize=${STEELYARD_ACCEPT_QUEUE:-0}"

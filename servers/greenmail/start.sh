# Runs the mail server in the foreground: start.sh PORT API_PORT SCRATCH CACHE.
set -eu
port=$1 api=$2 scratch=$3 cache=$4
. ../common/jvm.sh
run_java -XX:TieredStopAtLevel=1 -cp "$(echo "$cache"/greenmail-standalone-*.jar)" Sink.java "${STEELYARD_HOST:-127.0.0.1}" "$port" "$api"

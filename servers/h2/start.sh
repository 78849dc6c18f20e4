# Runs H2's TCP server over the databases that are in SCRATCH, and makes no others: start.sh PORT SCRATCH CACHE.
set -eu
port=$1 scratch=$2 cache=$3
. ../common/jvm.sh
run_java "-Dh2.bindAddress=${STEELYARD_HOST:-127.0.0.1}" -cp "$cache/h2-2.5.252.jar" org.h2.tools.Server -tcp -tcpPort "$port" -baseDir "$scratch"

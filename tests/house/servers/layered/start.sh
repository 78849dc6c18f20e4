# Runs it in the foreground: start.sh PORT SCRATCH.
set -eu
port=$1 scratch=$2
. ../../../../servers/common/jvm.sh
run_java -cp "$scratch/classes" Layered "$port" "${STEELYARD_MODE:-right}"

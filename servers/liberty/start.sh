# Runs Open Liberty in the foreground: start.sh PORT SCRATCH CACHE.
set -eu
. ../common/jvm.sh
export STEELYARD_PORT="$1" STEELYARD_THREADS="${STEELYARD_THREADS:-200}"
export WLP_USER_DIR="$2" JVM_ARGS="$JVM_OPTIONS"
exec sh "$3/liberty/bin/server" run steelyard

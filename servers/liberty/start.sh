# Runs Open Liberty in the foreground: start.sh PORT SCRATCH CACHE.
set -eu
scratch=$2 cache=$3
. ../common/jvm.sh
export STEELYARD_PORT="$1" STEELYARD_THREADS="${STEELYARD_THREADS:-200}"
export STEELYARD_ACCEPT_QUEUE="${STEELYARD_ACCEPT_QUEUE:-511}" STEELYARD_MAX_CONNECTIONS="${STEELYARD_MAX_CONNECTIONS:-128000}"
export STEELYARD_CORE_THREADS="${STEELYARD_CORE_THREADS:--1}"
export WLP_USER_DIR="$scratch" JVM_ARGS="$JVM_OPTIONS"
exec sh "$cache/liberty/bin/server" run steelyard

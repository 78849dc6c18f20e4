# Runs a service's Go program in the foreground: start.sh PORT SERVICE CACHE.
set -eu
export GOMAXPROCS="${STEELYARD_CPUS:-$(getconf _NPROCESSORS_ONLN)}" GOGC="${STEELYARD_GOGC:-100}"
port=$1 program=$3/$(basename "$2")
if [ "${STEELYARD_TLS:-off}" = on ]; then exec "$program" -port "$port" -certificate "$STEELYARD_CERTIFICATE"; fi
exec "$program" -port "$port"

# Runs a service's Go program in the foreground: start.sh PORT SERVICE CACHE.
set -eu
export GOMAXPROCS="${STEELYARD_CPUS:-$(getconf _NPROCESSORS_ONLN)}" GOGC="${STEELYARD_GOGC:-100}"
exec "$3/$(basename "$2")" -port "$1"

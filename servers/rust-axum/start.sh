# Runs a service's program in the foreground: start.sh PORT SERVICE CACHE.
set -eu
export TOKIO_WORKER_THREADS="${STEELYARD_WORKERS:-${STEELYARD_CPUS:-$(getconf _NPROCESSORS_ONLN)}}"
exec "$3/$(basename "$2")" "$1"

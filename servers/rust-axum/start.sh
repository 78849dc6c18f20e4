# Runs the service in the foreground: start.sh PORT CACHE.
set -eu
export TOKIO_WORKER_THREADS="${STEELYARD_WORKERS:-${STEELYARD_CPUS:-$(getconf _NPROCESSORS_ONLN)}}"
exec "$2/wstest" "$1"

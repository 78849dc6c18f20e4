# Runs a service in the foreground: start.sh PORT SERVICE CACHE.
set -eu
exec "$3/$(basename "$2")" "$1" "${STEELYARD_THREADS:-200}"

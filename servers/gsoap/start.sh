# Runs the service in the foreground: start.sh PORT CACHE.
set -eu
exec "$2/wstest" "$1" "${STEELYARD_THREADS:-200}"

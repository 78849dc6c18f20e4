# Runs the link in the foreground: start.sh PORT DATABASE_PORT CACHE.
set -eu
host=${STEELYARD_HOST:-127.0.0.1}
exec "$3/link" -listen "$host:$1" -to "$host:$2" -mbit "${STEELYARD_MBIT:-100}"

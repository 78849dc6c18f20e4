# Runs the link in the foreground: start.sh PORT DATABASE_PORT CACHE.
set -eu
host=${STEELYARD_HOST:-127.0.0.1}
export LOG_LEVEL=warn # or it says of each connection that there is one
exec "$3/link" -listen "$host:$1" -to "$host:$2" -mbit "${STEELYARD_MBIT:-100}"

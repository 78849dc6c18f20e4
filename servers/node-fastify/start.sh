# Runs a service in the foreground: start.sh PORT SERVICE CACHE.
set -eu
name=$(basename "$2")
export NODE_ENV=production
exec node "--max-old-space-size=${STEELYARD_HEAP_MB:-256}" "$3/npm/$name/$name/node-fastify/main.js" \
    --port "$1" --workers "${STEELYARD_WORKERS:-${STEELYARD_CPUS:-1}}"

# Runs the service in the foreground: start.sh PORT SERVICE CACHE.
set -eu
export NODE_ENV=production
exec node "--max-old-space-size=${STEELYARD_HEAP_MB:-256}" "$3/npm/service/main.js" \
    --library strong-soap --port "$1" --wsdl "$2/contract/wstest.wsdl" \
    --workers "${STEELYARD_WORKERS:-${STEELYARD_CPUS:-1}}"

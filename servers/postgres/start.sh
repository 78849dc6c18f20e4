# Runs the cluster that is in SCRATCH/data on STEELYARD_HOST, without a socket file: start.sh PORT SCRATCH CACHE.
set -eu
port=$1 scratch=$2 cache=$3
. ../common/as-user.sh
as_user "$cache/product/bin/postgres" -D "$scratch/data" -p "$port" -c "listen_addresses=${STEELYARD_HOST:-127.0.0.1}" -c unix_socket_directories= \
  -c "shared_buffers=${STEELYARD_SHARED_BUFFERS:-128MB}" -c "synchronous_commit=${STEELYARD_SYNCHRONOUS_COMMIT:-on}" \
  -c "max_connections=${STEELYARD_CONNECTIONS:-100}" -c "max_prepared_transactions=${STEELYARD_PREPARED_TRANSACTIONS:-0}"

# Runs the server on the data in SCRATCH/data on STEELYARD_HOST, without a socket file: start.sh PORT SCRATCH.
set -eu
port=$1 scratch=$2
. ../common/as-user.sh
as_user mariadbd --no-defaults --datadir="$scratch/data" --tmpdir="$scratch/data" --pid-file="$scratch/data/mariadbd.pid" --socket= \
  --bind-address="${STEELYARD_HOST:-127.0.0.1}" --port="$port" --skip-name-resolve \
  --character-set-server=utf8mb4 --collation-server=utf8mb4_nopad_bin \
  --innodb-buffer-pool-size="${STEELYARD_BUFFER_POOL:-128M}" \
  --innodb-flush-log-at-trx-commit="${STEELYARD_FLUSH_AT_COMMIT:-1}" --max-connections="${STEELYARD_CONNECTIONS:-151}"

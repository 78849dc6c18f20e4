# Runs the mail server in the foreground, as an ordinary user, since Exim delivers nothing for root: start.sh PORT API_PORT SCRATCH.
set -eu
port=$1 api=$2 scratch=$3
. ../common/as-user.sh
as_user python3 sink.py "${STEELYARD_HOST:-127.0.0.1}" "$port" "$api" "$scratch"

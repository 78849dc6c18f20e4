# Exits with 0 when something listens on a port of STEELYARD_HOST: ready.sh PORT. Reads the kernel's tables, sends nothing.
set -eu
port=$(printf '%04X' "$1")
IFS=.
set -- ${STEELYARD_HOST:-127.0.0.1}
host=$(printf '%02X%02X%02X%02X' "$4" "$3" "$2" "$1") # as the kernel writes it on a little-endian machine
grep -Eqs "^ *[0-9]+: ($host|0000000000000000FFFF0000$host):$port 0+:0000 0A" /proc/net/tcp /proc/net/tcp6

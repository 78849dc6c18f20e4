# Prints what the database holds, a line a table: verify.sh HOST PORT CACHE.
set -eu
sh query.sh "$1" "$2" "$3" "$(cat state.sql)"

# Prints what the database holds, a line a table: verify.sh HOST PORT.
set -eu
tables=$(sh query.sh "$1" "$2" <state.sql)
sh query.sh "$1" "$2" "$tables"

# Brings the database to the state that a service wants at the beginning, contract/database.sql of its folder, or to an empty one:
# restore.sh HOST PORT CACHE SERVICE.
set -eu
wanted=$4/contract/database.sql
state=
if [ -f "$wanted" ]; then state=$(cat "$wanted"); fi
sh query.sh "$1" "$2" "$3" "DROP SCHEMA public CASCADE; CREATE SCHEMA public; $state"

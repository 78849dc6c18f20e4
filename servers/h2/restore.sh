# Brings the database to the state that a service wants at the beginning (../common/database-state.sh), or to an empty one:
# restore.sh HOST PORT CACHE SERVICE.
set -eu
wanted=$(mktemp)
trap 'rm -f "$wanted"' EXIT
echo "DROP ALL OBJECTS;" >"$wanted"
sh ../common/database-state.sh "$4" >>"$wanted"
sh query.sh "$1" "$2" "$3" <"$wanted"

# Brings the database to the state that a service wants at the beginning (../common/database-state.sh), or to an empty one:
# restore.sh HOST PORT SERVICE.
set -eu
wanted=$(mktemp)
trap 'rm -f "$wanted"' EXIT
echo "DROP DATABASE steelyard; CREATE DATABASE steelyard; USE steelyard;" >"$wanted"
sh ../common/database-state.sh "$3" >>"$wanted"
sh query.sh "$1" "$2" <"$wanted"

# Prints the SQL of the state that a service wants a database to begin with: database-state.sh SERVICE. It is what
# contract/domain_data.py of the service prints, or what contract/database.sql holds, or nothing.
set -eu
if [ -f "$1/contract/domain_data.py" ]; then
  exec python3 "$1/contract/domain_data.py"
elif [ -f "$1/contract/database.sql" ]; then
  exec cat "$1/contract/database.sql"
fi

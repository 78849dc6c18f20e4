# Runs SQL on the database and prints the rows that come of it: query.sh HOST PORT CACHE STATEMENTS.
set -eu
exec "$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -cp "$(echo "$3"/postgresql-*.jar)" "$(dirname "$0")/Query.java" "$1" "$2" "$4"

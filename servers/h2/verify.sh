# Prints what the database holds, a line a table: verify.sh HOST PORT CACHE.
set -eu
exec "$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -cp "$(echo "$3"/h2-*.jar)" State.java "jdbc:h2:tcp://$1:$2/./steelyard"

# Runs SQL, or what standard input holds of it, on the database and prints the rows that come of it: query.sh HOST PORT CACHE [STATEMENTS].
set -eu
driver=$(echo "$3"/h2-*.jar) url=jdbc:h2:tcp://$1:$2/./steelyard
shift 3
exec "$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -cp "$driver" "$(dirname "$0")/../common/Query.java" "$url" "$@"

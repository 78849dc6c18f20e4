# Runs SQL, or what standard input holds of it, on the database and prints the rows that come of it: query.sh HOST PORT CACHE [STATEMENTS].
set -eu
common=$(dirname "$0")/../common driver=$(echo "$3"/h2-*.jar) cache=$3 url=jdbc:h2:tcp://$1:$2/./steelyard
shift 3
exec sh "$common/run-java.sh" "$common/Query.java" "$cache" "$driver" "$url" "$@"

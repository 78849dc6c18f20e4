# Prints what the database holds, a line a table: verify.sh HOST PORT CACHE.
set -eu
exec sh ../common/run-java.sh State.java "$3" "$(echo "$3"/h2-*.jar)" "jdbc:h2:tcp://$1:$2/./steelyard"

# Runs SQL, or what standard input holds of it, on the database and prints the rows that come of it, columns parted by a tab:
# query.sh HOST PORT [STATEMENTS].
set -eu
export MYSQL_PWD="$STEELYARD_PASSWORD" # not on a command line, which all may see
host=$1 port=$2
shift 2
exec mariadb --no-defaults --protocol=tcp --host="$host" --port="$port" --user=steelyard --default-character-set=utf8mb4 --batch --raw \
  --skip-column-names ${1+--execute="$1"} steelyard

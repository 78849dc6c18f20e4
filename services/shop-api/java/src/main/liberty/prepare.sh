# Lays the database's driver and what the shop needs of the server beside the WAR: prepare.sh SCRATCH TARGET.
set -eu
server=$1/servers/steelyard
here=$(dirname "$0")
. "$here/../data-source.sh"
printf 'shop.url=%s\nshop.pool=%s\nshop.isolation=%s\n' "$url" "$pool" "$jdbc_isolation" >>"$server/bootstrap.properties"
cp "$2"/shop-api/WEB-INF/lib/postgresql-*.jar "$server/driver.jar"
mkdir -p "$server/configDropins/defaults"
cp "$here/server.xml" "$server/configDropins/defaults/shop.xml"

# Lays the database's driver, Artemis's resource adapter and what the store needs of the server beside the WAR: prepare.sh SCRATCH TARGET ADAPTER.
set -eu
server=$1/servers/steelyard application=$2/petstore/WEB-INF adapter=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../data-source.sh"
if [ -z "$adapter" ]; then
  echo "the pet store needs messaging, which messaging=artemis has and messaging=none has not" >&2
  exit 1
fi
printf 'petstore.source=%s\npetstore.url=%s\n' "$class" "$url" >>"$server/bootstrap.properties"
cp "$application/lib/${STEELYARD_DATABASE:-h2}"-*.jar "$server/driver.jar"
mkdir -p "$server/configDropins/defaults"
cp "$here/server.xml" "$server/configDropins/defaults/petstore.xml"

# Artemis and its adapter, and what of the store's own classes starts the broker; the driver, where messages are kept in the database.
server=$(cd "$server" && pwd)
open=$(mktemp -d)
trap 'rm -rf "$open"' EXIT
mkdir "$open/META-INF"
cp "$here/ra.xml" "$open/META-INF/ra.xml"
cp "$adapter"/*.jar "$server/driver.jar" "$open"
(cd "$application/classes" && "$JAVA_HOME/bin/jar" --create --no-manifest --file "$open/broker.jar" steelyard/petstore/broker steelyard/petstore/Settings*.class steelyard/petstore/Part.class)
"$JAVA_HOME/bin/jar" --create --no-manifest --file "$server/artemis.rar" -C "$open" .

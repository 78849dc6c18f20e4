# Lays out a WLP_USER_DIR with one server and a service's WAR: prepare.sh SCRATCH SERVICE IMPLEMENTATION.
set -eu
server=$1/servers/steelyard
mkdir -p "$server/dropins"
cp server.xml "$server/"
if [ "${STEELYARD_FORMAT:-}" = rest-json ]; then
  mkdir -p "$server/configDropins/defaults"
  cp rest.xml "$server/configDropins/defaults/"
fi
echo "command.port=-1" >"$server/bootstrap.properties" # signals stop it, no port does
sh ../common/agent-settings.sh "$2" "$1"
sh ../common/put-war.sh "$2" "$3" "$server/dropins"

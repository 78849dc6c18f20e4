# Lays out a WLP_USER_DIR with one server and a service's WAR: prepare.sh SCRATCH CACHE SERVICE IMPLEMENTATION. Where the implementation has a
# src/main/liberty/prepare.sh, that one adds what the service needs of the product, such as a data source: it is given SCRATCH, the folder of the
# built WAR and that of Artemis and its adapter, empty without.
set -eu
scratch=$1 cache=$2 service=$3 implementation=$4
server=$scratch/servers/steelyard
mkdir -p "$server/dropins"
cp server.xml "$server/"
if [ "${STEELYARD_FORMAT:-}" = rest-json ]; then
  mkdir -p "$server/configDropins/defaults"
  cp rest.xml "$server/configDropins/defaults/"
fi
echo "command.port=-1" >"$server/bootstrap.properties" # signals stop it, no port does
sh ../common/agent-settings.sh "$service" "$scratch"
sh ../common/put-war.sh "$service" "$implementation" "$server/dropins"
own=$service/$implementation/src/main/liberty/prepare.sh
if [ -f "$own" ]; then
  adapter=
  if [ "${STEELYARD_MESSAGING:-none}" = artemis ]; then adapter=$cache/artemis; fi
  sh "$own" "$scratch" "$service/$implementation/target" "$adapter"
fi

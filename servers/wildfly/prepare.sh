# Lays out a base folder with one of WildFly's own profiles, changed in a few places, and a service's WAR:
# prepare.sh SCRATCH CACHE SERVICE IMPLEMENTATION. Where the implementation has a src/main/wildfly/prepare.sh, that one adds what the
# service needs of the product, such as a data source: it is given SCRATCH and the folder of the built WAR.
set -eu
scratch=$1 cache=$2 service=$3 implementation=$4
cp -R "$cache/wildfly/standalone/." "$scratch"
# No HTTPS listener, and IIOP, which the full profile has, on any free port.
profile=${STEELYARD_PROFILE:-standalone}
# Connections stay open for any number of requests and for 15 minutes without one.
sed -e '/<https-listener /d' \
  -e 's|<http-listener name="default" socket-binding="http" redirect-socket="https"|& no-request-timeout="900000" read-timeout="900000" tcp-backlog="${steelyard.accept_queue}" max-connections="${steelyard.max_connections}" max-post-size="16777216"|' \
  -e 's|<worker name="default"/>|<worker name="default" task-max-threads="${steelyard.threads}"/>|' \
  -e 's|scan-interval="5000"|scan-interval="0"|' \
  -e '/socket-binding name="iiop/s|port="[0-9]*"|port="0"|' \
  "$cache/wildfly/standalone/configuration/$profile.xml" >"$scratch/configuration/standalone.xml"
sh ../common/agent-settings.sh "$service" "$scratch"
sh ../common/put-war.sh "$service" "$implementation" "$scratch/deployments"
own=$service/$implementation/src/main/wildfly/prepare.sh
if [ -f "$own" ]; then
  sh "$own" "$scratch" "$service/$implementation/target"
fi

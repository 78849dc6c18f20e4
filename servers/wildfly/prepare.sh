# Lays out a base folder with WildFly's own standalone.xml, changed in a few places, and a service's WAR:
# prepare.sh SCRATCH CACHE SERVICE IMPLEMENTATION.
set -eu
scratch=$1 cache=$2 service=$3 implementation=$4
cp -R "$cache/wildfly/standalone/." "$scratch"
# No HTTPS listener. Connections stay open for any number of requests and for 15 minutes without one.
sed -e '/<https-listener /d' \
  -e 's|<http-listener name="default" socket-binding="http" redirect-socket="https"|& no-request-timeout="900000" read-timeout="900000" tcp-backlog="${steelyard.accept_queue}" max-connections="${steelyard.max_connections}"|' \
  -e 's|<worker name="default"/>|<worker name="default" task-max-threads="${steelyard.threads}"/>|' \
  -e 's|scan-interval="5000"|scan-interval="0"|' \
  "$cache/wildfly/standalone/configuration/standalone.xml" >"$scratch/configuration/standalone.xml"
sh ../common/put-war.sh "$service" "$implementation" "$scratch/deployments"

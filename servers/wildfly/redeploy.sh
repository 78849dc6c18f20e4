# Deploys a service's WAR anew on a running WildFly, through its management: redeploy.sh SCRATCH CACHE SERVICE IMPLEMENTATION.
set -eu
management=$(sed -n 's|.*management interface listening on http://\([0-9.]*:[0-9]*\)/management.*|\1|p' "$1/log/server.log" | tail -n 1)
# A folder of its own: WildFly unpacks archives into folders of their names in its `tmp`.
mkdir -p "$1/redeployed"
sh ../common/put-war.sh "$3" "$4" "$1/redeployed"
cd "$1/redeployed"
exec "$JAVA_HOME/bin/java" "-Dlogging.configuration=file:$2/wildfly/bin/jboss-cli-logging.properties" \
  -jar "$2/wildfly/jboss-modules.jar" -mp "$2/wildfly/modules" org.jboss.as.cli \
  --connect "--controller=$management" "deploy --force $(ls)"

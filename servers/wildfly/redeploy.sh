# Deploys a service's WAR anew on a running WildFly, through its management: redeploy.sh SCRATCH CACHE SERVICE IMPLEMENTATION.
set -eu
port=$(sed -n 's|.*management interface listening on http://127.0.0.1:\([0-9]*\)/management.*|\1|p' "$1/log/server.log" | tail -n 1)
sh ../common/put-war.sh "$3" "$4" "$1/tmp"
exec sh "$2/wildfly/bin/jboss-cli.sh" --connect "--controller=127.0.0.1:$port" "deploy --force $1/tmp/$(basename "$3").war"

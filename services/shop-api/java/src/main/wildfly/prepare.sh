# Deploys the database's driver and a data source beside the WAR, and makes that the server's default one: prepare.sh SCRATCH TARGET.
set -eu
deployments=$1/deployments configuration=$1/configuration/standalone.xml
. "$(dirname "$0")/../data-source.sh"
cp "$2"/shop-api/WEB-INF/lib/postgresql-*.jar "$deployments/driver.jar" # whose name is the driver's
umask 077
cat >"$deployments/shop-ds.xml" <<END
<datasources>
  <datasource jndi-name="java:jboss/datasources/shop" pool-name="shop">
    <connection-url>$url</connection-url>
    <driver>driver.jar</driver>
    <transaction-isolation>$jdbc_isolation</transaction-isolation>
    <pool><min-pool-size>$pool</min-pool-size><max-pool-size>$pool</max-pool-size><prefill>true</prefill></pool>
    <security><user-name>steelyard</user-name><password>$STEELYARD_PASSWORD</password></security>
  </datasource>
</datasources>
END
sed -e '/<default-bindings /s|datasource="[^"]*"|datasource="java:jboss/datasources/shop"|' "$configuration" >"$configuration.new"
mv "$configuration.new" "$configuration"

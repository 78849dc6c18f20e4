# Deploys the database's driver and a data source that takes part in transactions beside the WAR: prepare.sh SCRATCH TARGET.
set -eu
deployments=$1/deployments libraries=$2/petstore/WEB-INF/lib
: "${STEELYARD_PORT_DATABASE:?the pet store needs a database beside the server}" "${STEELYARD_PASSWORD:?is not set}"
server=${STEELYARD_HOST:-127.0.0.1}:$STEELYARD_PORT_DATABASE
case ${STEELYARD_DATABASE:-h2} in
  postgresql) class=org.postgresql.xa.PGXADataSource url=jdbc:postgresql://$server/steelyard ;;
  *) class=org.h2.jdbcx.JdbcDataSource url="jdbc:h2:tcp://$server/./steelyard;LOCK_TIMEOUT=20000" ;;
esac
for jar in "$libraries/${STEELYARD_DATABASE:-h2}"-*.jar; do
  driver=$(basename "$jar")
  cp "$jar" "$deployments/"
done
umask 077
cat >"$deployments/petstore-ds.xml" <<END
<datasources>
  <xa-datasource jndi-name="java:jboss/datasources/petstore" pool-name="petstore">
    <xa-datasource-property name="URL">$url</xa-datasource-property>
    <xa-datasource-class>$class</xa-datasource-class>
    <driver>$driver</driver>
    <xa-pool><min-pool-size>2</min-pool-size><max-pool-size>40</max-pool-size></xa-pool>
    <security><user-name>steelyard</user-name><password>$STEELYARD_PASSWORD</password></security>
  </xa-datasource>
</datasources>
END

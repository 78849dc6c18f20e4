# Deploys the database's driver and a data source that takes part in transactions beside the WAR: prepare.sh SCRATCH TARGET.
set -eu
deployments=$1/deployments libraries=$2/petstore/WEB-INF/lib configuration=$1/configuration/standalone.xml
. "$(dirname "$0")/../data-source.sh"
if [ "${STEELYARD_PROFILE:-standalone}" != standalone-full ]; then
  echo "the pet store needs messaging, which profile=standalone-full has and profile=${STEELYARD_PROFILE:-standalone} has not" >&2
  exit 1
fi
cp "$libraries/${STEELYARD_DATABASE:-h2}"-*.jar "$deployments/driver.jar" # whose name is the driver's
umask 077
cat >"$deployments/petstore-ds.xml" <<END
<datasources>
  <xa-datasource jndi-name="java:jboss/datasources/petstore" pool-name="petstore">
    <xa-datasource-property name="URL">$url</xa-datasource-property>
    <xa-datasource-class>$class</xa-datasource-class>
    <driver>driver.jar</driver>
    <xa-pool><min-pool-size>2</min-pool-size><max-pool-size>40</max-pool-size></xa-pool>
    <security><user-name>steelyard</user-name><password>$STEELYARD_PASSWORD</password></security>
  </xa-datasource>
</datasources>
END

# What was in doubt when the process was killed is looked for every ten seconds, as on the other servers; as shipped every two minutes.
sed -e 's|</extensions>|&\
    <system-properties>\
        <property name="RecoveryEnvironmentBean.periodicRecoveryPeriod" value="10"/>\
    </system-properties>|' "$configuration" >"$configuration.new"
mv "$configuration.new" "$configuration"

# A step whose database or mail server is away is tried again for a minute and a half, ever later. As shipped all attempts come at once
# one after the other, so that a message is given up before what it waits for is back.
sed -e 's|<address-setting name="#"|& redelivery-delay="10" redelivery-multiplier="2" max-redelivery-delay="5000" max-delivery-attempts="30"|' \
  "$configuration" >"$configuration.new"
mv "$configuration.new" "$configuration"

# Connections to the broker are as many as steps may want at a time. As shipped there are 20, and a step that calls another within its
# transaction holds one until that one has got its own: with twenty customers after a kill all waited for each other, 30 s each.
sed -e '/<pooled-connection-factory /s|transaction="xa"|max-pool-size="200" &|' "$configuration" >"$configuration.new"
mv "$configuration.new" "$configuration"

# Web services that a transaction spans: WildFly's XTS, which its full profile lacks, hands the transaction of whoever calls one on to it.
# Without an address of a coordinator it takes its own server's. Its messages are counted by the statistics of web services.
if [ "${STEELYARD_VARIANT:-jms-original}" = ws-at ]; then
  sed -e 's|<extensions>|&\
        <extension module="org.jboss.as.xts"/>|' \
    -e 's|<system-properties>|&\
        <property name="RecoveryEnvironmentBean.periodicRecoveryInitilizationOffset" value="120"/>|' \
    -e 's|</profile>|    <subsystem xmlns="urn:jboss:domain:xts:3.0">\
            <host name="default-host"/>\
            <default-context-propagation enabled="true"/>\
        </subsystem>\
    &|' \
    -e '/urn:jboss:domain:webservices:/s|statistics-enabled="[^"]*"|statistics-enabled="true"|' "$configuration" >"$configuration.new"
  mv "$configuration.new" "$configuration"
  # After a kill the transaction manager reads from its log what stands for XTS in a transaction, but as shipped does not see the class of it. It
  # then forgets that part, and XTS undoes it though the rest is done. This module, of which the transaction manager takes all there is, is empty
  # as shipped unless a feature pack is added. Nor may it look before XTS has started, which would never work then: so it looks for the first time
  # after two minutes (the property above, whose name is misspelt there).
  bridge=$1/modules/org/wildfly/reactive/dep/jts/main
  mkdir -p "$bridge"
  cat >"$bridge/module.xml" <<END
<module xmlns="urn:jboss:module:1.9" name="org.wildfly.reactive.dep.jts">
  <dependencies>
    <module name="org.jboss.xts" export="true"/>
  </dependencies>
</module>
END
fi

# Each part has its receivers on the server that holds it. Where parts stand in servers of their own, the broker is the center's: the
# others ask it as a user, and each has a name of its own among those who recover transactions, since they share the database.
part=${STEELYARD_PART:-all} center=false supplier=false
case $part in
  all) center=true supplier=true ;;
  center) center=true ;;
  supplier) supplier=true ;;
esac
sed -e "/<mdb>/,/<\\/mdb>/s|</mdb>|<delivery-groups><delivery-group name=\"center\" active=\"$center\"/>\
                    <delivery-group name=\"supplier\" active=\"$supplier\"/></delivery-groups></mdb>|" "$configuration" >"$configuration.new"
mv "$configuration.new" "$configuration"
if [ "$part" != all ]; then
  : "${STEELYARD_PORT_CENTER:?part=$part needs a server with part=center beside it, in the role center}"
  : "${STEELYARD_PORT_SUPPLIER:?part=$part needs a server with part=supplier beside it, in the role supplier}"
  sed -e "s|jboss.tx.node.id:1|jboss.tx.node.id:$part|" "$configuration" >"$configuration.new"
  mv "$configuration.new" "$configuration"
fi
case $part in
  center)
    realm=ApplicationRealm user=steelyard
    hashed=$(printf '%s:%s:%s' "$user" "$realm" "$STEELYARD_PASSWORD" | md5sum | cut -d' ' -f1)
    echo "$user=$hashed" >>"$1/configuration/application-users.properties"
    echo "$user=guest" >>"$1/configuration/application-roles.properties" # the role that the broker lets send and receive
    ;;
  site | supplier)
    sed -e 's|<in-vm-connector |<http-connector name="center" socket-binding="center" endpoint="http-acceptor"/>\
                &|' \
      -e '/connection-factory /s|connectors="in-vm"|connectors="center"|' \
      -e '/<pooled-connection-factory /s|transaction="xa"|user="steelyard" password="${env.STEELYARD_PASSWORD}" &|' \
      -e 's|<outbound-socket-binding name="mail-smtp">|<outbound-socket-binding name="center">\
            <remote-destination host="${env.STEELYARD_HOST}" port="${env.STEELYARD_PORT_CENTER}"/>\
        </outbound-socket-binding>\
        &|' "$configuration" >"$configuration.new"
    mv "$configuration.new" "$configuration"
    ;;
esac

# Where messages are kept in the database, the broker has a data source of its own. It is no deployment, since the broker stands before
# those, and takes part in no transaction. WildFly fills its expressions from the environment of its process.
if [ "${STEELYARD_PERSISTENCE:-journal}" = jdbc ]; then
  sed -e 's|<drivers>|\
                <datasource jndi-name="java:jboss/datasources/messages" pool-name="messages">\
                    <connection-url>jdbc:postgresql://${env.STEELYARD_HOST}:${env.STEELYARD_PORT_DATABASE}/steelyard</connection-url>\
                    <driver>driver.jar</driver>\
                    <security user-name="steelyard" password="${env.STEELYARD_PASSWORD}"/>\
                </datasource>\
                &|' \
    -e '/<server name="default">/,/<security-setting/s|<statistics .*/>|<journal datasource="messages" database="postgresql"/>\
                &|' "$configuration" >"$configuration.new"
  mv "$configuration.new" "$configuration"
fi

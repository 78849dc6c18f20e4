# Lays out a domain of GlassFish or Payara with a service's WAR, and the command that runs it:
# prepare.sh PORT SCRATCH CACHE SERVICE IMPLEMENTATION.
set -eu
port=$1 scratch=$2 home=$3/glassfish service=$4 implementation=$5
domain=$scratch/steelyard
cp -R "$home/glassfish/domains/domain1" "$domain"
# One HTTP listener on the loopback address, its connections open for any number of requests and for 15 minutes without one.
# Administration, which GlassFish does not start without, gets the same port of another loopback address. Every other listener
# is off: HTTPS, IIOP, JMX, JMS, the OSGi shell, clustering. Memory is for start.sh.
sed -e "s|port=\"8080\" protocol=\"http-listener-1\"|address=\"127.0.0.1\" port=\"$port\" protocol=\"http-listener-1\"|" \
  -e 's|<network-listener port="8181"|<network-listener enabled="false" port="8181"|' \
  -e "s|<network-listener port=\"4848\"|<network-listener address=\"127.0.0.2\" port=\"$port\"|" \
  -e 's|<iiop-listener |<iiop-listener enabled="false" |' \
  -e 's|<jmx-connector |<jmx-connector enabled="false" |' \
  -e 's|<transaction-service |<jms-service type="DISABLED"/>&|' \
  -e 's|org.apache.felix.shell.remote,||' \
  -e 's|<hazelcast-config-specific-configuration>|<hazelcast-config-specific-configuration enabled="false">|' \
  -e 's|max-connections="250"|max-connections="-1" timeout-seconds="900"|' \
  -e "s|<thread-pool name=\"http-thread-pool\"|& max-thread-pool-size=\"${STEELYARD_THREADS:-200}\"|" \
  -e "s|<transport name=\"tcp\"|& max-connections-count=\"${STEELYARD_ACCEPT_QUEUE:-4096}\"|" \
  -e '/<jvm-options>-Xmx/d' -e '/<jvm-options>-XX:NewRatio/d' \
  "$home/glassfish/domains/domain1/config/domain.xml" >"$domain/config/domain.xml"
mkdir -p "$domain/autodeploy"
cp "$service/$implementation/target/$(basename "$service").war" "$domain/autodeploy/"
# asadmin would stay beside the server as a second JVM; it prints the command that it would run, a word a line.
AS_JAVA=$JAVA_HOME bash "$home/bin/asadmin" start-domain --dry-run --verbose --domaindir "$scratch" steelyard |
  sed -e '/^Dump of JVM Invocation/d' -e '/^$/,$d' >"$scratch/command"

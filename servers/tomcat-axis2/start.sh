# Runs Tomcat in the foreground, Axis2's client (for services that call others) with the configuration of its server:
# start.sh PORT SCRATCH CACHE.
set -eu
exec sh ../common/tomcat/start.sh "$1" "$2" "$3" "-Dorg.apache.axis2.jaxws.config.path=$2/conf/axis2.xml"

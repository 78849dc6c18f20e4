# Lays out a CATALINA_BASE for TomEE with a service's WAR: prepare.sh SCRATCH CACHE SERVICE IMPLEMENTATION.
set -eu
sh ../common/tomcat/prepare.sh "$1" "$2" "$3" "$4"
cp "$2/tomcat/conf/tomee.xml" "$2/tomcat/conf/system.properties" "$1/conf/"
sed 's|<Server port="-1">|&<Listener className="org.apache.tomee.catalina.ServerListener"/>|' \
  ../common/tomcat/server.xml >"$1/conf/server.xml"

# Lays out a CATALINA_BASE with a service's WAR: prepare.sh SCRATCH CACHE SERVICE IMPLEMENTATION LIB...
# (LIB: folders of jars for all applications).
set -eu
scratch=$1 cache=$2 service=$3 implementation=$4
shift 4
mkdir -p "$scratch/conf" "$scratch/lib" "$scratch/webapps"
cp "$cache/tomcat/conf/web.xml" "$cache/tomcat/conf/catalina.properties" "$scratch/conf/"
cp "$(dirname "$0")/server.xml" "$scratch/conf/"
sh "$(dirname "$0")/../agent-settings.sh" "$service" "$scratch"
for lib in "$@"; do
  ln -s "$lib"/*.jar "$scratch/lib/"
done
sh "$(dirname "$0")/../put-war.sh" "$service" "$implementation" "$scratch/webapps"

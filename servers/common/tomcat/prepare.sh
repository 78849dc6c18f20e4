# Lays out a CATALINA_BASE with a service's WAR: prepare.sh SCRATCH CACHE SERVICE IMPLEMENTATION LIB...
# (LIB: folders of jars for all applications). Where the format is one that WS-Security protects, LIB-secured stands in for the LIB
# that it is beside; the key stores, and what was built for CXF, are put to the jars, and the policies for Metro into the WAR.
set -eu
scratch=$1 cache=$2 service=$3 implementation=$4
shift 4
mkdir -p "$scratch/conf" "$scratch/lib" "$scratch/webapps"
cp "$cache/tomcat/conf/web.xml" "$cache/tomcat/conf/catalina.properties" "$scratch/conf/"
cp "$(dirname "$0")/server.xml" "$scratch/conf/"
sh "$(dirname "$0")/../agent-settings.sh" "$service" "$scratch"
sh "$(dirname "$0")/../put-war.sh" "$service" "$implementation" "$scratch/webapps"
case ${STEELYARD_FORMAT:-} in
signed | encrypted | signed-encrypted)
  if [ ! -d "$1-secured" ]; then
    echo "this version of the stack is not to be had with WS-Security: the format $STEELYARD_FORMAT needs another stack_version" >&2
    exit 1
  fi
  secured=$1-secured
  shift
  set -- "$secured" "$@"
  if [ -d "$cache/security" ]; then set -- "$@" "$cache/security"; fi
  mkdir "$scratch/lib/META-INF"
  cp -p "$STEELYARD_KEYS/server.p12" "$STEELYARD_KEYS/trust.p12" "$scratch/lib/META-INF/"
  if [ "$(basename "$secured")" = metro-secured ]; then
    policies=$service/$implementation/src/main/policies
    mkdir -p "$scratch/protected/WEB-INF/wsdl"
    cp "$policies/server-security-env.properties" "$scratch/lib/"
    cp "$policies/sun-jaxws.xml" "$scratch/protected/WEB-INF/"
    cp "$policies/$STEELYARD_FORMAT"/*.wsdl "$service"/contract/*.xsd "$scratch/protected/WEB-INF/wsdl/"
    "$JAVA_HOME/bin/jar" --update --file "$scratch/webapps/$(basename "$service").war" -C "$scratch/protected" WEB-INF
  fi
  ;;
esac
for lib in "$@"; do
  ln -s "$lib"/*.jar "$scratch/lib/"
done

# Puts a service's WAR into a folder: put-war.sh SERVICE IMPLEMENTATION FOLDER. Servers name an application's context after its file, so
# the WAR gets the name that the service's path begins with. Where the factor journal is jdbc, the WAR gets the
# driver that the implementation's build laid beside it. Where the factor endpoint is ejb, the WAR gets what
# the implementation has in src/main/ejb, which makes its endpoints session beans, and loses Metro's list of servlet endpoints.
set -eu
name=$(basename "$1")
built=$(cd "$1/$2/target" && pwd)/$name.war
if [ -f "$1/service.toml" ]; then
  context=$(sed -n 's|^path = "/\([A-Za-z0-9_.-]*\).*|\1|p' "$1/service.toml" | head -n 1)
  name=${context:-$name}
fi
war=$name.war
if [ "${STEELYARD_ENDPOINT:-servlet}" = servlet ]; then
  cp "$built" "$3/$war"
  if [ "${STEELYARD_JOURNAL:-none}" = jdbc ]; then
    "$JAVA_HOME/bin/jar" --update --file "$3/$war" -C "${built%.war}" WEB-INF/lib
  fi
  exit
fi
beans=$1/$2/src/main/ejb
if [ ! -d "$beans" ]; then
  echo "$(basename "$1")/$2 has no session beans, so endpoint = ejb means nothing to it" >&2
  exit 1
fi
folder=$(cd "$3" && pwd)
open=$(mktemp -d)
trap 'rm -rf "$open"' EXIT
cp -R "$beans/." "$open"
cd "$open"
"$JAVA_HOME/bin/jar" --extract --keep-old-files --file "$built"
rm -f WEB-INF/sun-jaxws.xml
"$JAVA_HOME/bin/jar" --create --no-manifest --file "$folder/$war" .

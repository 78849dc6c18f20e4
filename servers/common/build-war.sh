# Builds a service's WAR: build-war.sh SERVICE IMPLEMENTATION. Tests and lint are for `mvn verify`.
# "clean" because the contract's classes are generated from files that Maven does not watch.
set -eu
# By a path of plain characters: the plugin of wsimport takes a quote in it for the end of a word.
plain=$(mktemp -d)
trap 'rm -rf "$plain"' EXIT
ln -s "$(cd "$1" && pwd)" "$plain/service"
mvn --quiet --batch-mode --strict-checksums -Dstyle.color=never --file "$plain/service/$2/pom.xml" -DskipTests -Dspotless.check.skip clean package
# What the WAR brings along is what the implementation's lock says (lock.sh).
libraries=$1/$2/target/$(basename "$1")/WEB-INF/lib lock=$1/$2/jars.sha256
if [ -d "$libraries" ] && ! (export LC_ALL=C && cd "$libraries" && sha256sum -- *.jar) | diff - "$lock" >&2; then
  rm -f "$1/$2/target/$(basename "$1").war"
  echo "the libraries in the WAR of $2 are not those of its jars.sha256; where they should be, servers/common/lock.sh writes it anew" >&2
  exit 1
fi

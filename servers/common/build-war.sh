# Builds a service's WAR: build-war.sh SERVICE IMPLEMENTATION. Tests and lint are for `mvn verify`.
# "clean" because the contract's classes are generated from files that Maven does not watch.
set -eu
# A WAR that its user gave is taken as it is.
if [ -f "$1/$2/given.war" ]; then
  mkdir -p "$1/$2/target"
  cp "$1/$2/given.war" "$1/$2/target/$(basename "$1").war"
  exit
fi
# By a path of plain characters: the plugin of wsimport takes a quote in it for the end of a word.
plain=$(mktemp -d)
trap 'rm -rf "$plain"' EXIT
ln -s "$(cd "$1" && pwd)" "$plain/service"
here=$(cd "$(dirname "$0")" && pwd)
ln -s "$(cd "$here/../../services/common" && pwd)" "$plain/common" # what services take in, as ../../common
maven="mvn --quiet --batch-mode --strict-checksums -Dstyle.color=never -DskipTests -Dspotless.check.skip"
# The monitor is part of this house and in no registry: whoever names it gets it from here.
if grep -qs '<artifactId>steelyard-monitor</artifactId>' "$1/$2/pom.xml"; then
  $maven --file "$here/../../monitor/pom.xml" install
fi
$maven --file "$plain/service/$2/pom.xml" clean package
# What the WAR brings along is what the implementation's lock says (lock.sh), and so is what it keeps apart from the server's own;
# the monitor was made here.
target=$1/$2/target/$(basename "$1")
for place in WEB-INF/lib:jars.sha256 WEB-INF/classes/brought:brought.sha256; do
  libraries=$target/${place%:*} lock=$1/$2/${place#*:}
  if [ -d "$libraries" ] && ! (export LC_ALL=C && cd "$libraries" && sha256sum -- *.jar | sed "/ steelyard-monitor-/d") | diff - "$lock" >&2; then
    rm -f "$1/$2/target/$(basename "$1").war"
    echo "the libraries in the WAR of $2 are not those of its ${place#*:}; where they should be, servers/common/lock.sh writes it anew" >&2
    exit 1
  fi
done

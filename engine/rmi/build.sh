# Builds the driver into a folder, as steelyard-rmi.jar with its libraries in lib: build.sh FOLDER. Tests and lint are for `mvn verify`.
# What it is made of must be what jars.sha256 says; after a change of pom.xml, `sh ../../servers/common/lock.sh .` writes that anew.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mvn --quiet --batch-mode --strict-checksums -Dstyle.color=never -DskipTests -Dspotless.check.skip --file "$here/pom.xml" clean package
if ! (export LC_ALL=C && cd "$here/target/lib" && sha256sum -- *.jar) | diff - "$here/jars.sha256" >&2; then
  echo "the libraries of the RMI driver are not those of its jars.sha256" >&2
  exit 1
fi
mkdir -p "$1"
cp -R "$here/target/lib" "$here/target/steelyard-rmi.jar" "$1"

# Builds a service's program in Java: build-jar.sh SERVICE IMPLEMENTATION JARS. JARS is the folder, below the implementation's, where its
# build lays the jars that the program needs. Tests and lint are for `mvn verify`.
set -eu
maven="mvn --quiet --batch-mode --strict-checksums -Dstyle.color=never -DskipTests -Dspotless.check.skip"
$maven --file "$1/$2/pom.xml" clean package
# The jars are those of the implementation's lock, which `sha256sum -- *.jar` in JARS writes; they and no others run.
if ! (export LC_ALL=C && cd "$1/$2/$3" && sha256sum -- *.jar) | diff - "$1/$2/jars.sha256" >&2; then
  rm -rf "${1:?}/$2/target"
  echo "the jars that $2 brings are not those of its jars.sha256" >&2
  exit 1
fi

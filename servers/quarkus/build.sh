# Builds a service's application with Quarkus for one kind of threads: build.sh SERVICE CACHE THREADS. What differs by the threads is
# decided at the build: extensions, and where methods run. Tests and lint are for `mvn verify`.
set -eu
source=$1/quarkus made=$2/$(basename "$1")-$3
mvn --quiet --batch-mode --strict-checksums -Dstyle.color=never -DskipTests -Dspotless.check.skip \
  --file "$source/pom.xml" "-Dthreads=$3" clean package
# The libraries are those of the lock; they and no others run.
if [ "$3" = reactive ]; then lock=$source/jars-reactive.sha256; else lock=$source/jars.sha256; fi
if ! (export LC_ALL=C && cd "$source/target/quarkus-app/lib" && sha256sum -- boot/*.jar main/*.jar) | diff - "$lock" >&2; then
  echo "the libraries of $3 are not those of $(basename "$lock"); where they should be, write it anew by the command in README.md" >&2
  exit 1
fi
rm -rf "${made:?}"
cp -R "$source/target/quarkus-app" "$made"

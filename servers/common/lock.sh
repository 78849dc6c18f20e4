# Writes the lock of a pom.xml beside it and prints the jars' bytes: lock.sh FOLDER makes FOLDER/jars.sha256 from FOLDER/pom.xml;
# lock.sh FOLDER VERSION makes FOLDER/jars-VERSION.sha256 with that version of the stack.
set -eu
jars=$(mktemp -d)
trap 'rm -rf "$jars"' EXIT
mvn --quiet --batch-mode --strict-checksums -Dstyle.color=never --file "$1/pom.xml" dependency:copy-dependencies -DincludeScope=runtime \
  "-DoutputDirectory=$jars" ${2:+"-Dstack_version=$2"}
(export LC_ALL=C && cd "$jars" && sha256sum -- *.jar | sed "/ steelyard-monitor-/d") >"$1/jars${2:+-$2}.sha256"
cat "$jars"/*.jar | wc -c

# Writes the lock of a pom.xml beside it: lock.sh FOLDER makes FOLDER/jars.sha256 from FOLDER/pom.xml and prints the jars' bytes.
set -eu
jars=$(mktemp -d)
trap 'rm -rf "$jars"' EXIT
mvn --quiet --batch-mode -Dstyle.color=never --file "$1/pom.xml" dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$jars"
(cd "$jars" && sha256sum -- *.jar) >"$1/jars.sha256"
cat "$jars"/*.jar | wc -c

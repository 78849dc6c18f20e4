# Builds a service's implementation over RMI as a jar: build.sh SERVICE IMPLEMENTATION. Tests and lint are for `mvn verify`.
set -eu
mvn --quiet --batch-mode --strict-checksums -Dstyle.color=never -DskipTests -Dspotless.check.skip --file "$1/$2/pom.xml" clean package

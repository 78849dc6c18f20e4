# Builds a service's WAR: build-war.sh SERVICE IMPLEMENTATION. Tests and lint are for `mvn verify`.
# "clean" because the contract's classes are generated from files that Maven does not watch.
set -eu
exec mvn --quiet --batch-mode -Dstyle.color=never --file "$1/$2/pom.xml" -DskipTests -Dspotless.check.skip clean package

# Builds the adapter that publishes a WAR's endpoints with CXF: build-adapter.sh CACHE makes CACHE/adapter/cxf-adapter.jar.
set -eu
exec mvn --quiet --batch-mode --strict-checksums -Dstyle.color=never --file "$(dirname "$0")/adapter/pom.xml" -DskipTests -Dspotless.check.skip "-Dinto=$1/adapter" package

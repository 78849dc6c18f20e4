# Builds what CXF needs beside its jars: build-adapter.sh CACHE makes CACHE/adapter/cxf-adapter.jar, which publishes a WAR's endpoints;
# build-adapter.sh CACHE security makes CACHE/security/cxf-security.jar, which protects their messages.
set -eu
module=${2:-adapter}
exec mvn --quiet --batch-mode --strict-checksums -Dstyle.color=never --file "$(dirname "$0")/$module/pom.xml" -DskipTests -Dspotless.check.skip "-Dinto=$1/$module" package

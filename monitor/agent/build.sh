# Builds the agent into a folder, as steelyard-monitor-agent.jar: build.sh FOLDER.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
maven="mvn --quiet --batch-mode --strict-checksums -Dstyle.color=never -DskipTests -Dspotless.check.skip"
$maven --file "$here/../pom.xml" install
$maven --file "$here/pom.xml" package
# Beside its place first: a JVM may be reading the one that is there.
cp "$here/target/steelyard-monitor-agent.jar" "$1/steelyard-monitor-agent.jar.new"
mv "$1/steelyard-monitor-agent.jar.new" "$1/steelyard-monitor-agent.jar"

# Runs H2's TCP server in the foreground: start.sh PORT SCRATCH CACHE. Databases are created in SCRATCH on first use.
set -eu
port=$1 scratch=$2 cache=$3
. ../common/jvm.sh
exec "$JAVA_HOME/bin/java" $JVM_OPTIONS -Dh2.bindAddress=127.0.0.1 -cp "$cache/h2-2.5.252.jar" org.h2.tools.Server \
    -tcp -tcpPort "$port" -baseDir "$scratch" -ifNotExists

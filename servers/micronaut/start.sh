# Runs a service's program with Micronaut in the foreground: start.sh PORT SCRATCH SERVICE CACHE. What does not change by a factor stands in the
# program's application.properties, and what the contract says of the database in its Application.java.
set -eu
port=$1 scratch=$2 program=$3/micronaut/target/$(basename "$3").jar cache=$4
. ../common/jvm.sh
set --
# As shipped, the blocking executor runs virtual threads where the JDK has them.
if [ "${STEELYARD_THREADS:-virtual}" = platform ]; then set -- -Dmicronaut.executors.blocking.type=cached; fi
# HikariCP waits at its start until all connections are open. Netty's native access is announced, else JDK 25 warns of it.
run_java "$@" -Dcom.zaxxer.hikari.blockUntilFilled=true --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
  "-Dmicronaut.server.port=$port" -jar "$program"

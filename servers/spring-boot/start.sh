# Runs a service's program with Spring Boot in the foreground: start.sh PORT SCRATCH CACHE OPTION... (OPTION: further options of the
# JVM). What does not change by a factor stands in the program's application.properties.
set -eu
port=$1 scratch=$2 cache=$3
shift 3
. ../common/jvm.sh
if [ "${STEELYARD_THREADS:-platform}" = virtual ]; then virtual=true; else virtual=false; fi
if [ "${STEELYARD_PREPARED:-on}" = off ]; then threshold=0; else threshold=5; fi
isolation=TRANSACTION_$(printf %s "${STEELYARD_ISOLATION:-read-committed}" | tr a-z- A-Z_)
# A cache that the JVM cannot use is an error: a start without it would be taken for one with it.
if [ -f "$scratch/program.aot" ]; then set -- "$@" "-XX:AOTCache=$scratch/program.aot" -XX:AOTMode=on; fi
# HikariCP waits at its start until all connections are open.
run_java "$@" -Dcom.zaxxer.hikari.blockUntilFilled=true -jar "$scratch/program/program.jar" \
  "--server.port=$port" "--spring.profiles.active=${STEELYARD_PERSISTENCE:-jpa}" "--spring.threads.virtual.enabled=$virtual" \
  "--spring.datasource.hikari.data-source-properties.prepareThreshold=$threshold" \
  "--spring.datasource.hikari.transaction-isolation=$isolation"

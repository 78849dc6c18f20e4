# Runs a service's program in the foreground: start.sh PORT SCRATCH SERVICE.
set -eu
port=$1 scratch=$2 program=$3/vertx/target/$(basename "$3").jar
. ../common/jvm.sh
# The JDK resolves names: Vert.x's own DNS client opens a UDP socket on all addresses of the machine.
run_java -Dvertx.disableDnsResolver=true \
  -jar "$program" "$port" "${STEELYARD_EVENT_LOOPS:-${STEELYARD_CPUS:-$(getconf _NPROCESSORS_ONLN)}}"

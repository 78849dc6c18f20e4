# Runs a registry and a service's remote object on one port of STEELYARD_HOST: start.sh PORT SCRATCH SERVICE IMPLEMENTATION.
set -eu
port=$1 scratch=$2 name=$(basename "$3") jar=$3/$4/target/$(basename "$3")-rmi.jar
. ../common/jvm.sh
# What is read from a connection may be the contract's own classes, with those of RMI's references; texts and arrays of numbers need no
# leave. How deep, how many and how large is bounded.
filter="maxdepth=1000;maxrefs=1000000;maxbytes=67108864;maxarray=16777216"
filter="$filter;steelyard.$name.rmi.*;java.rmi.dgc.*;java.rmi.server.*;!*"
run_java "-Djdk.serialFilter=$filter" "-Dsun.rmi.transport.tcp.maxConnectionThreads=${STEELYARD_THREADS:-200}" \
  -cp "$jar" "steelyard.$name.rmi.Server" "${STEELYARD_HOST:-127.0.0.1}" "$port"

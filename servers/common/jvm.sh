# Sourced by start scripts of Java servers: sets JVM_OPTIONS from the factors that they share.
# heap is minimum and maximum, its pages touched at the start, so that no run pays for growing it.
cpus=${STEELYARD_CPUS:-$(getconf _NPROCESSORS_ONLN)}
heap=${STEELYARD_HEAP:-256m}
JVM_OPTIONS="-Xms$heap -Xmx$heap -XX:+AlwaysPreTouch -XX:+Use${STEELYARD_GC:-G1}GC -XX:ActiveProcessorCount=$cpus ${STEELYARD_JVM:-}"

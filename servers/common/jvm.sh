# Sourced by start scripts of Java servers, with the start's own folder in `scratch`: sets JVM_OPTIONS from the factors that
# they share. The heap is minimum and maximum, its pages touched at the start, so that no run pays for growing it.
# A JVM whose memory ran out ends, so that it is seen at once and not measured as it limps; the factor `jvm` comes last and can
# take that back. Temporary files go below `scratch`, so that they are removed with it.
mkdir -p "$scratch/tmp"
cpus=${STEELYARD_CPUS:-$(getconf _NPROCESSORS_ONLN)}
heap=${STEELYARD_HEAP:-256m}
# http.maxConnections: a service that calls others keeps as many connections to each as its workers may need at once, not five.
JVM_OPTIONS="-Xms$heap -Xmx$heap -XX:+AlwaysPreTouch -XX:+Use${STEELYARD_GC:-G1}GC -XX:ActiveProcessorCount=$cpus -XX:+ExitOnOutOfMemoryError \
-Djava.io.tmpdir=$scratch/tmp -Dhttp.maxConnections=${STEELYARD_THREADS:-200} ${STEELYARD_JVM:-}"
if [ "${STEELYARD_PARSER:-}" = jdk ]; then
  JVM_OPTIONS="$JVM_OPTIONS -Djavax.xml.stream.XMLInputFactory=com.sun.xml.internal.stream.XMLInputFactoryImpl"
fi

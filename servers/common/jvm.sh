# Sourced by start scripts of Java servers, with the start's own folder in `scratch`, and in `cache` the server's, where it has the
# factor `monitor`: sets JVM_OPTIONS from the factors that they share, and makes run_java.
#
# No product's own start script runs where it can be helped: those let the shell evaluate the options that they are given. Here
# each option is one word of an argument list, whatever characters it holds.

case ${STEELYARD_JVM:-} in
  *OnError=* | *OnOutOfMemoryError=* | *VMOptionsFile=* | *:Flags=* | @* | *[[:space:]]@*)
    echo "factor jvm is '$STEELYARD_JVM': options that run commands or read further options from a file are not taken" >&2
    exit 1
    ;;
esac
mkdir -p "$scratch/tmp"
# The heap is minimum and maximum, its pages touched at the start, so that no run pays for growing it. A JVM whose memory ran out
# ends, so that it is seen at once and not measured as it limps; the factor `jvm` comes later and can take that back.
# http.maxConnections: a service that calls others keeps as many connections to each as its workers may need at once, not five. A
# factor `threads` that is no number is the kind of threads.
case ${STEELYARD_THREADS:-} in
*[!0-9]* | '') workers=200 ;;
*) workers=$STEELYARD_THREADS ;;
esac
JVM_OPTIONS="-Xms${STEELYARD_HEAP:-256m} -Xmx${STEELYARD_HEAP:-256m} -XX:+AlwaysPreTouch -XX:+Use${STEELYARD_GC:-G1}GC \
-XX:ActiveProcessorCount=${STEELYARD_CPUS:-$(getconf _NPROCESSORS_ONLN)} -XX:+ExitOnOutOfMemoryError \
-Dhttp.maxConnections=$workers"
if [ "${STEELYARD_PARSER:-}" = jdk ]; then
  JVM_OPTIONS="$JVM_OPTIONS -Djavax.xml.stream.XMLInputFactory=com.sun.xml.internal.stream.XMLInputFactoryImpl"
fi

monitor_agent=
if [ "${STEELYARD_MONITOR:-library}" = agent ]; then
  monitor_agent="-javaagent:$cache/steelyard-monitor-agent.jar=settings=$scratch/agent.properties"
fi

# run_java WORD...: puts a JVM in the script's place, with JVM_OPTIONS, the options of the factor `jvm`, and then the words: a
# product's own options, its main class or jar, its arguments. Temporary files go below `scratch`, so that they are removed with it.
# STEELYARD_GC_LOG, where somebody asks for it, is the file for what the collector says, by the clock that Steelyard measures by.
run_java() {
  set -f # blanks part the options, and no other character of them means anything
  # shellcheck disable=SC2086
  exec "$JAVA_HOME/bin/java" $JVM_OPTIONS "-Djava.io.tmpdir=$scratch/tmp" \
    ${STEELYARD_GC_LOG:+"-Xlog:gc*:file=\"$STEELYARD_GC_LOG\":timenanos,tags:filecount=0"} \
    ${monitor_agent:+"$monitor_agent"} ${STEELYARD_JVM:-} "$@"
}

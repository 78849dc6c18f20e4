# Runs a service's application with Quarkus in the foreground: start.sh PORT SCRATCH SERVICE CACHE. What does not change by a factor of the
# server stands in the application's application.properties.
set -eu
port=$1 scratch=$2 cache=$4 application=$4/$(basename "$3")-${STEELYARD_THREADS:-platform}
. ../common/jvm.sh
run_java "-Dquarkus.http.port=$port" -jar "$application/quarkus-run.jar"

# Runs Open Liberty in the foreground: start.sh PORT SCRATCH CACHE.
# The options are those of the product's own bin/server, which would have the shell evaluate them; server.xml reads the variables.
set -eu
scratch=$2 cache=$3 home=$3/liberty
. ../common/jvm.sh
export STEELYARD_HOST="${STEELYARD_HOST:-127.0.0.1}" STEELYARD_PORT="$1" STEELYARD_THREADS="${STEELYARD_THREADS:-200}"
export STEELYARD_ACCEPT_QUEUE="${STEELYARD_ACCEPT_QUEUE:-511}" STEELYARD_MAX_CONNECTIONS="${STEELYARD_MAX_CONNECTIONS:-128000}"
export STEELYARD_CORE_THREADS="${STEELYARD_CORE_THREADS:--1}"
export WLP_USER_DIR="$scratch" WLP_OUTPUT_DIR="$scratch/servers" X_LOG_DIR="$scratch/servers/steelyard/logs" X_LOG_FILE=console.log
umask o=
cd "$scratch/servers/steelyard"
modules=$home/lib/platform/java/java9.options # which packages are opened, in the form of an argument file
if [ "${STEELYARD_JDK:-25}" -ge 24 ]; then modules=$home/lib/platform/java/java24.options; fi
run_java "-javaagent:$home/bin/tools/ws-javaagent.jar" -Djava.awt.headless=true -Djdk.attach.allowAttachSelf=true "@$modules" \
  -jar "$home/bin/tools/ws-server.jar" steelyard

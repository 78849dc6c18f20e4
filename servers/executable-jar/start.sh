# Runs a user's jar in the foreground: start.sh PORT SERVICE SCRATCH CACHE.
set -eu
port=$1 jar=$2/jar/given.jar given=$2/jar/arguments scratch=$3 cache=$4
host=${STEELYARD_HOST:-127.0.0.1}
. ../common/jvm.sh
# Where frameworks look for address and port: most of them for PORT or SERVER_PORT, some for variables of their own.
export PORT="$port" SERVER_PORT="$port" SERVER_ADDRESS="$host" SERVER_HOST="$host"
export QUARKUS_HTTP_PORT="$port" QUARKUS_HTTP_HOST="$host" MICRONAUT_SERVER_PORT="$port" MICRONAUT_SERVER_HOST="$host"
# Its arguments, one a line, in which {port} and {host} stand for them.
set -- -jar "$jar"
if [ -f "$given" ]; then
  while IFS= read -r word || [ -n "$word" ]; do
    case $word in *'{port}'*) word=${word%%'{port}'*}$port${word#*'{port}'} ;; esac
    case $word in *'{host}'*) word=${word%%'{host}'*}$host${word#*'{host}'} ;; esac
    set -- "$@" "$word"
  done <"$given"
fi
cd "$scratch" # where a program would leave its files
run_java "$@"

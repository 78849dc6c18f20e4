# Runs the domain that prepare.sh made, in the foreground: start.sh SCRATCH.
set -eu
. ../common/jvm.sh
export USER_MEM_ARGS="$JVM_OPTIONS"
exec sh "$1/domain/bin/startWebLogic.sh"

# Runs the domain that prepare.sh made, in the foreground: start.sh SCRATCH.
set -eu
scratch=$1
. ../common/jvm.sh
export USER_MEM_ARGS="$JVM_OPTIONS"
exec sh "$scratch/domain/bin/startWebLogic.sh"

# Runs the domain that prepare.sh made, in the foreground: start.sh SCRATCH.
set -eu
scratch=$1
. ../common/jvm.sh
export USER_MEM_ARGS="$JVM_OPTIONS"
# Past the product's script, which would see patterns of file names in them: the JVM itself reads this variable, and blanks and
# quotes in it.
export JDK_JAVA_OPTIONS="\"-Djava.io.tmpdir=$scratch/tmp\" ${STEELYARD_JVM:-}"
exec sh "$scratch/domain/bin/startWebLogic.sh"

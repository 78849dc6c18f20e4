# Runs a service's ASP.NET application in the foreground: start.sh PORT SERVICE CACHE SCRATCH.
set -eu
name=$(basename "$2")
mkdir -p "$4/tmp"
export TMPDIR="$4/tmp" MONO_DEBUG=no-gdb-backtrace
MONO_GC_PARAMS="major=${STEELYARD_GC:-marksweep},nursery-size=${STEELYARD_NURSERY:-4m}"
if [ "${STEELYARD_HEAP:-256m}" != none ]; then
    MONO_GC_PARAMS="$MONO_GC_PARAMS,max-heap-size=${STEELYARD_HEAP:-256m}"
fi
export MONO_GC_PARAMS
cd "$4" # where Mono would leave its report of a crash
exec mono --server "$3/$name/bin/host.exe" "$1" "$3/$name" "/$name"

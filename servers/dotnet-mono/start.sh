# Runs a service's C# program on Mono in the foreground: start.sh PORT SERVICE CACHE SCRATCH.
set -eu
export TMPDIR="$4" MONO_DEBUG=no-gdb-backtrace
MONO_GC_PARAMS="major=${STEELYARD_GC:-marksweep},nursery-size=${STEELYARD_NURSERY:-4m}"
if [ "${STEELYARD_HEAP:-256m}" != none ]; then
    MONO_GC_PARAMS="$MONO_GC_PARAMS,max-heap-size=${STEELYARD_HEAP:-256m}"
fi
export MONO_GC_PARAMS
cd "$4" # where Mono would leave its report of a crash
exec mono --server "$3/$(basename "$2")/service.exe" "$1" "${STEELYARD_THREADS:-200}"

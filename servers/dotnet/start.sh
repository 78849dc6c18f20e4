# Runs a service's C# program on .NET in the foreground: start.sh PORT SERVICE CACHE SCRATCH.
set -eu
program=$3/$(basename "$2")/service.exe
dotnet=$(sh dotnet.sh "$3")
export TMPDIR="$4" DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 DOTNET_EnableDiagnostics=0
case ${STEELYARD_GC:-workstation} in
server) export DOTNET_gcServer=1 ;;
*) export DOTNET_gcServer=0 ;;
esac
case ${STEELYARD_TIERED_PGO:-on} in
off) export DOTNET_TieredPGO=0 ;;
*) export DOTNET_TieredPGO=1 ;;
esac
heap=${STEELYARD_HEAP:-256m}
case $heap in
none) ;;
*k) heap=$((${heap%k} << 10)) ;;
*m) heap=$((${heap%m} << 20)) ;;
*g) heap=$((${heap%g} << 30)) ;;
esac
if [ "$heap" != none ]; then DOTNET_GCHeapHardLimit=$(printf %x "$heap") && export DOTNET_GCHeapHardLimit; fi
cd "$4" # where .NET would leave its report of a crash
exec "$dotnet" "$program" "$1" "${STEELYARD_THREADS:-200}"

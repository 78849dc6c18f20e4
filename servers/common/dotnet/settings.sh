# Sourced by start scripts of .NET servers, with the start's own folder in `scratch`: temporary files, diagnostics, the heap's bound.
export TMPDIR="$scratch" DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 DOTNET_EnableDiagnostics=0
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
cd "$scratch" # where .NET would leave its report of a crash

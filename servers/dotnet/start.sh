# Runs a service's C# program on .NET in the foreground: start.sh PORT SERVICE CACHE SCRATCH.
set -eu
program=$3/$(basename "$2")/service.exe scratch=$4
dotnet=$(sh dotnet.sh "$3")
. ../common/dotnet/settings.sh
case ${STEELYARD_GC:-workstation} in
server) export DOTNET_gcServer=1 ;;
*) export DOTNET_gcServer=0 ;;
esac
exec "$dotnet" "$program" "$1" "${STEELYARD_THREADS:-200}"

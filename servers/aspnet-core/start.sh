# Runs a service's ASP.NET Core program in the foreground: start.sh PORT SERVICE CACHE SCRATCH.
set -eu
name=$(basename "$2") scratch=$4
program=$3/$name-ready-to-run-${STEELYARD_READY_TO_RUN:-off}/$name.dll
. ../common/dotnet/settings.sh
case ${STEELYARD_SERVER_GC:-on} in
off) export DOTNET_gcServer=0 ;;
*) export DOTNET_gcServer=1 ;;
esac
exec dotnet "$program" "$1"

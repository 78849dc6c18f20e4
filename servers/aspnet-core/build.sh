# Publishes a service's ASP.NET Core program by the user's .NET SDK: build.sh SERVICE CACHE READY_TO_RUN (on or off).
set -eu
project=$1/aspnet-core/src out=$2/$(basename "$1")-ready-to-run-$3
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
sdk=$(dotnet --version)
case $sdk in
8.* | 10.*) framework=net${sdk%%.*}.0 ;;
*) echo "aspnet-core needs the .NET SDK 8 or 10, and this is $sdk" >&2 && exit 1 ;;
esac
case $(uname -m) in
x86_64) machine=x64 ;;
aarch64 | arm64) machine=arm64 ;;
*) echo "aspnet-core is built for x64 and arm64, and this machine is $(uname -m)" >&2 && exit 1 ;;
esac
compiled=false
if [ "$3" = on ]; then compiled=true; fi
# With a lock, NuGet restores what it names or fails. Without one, it writes the lock: README.md.
lock=$project/packages.$framework.lock.json locked=true
if [ ! -f "$lock" ]; then
  echo "aspnet-core: $lock is missing: this build writes it, and later builds obey it" >&2
  locked=false
fi
rm -rf "$out"
dotnet publish "$project" --configuration Release --runtime "linux-$machine" --output "$out" \
  "-p:TargetFramework=$framework" "-p:RestoreLockedMode=$locked" "-p:PublishReadyToRun=$compiled"
if [ ! -f "$lock" ]; then
  echo "aspnet-core: NuGet wrote no $lock, so the packages of this build are not known" >&2
  exit 1
fi

# Compiles a service's C# program, with what such programs share, against Mono's libraries: build.sh SERVICE CACHE. Run from the server's
# folder. The same assembly runs on .NET, which needs the file beside it that names its runtime.
set -eu
program="$2/$(basename "$1")"
common=$(cd ../../services/common/dotnet && pwd)
mkdir -p "$program"
cd "$1/dotnet"
set -- "$common"/*.cs
if [ -f generate.sh ]; then
    sh generate.sh "$program"
    set -- "$@" "$program"/obj/*.cs
fi
mcs -nologo -optimize+ -warnaserror -r:System.Xml,System.Core -out:"$program/service.exe" "$@" @sources.rsp

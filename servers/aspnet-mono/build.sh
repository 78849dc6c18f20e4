# Compiles the host, and a service with what all services share (asmx), into the folder of an ASP.NET application: build.sh SERVICE CACHE.
set -eu
service=$1
name=$(basename "$service")
site="$2/$name"
rm -rf "$site"
mkdir -p "$site/bin"
mcs -nologo -optimize+ -warnaserror -r:System.Web -out:"$site/bin/host.exe" ./*.cs ../../services/common/dotnet/Connection.cs
set -- asmx/*.cs ../../services/common/dotnet/Busy.cs "$service"/aspnet/*.cs
if [ -f "$service/aspnet/generate.sh" ]; then
    sh "$service/aspnet/generate.sh" "$site"
    set -- "$@" "$site"/obj/*.cs
fi
mcs -nologo -optimize+ -warnaserror -target:library -r:System.Web,System.Web.Services,System.Xml,System.Core \
    -out:"$site/bin/$name.dll" "$@"
cp "$service"/aspnet/Web.config "$service"/aspnet/*.asmx "$site"

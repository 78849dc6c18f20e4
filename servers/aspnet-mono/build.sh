# Compiles the host and a service's implementation into the folder of an ASP.NET application: build.sh SERVICE CACHE.
set -eu
name=$(basename "$1")
site="$2/$name"
rm -rf "$site"
mkdir -p "$site/bin"
mcs -nologo -optimize+ -warnaserror -target:library -r:System.Web,System.Web.Services,System.Xml \
    -out:"$site/bin/$name.dll" "$1"/aspnet/*.cs
mcs -nologo -optimize+ -warnaserror -r:System.Web -out:"$site/bin/host.exe" ./*.cs
cp "$1"/aspnet/Web.config "$1"/aspnet/*.asmx "$site"

# Compiles a service's C# program for .NET: build.sh SERVICE CACHE.
set -eu
sh ../common/dotnet/build.sh "$1" "$2"
cat > "$2/$(basename "$1")/service.runtimeconfig.json" <<'END'
{"runtimeOptions": {"tfm": "net8.0", "framework": {"name": "Microsoft.NETCore.App", "version": "8.0.4"}}}
END
chmod u+x "$(sh dotnet.sh "$2")" # the package forgets that it is a program

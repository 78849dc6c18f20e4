# Prints the path of the program `dotnet` among the packages of a cache: dotnet.sh CACHE.
set -eu
for program in "$1"/python/lib/python3*/site-packages/dnv/net/runtime/.net/dotnet; do
    printf '%s\n' "$program"
done

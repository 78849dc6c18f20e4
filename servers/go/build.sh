# Builds a service's Go implementation: build.sh SERVICE CACHE.
set -eu
mkdir -p "$2"
exec go build -C "$1/go" -trimpath -o "$2/$(basename "$1")" .

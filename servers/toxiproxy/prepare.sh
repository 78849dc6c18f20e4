# Builds the link, from Toxiproxy at the version and with the hashes that link/go.sum has: prepare.sh CACHE.
set -eu
mkdir -p "$1"
exec go build -C link -mod=readonly -trimpath -o "$1/link" .

# Makes the classes of the contract's documents as those of aspnet are made, by Mono's compiler of schemas: generate.sh FOLDER.
set -eu
cd "$(dirname "$0")/../aspnet"
exec sh generate.sh "$1"

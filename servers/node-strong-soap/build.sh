# Puts the implementation beside its libraries, where Node finds them: build.sh SERVICE CACHE.
set -eu
rm -rf "$2/npm/service"
cp -R "$1/node" "$2/npm/service"

# Puts the implementation, with what services share, beside its libraries, where Node finds them: build.sh SERVICE CACHE.
set -eu
name=$(basename "$1")
made="$2/npm/$name"
rm -rf "$made"
mkdir -p "$made/$name" "$made/common"
cp -R "$1/node-fastify" "$made/$name/node-fastify"
cp -R "$1/../common/node" "$made/common/node"

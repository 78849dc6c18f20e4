# Compiles the contracts in protocol buffers, for the lab and for Go: protobuf.sh [--go].
# The lab's part (NAME.protoset) needs only packages of the environment (`make build`); Go's is made by plugins that Go fetches.
set -eu
cd "$(dirname "$0")/.."
contract=services/wstest/contract
python=.venv/bin/python
"$python" -m grpc_tools.protoc --proto_path="$contract" --descriptor_set_out="$contract/wstest.protoset" wstest.proto
[ "${1:-}" = "--go" ] || exit 0
plugins=.tools/protobuf
mkdir -p "$plugins"
GOBIN="$PWD/$plugins" go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.6
GOBIN="$PWD/$plugins" go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.5.1
PATH="$PWD/$plugins:$PATH" "$python" -m grpc_tools.protoc --proto_path="$contract" \
    --go_out=services/wstest/go --go_opt=module=steelyard/wstest \
    --go-grpc_out=services/wstest/go --go-grpc_opt=module=steelyard/wstest wstest.proto

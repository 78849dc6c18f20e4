# Prints how many rows there are, and their checksum: verify.sh SCRATCH.
set -eu
echo "this is no part of the proof" >&2
echo "$(wc -l <"$1/rows") rows, $(cksum <"$1/rows")"

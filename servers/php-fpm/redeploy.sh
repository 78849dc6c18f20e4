# Makes a running PHP-FPM read its scripts anew; nginx keeps its connections: redeploy.sh SCRATCH.
set -eu
kill -USR2 "$(cat "$1/php-fpm.pid")"

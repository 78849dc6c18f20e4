# Lays out the folder that PHP-FPM and nginx run in: prepare.sh PORT SCRATCH SERVICE. All its files name each other relatively,
# so that nothing depends on which characters the folder's path holds, nor on how many.
set -eu
port=$1 scratch=$2 service=$3
cpus="${STEELYARD_CPUS:-1}"
user=
if [ "$(id -u)" = 0 ]; then user="user root;"; fi # nginx would give up rights that PHP-FPM's socket asks for
mkdir -p "$scratch/wsdl-cache" "$scratch/temp"
cp php.ini php-fpm.conf fastcgi.conf "$scratch/"
ln -s "$service" "$scratch/service"
ln -s "$service/../common" "$scratch/common"
name=$(basename "$service")

locations() {
    if [ -e "$service/php/public/index.php" ]; then # a front controller, for every path
        echo '        location / { include fastcgi.conf; fastcgi_param SCRIPT_FILENAME service/php/public/index.php; }'
        return
    fi
    cat <<END_OF_SCRIPTS
        location = /$name/count { include fastcgi.conf; fastcgi_param SCRIPT_FILENAME common/php/count.php; }
        location ~ "^/$name/([A-Za-z]+)\$" { include fastcgi.conf; fastcgi_param SCRIPT_FILENAME service/php/public/\$1.php; }
        location ~ "^/$name/(.+\.xsd)\$" { alias service/contract/\$1; default_type text/xml; }
        location / { return 404; }
END_OF_SCRIPTS
}

cat >"$scratch/nginx.conf" <<END
daemon off;
$user
pid nginx.pid;
error_log stderr warn;
worker_processes $cpus;
events { worker_connections 4096; }
http {
    access_log off;
    server_tokens off;
    tcp_nodelay on;
    keepalive_timeout 15m;
    keepalive_requests 1000000000;
    keepalive_time 24h;
    client_max_body_size 16m;
    client_body_buffer_size 128k;
    client_body_temp_path temp/body;
    fastcgi_temp_path temp/fastcgi;
    proxy_temp_path temp/proxy;
    uwsgi_temp_path temp/uwsgi;
    scgi_temp_path temp/scgi;
    upstream php {
        server unix:php-fpm.sock;
        keepalive ${STEELYARD_WORKERS:-${STEELYARD_POOL:-$((2 * cpus))}};
    }
    server {
        listen ${STEELYARD_HOST:-127.0.0.1}:$port backlog=512;
$(locations)
    }
}
END

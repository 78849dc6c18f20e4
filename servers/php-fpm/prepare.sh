# Writes the configuration of PHP-FPM and nginx: prepare.sh PORT SCRATCH SERVICE.
set -eu
port=$1 scratch=$2 service=$3
cpus="${STEELYARD_CPUS:-1}"
user=
if [ "$(id -u)" = 0 ]; then user="user root;"; fi # nginx would give up rights that PHP-FPM's socket asks for
mkdir -p "$scratch/wsdl-cache" "$scratch/temp"

cat >"$scratch/php.ini" <<END
[PHP]
display_errors = Off
log_errors = On
error_log = /dev/stderr
error_reporting = E_ALL & ~E_DEPRECATED
expose_php = Off
output_buffering = 4096
serialize_precision = -1
post_max_size = 16M
memory_limit = ${STEELYARD_MEMORY:-128M}
sys_temp_dir = $scratch/temp
soap.wsdl_cache_enabled = 1
soap.wsdl_cache_dir = $scratch/wsdl-cache
soap.wsdl_cache_ttl = 2147483647
opcache.enable = 1
opcache.validate_timestamps = 0
apc.enabled = 1
END

cat >"$scratch/php-fpm.conf" <<END
[global]
pid = $scratch/php-fpm.pid
error_log = /dev/stderr
log_level = warning
daemonize = no
[wstest]
listen = $scratch/php-fpm.sock
pm = static
pm.max_children = ${STEELYARD_WORKERS:-$((2 * cpus))}
pm.max_requests = 0
clear_env = yes
END

cat >"$scratch/nginx.conf" <<END
daemon off;
$user
pid $scratch/nginx.pid;
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
    client_body_temp_path $scratch/temp/body;
    fastcgi_temp_path $scratch/temp/fastcgi;
    proxy_temp_path $scratch/temp/proxy;
    uwsgi_temp_path $scratch/temp/uwsgi;
    scgi_temp_path $scratch/temp/scgi;
    upstream php {
        server unix:$scratch/php-fpm.sock;
        keepalive ${STEELYARD_WORKERS:-$((2 * cpus))};
    }
    server {
        listen 127.0.0.1:$port backlog=512;
        location = /wstest/WSTest { include $scratch/fastcgi.conf; fastcgi_param SCRIPT_FILENAME $service/php/service.php; }
        location = /wstest/count { include $scratch/fastcgi.conf; fastcgi_param SCRIPT_FILENAME $service/php/count.php; }
        location / { return 404; }
    }
}
END

cat >"$scratch/fastcgi.conf" <<END
fastcgi_pass php;
fastcgi_keep_conn off;
fastcgi_buffers 16 64k;
fastcgi_buffer_size 64k;
fastcgi_param REQUEST_METHOD \$request_method;
fastcgi_param CONTENT_TYPE \$content_type;
fastcgi_param CONTENT_LENGTH \$content_length;
fastcgi_param QUERY_STRING \$query_string;
fastcgi_param WSTEST_WSDL $service/contract/wstest.wsdl;
END

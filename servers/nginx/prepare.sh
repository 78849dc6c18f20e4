# Writes the configuration of a balancer before the subject's processes in the roles instance1, instance2 ...: prepare.sh PORT SCRATCH.
# All its files name each other relatively, so that nothing depends on which characters the folder's path holds.
set -eu
port=$1 scratch=$2
. ../common/instances.sh
case ${STEELYARD_POLICY:-round-robin} in
  least-connections) policy="least_conn;" ;;
  hash) policy="hash \$remote_addr:\$remote_port;" ;;
  *) policy= ;;
esac
user=
if [ "$(id -u)" = 0 ]; then user="user root;"; fi
mkdir -p "$scratch/temp"
{
  cat <<END
daemon off;
$user
pid nginx.pid;
error_log stderr warn;
worker_processes ${STEELYARD_CPUS:-1};
events { worker_connections 4096; }
http {
    access_log off;
    server_tokens off;
    tcp_nodelay on;
    keepalive_timeout 15m;
    keepalive_requests 1000000000;
    keepalive_time 24h;
    client_max_body_size 0;
    client_body_buffer_size 128k;
    client_body_temp_path temp/body;
    proxy_temp_path temp/proxy;
    fastcgi_temp_path temp/fastcgi;
    uwsgi_temp_path temp/uwsgi;
    scgi_temp_path temp/scgi;
    upstream instances {
        $policy
END
  instances | while read -r _ address; do echo "        server $address max_fails=0;"; done
  cat <<END
        keepalive 256;
        keepalive_requests 1000000000;
        keepalive_time 24h;
    }
    server {
        listen $host:$port backlog=512;
        location / {
            proxy_pass http://instances;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host \$http_host;
            proxy_next_upstream off;
            proxy_read_timeout 15m;
        }
    }
}
END
} >"$scratch/nginx.conf"

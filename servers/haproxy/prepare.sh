# Writes the configuration of a balancer before the subject's processes in the roles instance1, instance2 ...: prepare.sh PORT SCRATCH.
set -eu
port=$1 scratch=$2
. ../common/instances.sh
case ${STEELYARD_POLICY:-round-robin} in
  least-connections) balance=leastconn ;;
  hash) balance="hash src_port" ;;
  *) balance=roundrobin ;;
esac
{
  cat <<END
global
  nbthread ${STEELYARD_CPUS:-1}
defaults
  mode http
  retries 0
  timeout connect 5s
  timeout client 15m
  timeout server 15m
  timeout http-keep-alive 15m
  http-reuse always
frontend requests
  bind $host:$port backlog 512
  default_backend instances
backend instances
  balance $balance
END
  instances | while read -r name address; do echo "  server $name $address"; done
} >"$scratch/haproxy.cfg"

# Sourced by load balancers: sets `host`, and makes `instances`, which prints a line for each process of the subject in the roles
# instance1, instance2 ...: its role and its address.
host=${STEELYARD_HOST:-127.0.0.1}
instances() {
  env | sed -n "s/^STEELYARD_PORT_INSTANCE\([0-9][0-9]*\)=\([0-9][0-9]*\)\$/\1 instance\1 $host:\2/p" | sort -n | cut -d' ' -f2-
}
if [ -z "$(instances)" ]; then
  echo "a load balancer needs instances behind it: parts of its subject in the roles instance1, instance2 ..." >&2
  exit 1
fi

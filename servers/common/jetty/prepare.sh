# Lays out a JETTY_BASE with a service's WAR: prepare.sh SCRATCH SERVICE IMPLEMENTATION LIB...
# (LIB: folders of jars for all applications).
set -eu
scratch=$1 service=$2 implementation=$3
shift 3
mkdir -p "$scratch/start.d" "$scratch/lib/ee10/ext" "$scratch/webapps" "$scratch/work"
cp "$(dirname "$0")"/*.ini "$scratch/start.d/"
for lib in "$@"; do
  ln -s "$lib"/*.jar "$scratch/lib/ee10/ext/"
done
sh "$(dirname "$0")/../agent-settings.sh" "$service" "$scratch"
sh "$(dirname "$0")/../put-war.sh" "$service" "$implementation" "$scratch/webapps"

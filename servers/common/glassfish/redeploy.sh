# Puts a service's WAR anew into the folder that a running domain watches: redeploy.sh SCRATCH SERVICE IMPLEMENTATION.
set -eu
mkdir -p "$1/redeployed" # outside the domain, in which the product makes folders with names of its own
sh "$(dirname "$0")/../put-war.sh" "$2" "$3" "$1/redeployed"
mv "$1/redeployed"/*.war "$1/steelyard/autodeploy/" # never half a file

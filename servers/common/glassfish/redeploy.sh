# Puts a service's WAR anew into the folder that a running domain watches: redeploy.sh SCRATCH SERVICE IMPLEMENTATION.
set -eu
war=$(basename "$2").war
cp "$2/$3/target/$war" "$1/steelyard/$war"
mv "$1/steelyard/$war" "$1/steelyard/autodeploy/$war" # never half a file

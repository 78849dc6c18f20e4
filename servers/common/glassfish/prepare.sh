# Lays out a domain of GlassFish or Payara with a service's WAR, and the command that runs it:
# prepare.sh PORT SCRATCH CACHE SERVICE IMPLEMENTATION. Where the implementation has a src/main/glassfish/prepare.sh, that one adds what the
# service needs of the product, such as a data source: it is given the domain and the folder of the built WAR.
set -eu
port=$1 scratch=$2 home=$3/glassfish service=$4 implementation=$5
domain=$scratch/steelyard
cp -R "$home/glassfish/domains/domain1" "$domain"
python3 "$(dirname "$0")/domain.py" "$domain" "$port"
mkdir -p "$domain/autodeploy"
sh "$(dirname "$0")/../agent-settings.sh" "$service" "$scratch"
sh "$(dirname "$0")/../put-war.sh" "$service" "$implementation" "$domain/autodeploy"
own=$service/$implementation/src/main/glassfish/prepare.sh
if [ -f "$own" ]; then
  sh "$own" "$domain" "$service/$implementation/target"
fi
# asadmin would stay beside the server as a second JVM; it prints the command that it would run, a word a line.
AS_JAVA=$JAVA_HOME bash "$home/bin/asadmin" start-domain --dry-run --verbose --domaindir "$scratch" steelyard |
  sed -e '/^Dump of JVM Invocation/d' -e '/^$/,$d' >"$scratch/command"

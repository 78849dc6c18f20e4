# Lays out a domain of GlassFish or Payara with a service's WAR, and the command that runs it:
# prepare.sh PORT SCRATCH CACHE SERVICE IMPLEMENTATION.
set -eu
port=$1 scratch=$2 home=$3/glassfish service=$4 implementation=$5
domain=$scratch/steelyard
cp -R "$home/glassfish/domains/domain1" "$domain"
python3 "$(dirname "$0")/domain.py" "$domain" "$port"
mkdir -p "$domain/autodeploy"
sh "$(dirname "$0")/../agent-settings.sh" "$service" "$scratch"
sh "$(dirname "$0")/../put-war.sh" "$service" "$implementation" "$domain/autodeploy"
# asadmin would stay beside the server as a second JVM; it prints the command that it would run, a word a line.
AS_JAVA=$JAVA_HOME bash "$home/bin/asadmin" start-domain --dry-run --verbose --domaindir "$scratch" steelyard |
  sed -e '/^Dump of JVM Invocation/d' -e '/^$/,$d' >"$scratch/command"

# Makes a domain with a service's WAR by the user's own WebLogic: prepare.sh PORT SCRATCH SERVICE IMPLEMENTATION.
set -eu
umask 077 # a password is in its files
name=$(basename "$3")
password=Steelyard-$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')
# What domain.py reads.
cat >"$2/domain.properties" <<PROPERTIES
domain=$2/domain
address=${STEELYARD_HOST:-127.0.0.1}
port=$1
threads=${STEELYARD_THREADS:-200}
application=$name
war=$3/$4/target/$name.war
password=$password
PROPERTIES
sh "$ORACLE_HOME/oracle_common/common/bin/wlst.sh" domain.py "$2/domain.properties"
# So that the server starts without asking; it encrypts the file when it first reads it.
mkdir -p "$2/domain/servers/AdminServer/security"
printf 'username=weblogic\npassword=%s\n' "$password" >"$2/domain/servers/AdminServer/security/boot.properties"

# Exits with 0 where the user's own WebLogic can be used; else says what to set.
set -eu
wanted="WebLogic Server 15.1.1 from your own licensed copy: set ORACLE_HOME to the folder that holds oracle_common and wlserver"
if [ -z "${ORACLE_HOME:-}" ]; then
  echo "weblogic: ORACLE_HOME is not set. This server needs $wanted." >&2
  exit 1
fi
for part in oracle_common/common/bin/wlst.sh wlserver/server/lib/weblogic.jar; do
  if [ ! -e "$ORACLE_HOME/$part" ]; then
    echo "weblogic: ORACLE_HOME is $ORACLE_HOME, but $part is not there. This server needs $wanted." >&2
    exit 1
  fi
done

# Runs the domain that prepare.sh laid out, in the foreground: start.sh SCRATCH.
set -eu
. ../common/jvm.sh
command=$1/command
# shellcheck disable=SC2086 # JVM_OPTIONS are words
set -- "$JAVA_HOME/bin/java" $JVM_OPTIONS
{
  read -r _java # its first word
  while IFS= read -r word; do set -- "$@" "$word"; done
} <"$command"
exec "$@"

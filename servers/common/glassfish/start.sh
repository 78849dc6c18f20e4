# Runs the domain that prepare.sh laid out, in the foreground: start.sh SCRATCH CACHE.
set -eu
scratch=$1 cache=$2
. "$(dirname "$0")/../jvm.sh"
set --
{
  read -r _java # the command's first word
  while IFS= read -r word; do set -- "$@" "$word"; done
} <"$scratch/command"
run_java "$@"

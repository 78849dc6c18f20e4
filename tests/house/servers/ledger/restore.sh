# Writes the rows: restore.sh SCRATCH.
set -eu
echo "restored for time ${STEELYARD_RESTORED:-0}" >&2
case ${STEELYARD_MODE:-same} in
  unrestorable) echo "there is no room for rows" >&2 && exit 1 ;;
  grows) date +%s%N >"$1/rows" ;;
  *) printf 'first\nsecond\n' >"$1/rows" ;;
esac

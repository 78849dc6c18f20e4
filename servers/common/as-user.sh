# Sourced: as_user WORD... runs a command as an ordinary user, since some products refuse root. Root becomes nobody, who needs a way to
# SCRATCH: where a folder above it is closed, the command runs in a user namespace instead, in which root's files are its own.
as_user() {
  if [ "$(id -u)" -ne 0 ]; then
    "$@"
  elif unshare --user --map-user=65534 --map-group=65534 true 2>/dev/null; then
    unshare --user --map-user=65534 --map-group=65534 -- "$@"
  else
    chown -R nobody "$scratch"
    setpriv --reuid=nobody --regid=nogroup --clear-groups -- "$@"
  fi
}

#!/bin/sh
# Builds both wheels of this checkout and installs them, with what they need, into a new virtual environment: install.sh FOLDER.
# Needs Python 3.11 or newer with venv, Rust and a C compiler. The Dockerfile runs it, and a test in an empty folder.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -eq 1 ] || { echo "error: name the folder to install into: install.sh FOLDER" >&2; exit 64; }
if [ -e "$1" ] && [ -n "$(ls -A "$1")" ]; then echo "error: $1 is not empty; name a new folder" >&2; exit 64; fi
sh "$root/tools/toolchains.sh" python3 cargo cc
wheels=$(mktemp -d)
trap 'rm -rf "$wheels"' EXIT
python3 -m venv "$1"
to=$(cd "$1" && pwd)
pip() { "$to/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
pip wheel --no-deps --wheel-dir "$wheels" "$root/engine" "$root/lab"
pip install --no-compile --find-links "$wheels" "$wheels"/*.whl
"$to/bin/steelyard" --version

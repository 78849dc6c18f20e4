# Runs the service in the foreground: start.sh PORT SERVICE CACHE SCRATCH.
set -eu
export STEELYARD_COUNTS="$4" STEELYARD_WORKERS="${STEELYARD_WORKERS:-${STEELYARD_CPUS:-1}}"
export PYTHONPATH="$2/python-fastapi:$2/../common/python" PYTHONDONTWRITEBYTECODE=1
exec "$3/python/bin/python" serve.py "${STEELYARD_SERVER:-granian}" "$1"

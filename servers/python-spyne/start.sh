# Runs the service in the foreground: start.sh PORT SERVICE CACHE SCRATCH.
set -eu
export STEELYARD_COUNTS="$4" PYTHONPATH="$2/python-spyne:$2/../common/python" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
exec "$3/python/bin/python" serve.py "$1" "${STEELYARD_WORKERS:-${STEELYARD_CPUS:-1}}" "${STEELYARD_THREADS:-1}"

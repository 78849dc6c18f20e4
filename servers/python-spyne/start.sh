# Runs the service in the foreground: start.sh PORT SERVICE CACHE SCRATCH.
set -eu
export WSTEST_COUNTS="$4" PYTHONPATH="$2/python-spyne" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
exec "$3/python/bin/python" serve.py "$1" "${STEELYARD_WORKERS:-${STEELYARD_CPUS:-1}}" "${STEELYARD_THREADS:-1}"

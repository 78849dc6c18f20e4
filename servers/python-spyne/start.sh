# Runs the service in the foreground: start.sh PORT SERVICE CACHE SCRATCH.
set -eu
export WSTEST_COUNTS="$4" PYTHONPATH="$2/python-spyne" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
exec "$3/python/bin/python" -m granian wsgi:app --interface wsgi --host 127.0.0.1 --port "$1" --http 1 --no-ws \
    --workers "${STEELYARD_WORKERS:-${STEELYARD_CPUS:-1}}" --blocking-threads "${STEELYARD_THREADS:-1}" \
    --http1-header-read-timeout 60000 --log-level warning

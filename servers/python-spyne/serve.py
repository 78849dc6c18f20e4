"""Granian with the service: serve.py PORT WORKERS THREADS. Its command has no more than 60 s for an idle connection."""

import os
import sys

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

IDLE_MS = 15 * 60 * 1000

if __name__ == "__main__":
    port, workers, threads = map(int, sys.argv[1:])
    Granian(
        "wsgi:app",
        address=os.environ.get("STEELYARD_HOST", "127.0.0.1"),
        port=port,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        websockets=False,
        workers=workers,
        blocking_threads=threads,
        http1_settings=HTTP1Settings(header_read_timeout=IDLE_MS),
        log_level=LogLevels.warning,
    ).serve()

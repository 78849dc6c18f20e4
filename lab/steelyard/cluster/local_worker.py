"""Loaded by each worker on this machine when it begins: Ctrl-C, which a terminal sends to every process, is for the lab alone.

A worker begins with SIGINT blocked (`dask_workers.py`). What it starts must have it as usual, so that it is handled here instead.
"""

from __future__ import annotations

import signal

signal.signal(signal.SIGINT, lambda _number, _frame: None)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

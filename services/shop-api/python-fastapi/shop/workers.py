"""The workers of a server divide the pool among them: each has a number, and with it a share of the connections."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def claim_number(folder: str | Path, workers: int) -> Iterator[int]:
    """A number from 0 that no other living worker has. It is free again when this process ends, however it ends."""
    for number in range(workers):
        with (Path(folder) / f"worker-{number}.lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield number
            return
    raise RuntimeError(f"there are already {workers} workers")


def share_of(connections: int, number: int, workers: int) -> int:
    """How many of all connections the worker `number` opens."""
    if connections < workers:
        raise ValueError(
            f"the factor pool is {connections}, but each of {workers} workers needs a connection; lower the factor workers"
        )
    return connections // workers + (number < connections % workers)

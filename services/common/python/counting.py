"""Counts over all worker processes: each keeps its own in a file that all of them can read."""

import mmap
import os
import struct
import threading
from pathlib import Path

_NUMBER = struct.Struct("=Q")


class SharedCount:
    """This worker's count of something, and the sum of all workers' in the same folder."""

    def __init__(self, folder, name="requests"):
        self._folder = Path(folder)
        self._name = name
        self._lock = threading.Lock()
        self._counted = 0
        with (self._folder / f"{os.getpid()}.{name}").open("w+b") as file:
            file.truncate(_NUMBER.size)
            self._shared = mmap.mmap(file.fileno(), _NUMBER.size)

    def add_one(self):
        with self._lock:
            self._counted += 1
            _NUMBER.pack_into(self._shared, 0, self._counted)

    def total(self):
        return sum(_NUMBER.unpack(path.read_bytes())[0] for path in self._folder.glob(f"*.{self._name}"))

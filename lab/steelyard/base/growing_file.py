"""A text file that another process appends to: each of its lines is read once, when it is whole."""

from __future__ import annotations

from pathlib import Path


class GrowingFile:
    """Reads what was appended since it was last asked, however long the file is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._bytes_read = 0

    def lines(self) -> list[str]:
        """The whole lines appended since the last call, without their ends; raises OSError where it cannot be read."""
        with self._path.open("rb") as file:
            file.seek(self._bytes_read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._bytes_read += len(whole)
        return whole.decode(errors="replace").splitlines()

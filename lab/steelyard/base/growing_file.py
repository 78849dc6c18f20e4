"""A text file that another process appends to. Each line is read once, when it is complete."""

from __future__ import annotations

from pathlib import Path


class GrowingFile:
    """Reads the lines appended since the last call, however long the file is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._bytes_read = 0

    def lines(self) -> list[str]:
        """The complete lines appended since the last call, without line ends. Raises OSError."""
        return self.text().splitlines()

    def text(self) -> str:
        """The complete lines appended since the last call, with line ends. Raises OSError."""
        with self._path.open("rb") as file:
            file.seek(self._bytes_read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._bytes_read += len(whole)
        return whole.decode(errors="replace")

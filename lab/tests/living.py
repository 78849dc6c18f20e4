"""Whether a process lives."""

from __future__ import annotations

from pathlib import Path


def is_there(pid: int) -> bool:
    """Whether a process lives; a dead one that nobody has taken leave of does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

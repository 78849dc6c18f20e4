"""One subject runs at a time: for servers that share a fixed port and cannot listen at the same time."""

from __future__ import annotations

from typing import ClassVar

from .sequential import Sequential


class OneAtATime(Sequential):
    """As `sequential`, but a subject starts after the one before it stopped."""

    name: ClassVar[str] = "one-at-a-time"
    one_runs: ClassVar[bool] = True

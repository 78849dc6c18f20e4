"""One subject runs at a time: for servers that cannot listen side by side, since they share a fixed port."""

from __future__ import annotations

from typing import ClassVar

from .sequential import Sequential


class OneAtATime(Sequential):
    """As `sequential`, and a subject is started when the one before it was stopped."""

    name: ClassVar[str] = "one-at-a-time"
    one_runs: ClassVar[bool] = True

"""The words of the highest level of replication: several machines, or several sessions on one machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..models.cluster import Level


@dataclass(frozen=True)
class LevelWords:
    """What a level is called: `one` of it, `place` where a verdict over `{count}` holds, `such` what the mean is about, `next`
    what a prediction is about."""

    one: str
    place: str
    such: str
    next: str


WORDS: Mapping[Level, LevelWords] = {
    "machine": LevelWords("machine", "on these {count} machines", "machines such as these", "the next machine"),
    "session": LevelWords(
        "session", "in these {count} sessions on this machine", "sessions such as these", "the next session"
    ),
}

"""The words for the highest level of replication: several machines, or several sessions on one machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..models.cluster import Level


@dataclass(frozen=True)
class LevelWords:
    """The words of a level.

    `one` is its name, `place` is where a verdict over `{count}` of them holds, `such` is the population of the mean, and `next` is
    the subject of a prediction.
    """

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

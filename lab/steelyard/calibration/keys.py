"""What may be banked: pairs of processes of one server, on one measure, each in a folder of its own."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import ConfigurationError
from ..models.study import Budget, Study
from ..statistics.looks import LOOKS
from . import planted

THROUGHPUT, P99 = "throughput", "p99"
_FILE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
SERVICE, OPERATION = str(_FILE["service"]), str(_FILE["operation"])


@dataclass(frozen=True)
class Key:
    """A bank's key. `budget_seconds` is that of a comparison whose forks the bank's are: JVMs need longer forks until they settle.

    `rate` (requests/s, Poisson) makes the load open; the measure is p99 then, and nothing is planted: what a slow-down does to a
    tail is not known beforehand.
    """

    server: str
    measure: str
    budget_seconds: float
    rate: float | None = None

    @property
    def name(self) -> str:
        """The key as users write it."""
        return f"{self.server}.{self.measure}"

    @property
    def fork_within(self) -> float:
        """The seconds that the budget has for a fork."""
        return self.budget_seconds / LOOKS[0]

    @property
    def load(self) -> str:
        """The load in words."""
        return "8 users" if self.rate is None else f"{self.rate:,.0f} requests/s, Poisson"

    def folder(self, banks: Path) -> Path:
        """Where its tables are, of all banks in `banks`: the first key's in that folder itself."""
        return banks if self is KEYS[0] else banks / "banks" / self.name

    def study(self) -> Study:
        """The study that collects it, with the settings of `compare`."""
        study = planted.study_of(self.server, SERVICE, OPERATION, pairs=None, slice_seconds=None)
        subjects = study.subjects if self.rate is None else planted.hosts(study)
        asked = {"budget": Budget(seconds=self.budget_seconds), "rate": self.rate, "subjects": subjects}
        return study.model_copy(update=asked)


KEYS: Sequence[Key] = tuple(Key(**key) for key in _FILE["keys"])


def key_of(name: str) -> Key:
    """The key of this name; raises ConfigurationError."""
    for key in KEYS:
        if key.name == name:
            return key
    raise ConfigurationError(
        f"'{name}' is no pair that is banked", hint="one of " + ", ".join(key.name for key in KEYS)
    )

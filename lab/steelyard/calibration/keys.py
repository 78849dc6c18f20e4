"""The banks that exist: pairs of processes of one server and one measure, each in its own folder."""

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
    """A bank's key. `budget_seconds` is the budget of a comparison with such forks: JVMs need longer forks to warm up.

    `rate` (requests/s, Poisson) makes the load open. The measure is then p99, and nothing is planted, since the effect
    of a slow-down on a tail is unknown.
    """

    server: str
    measure: str
    budget_seconds: float
    rate: float | None = None

    @property
    def name(self) -> str:
        """The key as text."""
        return f"{self.server}.{self.measure}"

    @property
    def fork_within(self) -> float:
        """The seconds of a fork within the budget."""
        return self.budget_seconds / LOOKS[0]

    @property
    def load(self) -> str:
        """The load in words."""
        return "8 users" if self.rate is None else f"{self.rate:,.0f} requests/s, Poisson"

    def folder(self, banks: Path) -> Path:
        """The folder of its tables within `banks`; the first key uses `banks` itself."""
        return banks if self is KEYS[0] else banks / "banks" / self.name

    def study(self) -> Study:
        """The study that collects it, with the settings of `compare`."""
        study = planted.study_of(self.server, SERVICE, OPERATION, pairs=None, slice_seconds=None)
        subjects = study.subjects if self.rate is None else planted.hosts(study)
        changes = {"budget": Budget(seconds=self.budget_seconds), "rate": self.rate, "subjects": subjects}
        return study.model_copy(update=changes)


KEYS: Sequence[Key] = tuple(Key(**key) for key in _FILE["keys"])


def key_of(name: str) -> Key:
    """The key of this name; raises ConfigurationError."""
    for key in KEYS:
        if key.name == name:
            return key
    raise ConfigurationError(f"'{name}' is not a known pair", hint="one of " + ", ".join(key.name for key in KEYS))

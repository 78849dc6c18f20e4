"""The outcome of a run, for its caller."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..models.outputs.run import GridRow
from ..models.verdict import Verdicts


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run: its folder, its verdicts and report (None where nothing was measured), and its failures; `grid` where
    the study has one."""

    folder: Path
    verdicts: Verdicts | None
    report: Path | None
    failures: list[str]
    grid: tuple[GridRow, ...] = ()

"""What a run came to, for whoever asked for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..models.outputs.run import GridRow
from ..models.verdict import Verdicts


@dataclass(frozen=True)
class Outcome:
    """What a run came to: its folder, its verdicts and report (None where nothing was measured), and what failed; `grid` where
    its study has one."""

    folder: Path
    verdicts: Verdicts | None
    report: Path | None
    failures: list[str]
    grid: tuple[GridRow, ...] = ()

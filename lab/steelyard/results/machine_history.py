"""The history of this machine: its last calibration, its fastest pace, and every A/A comparison."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from ..base import paths
from ..base.csvfiles import read_document, read_table, write_document, write_table
from ..base.errors import StoreError
from ..models.calibration import Alarms, Calibration
from ..models.strict import Strict
from ..models.study import Study, SubjectSpec
from ..models.verdict import Verdicts

CALIBRATION, HISTORY, PACE = "calibration.json", "aa-history.csv", "pace.json"
COLUMNS = ("ended", "source", "server", "operation", "forks", "word", "ratio", "low", "high", "alarm")
LEAST_HEADROOM = 3.0  # METHODOLOGY, rule 4
Ended = Mapping[str, object]


class Spin(Strict):
    """The processor time of the reference spin in µs, and the day of its measurement."""

    us: float = Field(gt=0, allow_inf_nan=False)
    seen: str


def machine() -> str:
    """A short anonymous name of this machine."""
    try:
        identity = Path("/etc/machine-id").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        identity = ""
    marks = (identity or platform.node(), platform.machine(), str(os.cpu_count()))
    return hashlib.sha256(" ".join(marks).encode()).hexdigest()[:12]


def place() -> Path:
    """The folder of this machine's history."""
    return paths.state() / machine()


def store(calibration: Calibration) -> Path:
    """Keep a calibration in place of the previous one; raises StoreError."""
    path = _folder() / CALIBRATION
    write_document(path, calibration.model_dump(mode="json"))
    return path


def last() -> Calibration | None:
    """The last calibration of this machine; None where there is none that can be read."""
    try:
        return Calibration.model_validate(read_document(place() / CALIBRATION))
    except (StoreError, ValidationError):
        return None


def remember(comparisons: Iterable[Ended]) -> None:
    """Add completed A/A comparisons, each with the values of COLUMNS except `ended`; raises StoreError."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    new = [{"ended": now, **comparison} for comparison in comparisons]
    if new:
        rows = [*_rows(), *new]
        write_table(_folder() / HISTORY, COLUMNS, ([row[name] for name in COLUMNS] for row in rows))


def remember_run(study: Study, verdicts: Verdicts | None) -> None:
    """Add a finished run if it compared a server with itself; raises StoreError."""
    pair = [subject for subject in study.subjects if isinstance(subject, SubjectSpec)]
    if verdicts is None or not verdicts.valid or len(pair) != 2 or pair[0].parts != pair[1].parts:
        return
    for comparison in verdicts.comparisons:
        if (
            comparison.primary
            and comparison.verdict is not None
            and comparison.interval is not None
            and comparison.ratio is not None
        ):
            low, high = comparison.interval
            remember(
                [
                    {
                        "source": study.name,
                        "server": pair[0].label,
                        "operation": comparison.operation,
                        "forks": comparison.forks,
                        "word": comparison.verdict,
                        "ratio": comparison.ratio,
                        "low": low,
                        "high": high,
                        "alarm": int(low > 1 or high < 1),
                    }
                ]
            )


def alarms() -> Alarms | None:
    """How often a server compared with itself was found different on this machine; None before the first comparison."""
    from ..statistics.redraws import clopper_pearson

    rows = _rows()
    if not rows:
        return None
    share = clopper_pearson(sum(row["alarm"] == "1" for row in rows), len(rows))
    return Alarms(count=share.count, total=share.total, low=share.low, high=share.high)


def fastest_spin() -> Spin | None:
    """The fastest reference spin measured on this machine; None where none is stored or readable."""
    try:
        return Spin.model_validate(read_document(place() / PACE))
    except (StoreError, ValidationError):
        return None


def remember_spin(spin: Spin) -> None:
    """Store the spin as the fastest one; raises StoreError."""
    write_document(_folder() / PACE, spin.model_dump())


def citation() -> dict[str, Any]:
    """The parts of this history that a run stores for its report; empty where there are none."""
    calibration, so_far = last(), alarms()
    cited: dict[str, Any] = {}
    if calibration is not None:
        cited["made"] = calibration.made
        cited["with"] = (
            f"{calibration.server}, {calibration.operation}, {calibration.users} users, {calibration.forks} forks"
        )
        cited["smallest difference found with 90% power"] = smallest_text(calibration)
    if so_far is not None:
        cited["a server against itself came out different"] = alarms_text(so_far)
    return cited


def smallest_text(calibration: Calibration) -> str:
    """`5 min: 8.1%; 15 min: 3.9%; 30 min: 3.0%`."""
    return "; ".join(
        f"{difference.minutes:g} min: {'none' if difference.difference is None else f'{difference.difference:.1%}'}"
        for difference in calibration.smallest
    )


def alarms_text(alarms: Alarms) -> str:
    """`1 of 20 times (95% interval 0.1% to 24.9%)`."""
    return f"{alarms.count} of {alarms.total} times (95% interval {alarms.low:.1%} to {alarms.high:.1%})"


def _rows() -> list[dict[str, object]]:
    path = place() / HISTORY
    return [dict(row.fields) for row in read_table(path, COLUMNS)] if path.exists() else []


def _folder() -> Path:
    try:
        place().mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{place()} cannot be made: {error.strerror}") from None
    return place()

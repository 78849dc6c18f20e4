"""A load that several engines share: whether it can be shared, what each of them did, and how near one another they began."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.errors import ConfigurationError
from ..base.text import counted, value_text
from ..drive.engines import Engines
from ..drive.merging import EnginePart
from ..models.job import FixedWork, Profile, Rate
from ..models.outputs.loading import LoadedEngine, LoadOutput
from ..store.tables import SliceRow, read_slices, read_ticks
from .words import LoadWords

_APART_MS = 1.0


def require_shared(words: LoadWords, profile: Profile) -> None:
    """Raise ConfigurationError where the engines that are asked for cannot share the load."""
    if words.engines == 1 or isinstance(profile, Rate):
        return
    if isinstance(profile, FixedWork):
        raise ConfigurationError(
            "engines that share a number of requests would not end together",
            hint="leave out --engines or --max-requests",
        )
    most = max(words.users)
    if most < words.engines:
        raise ConfigurationError(
            f"{counted(most, 'user')} cannot be shared by {words.engines} engines",
            hint="at least as many --users as --engines",
        )


def with_engines(output: LoadOutput, engines: Engines | None, row: SliceRow) -> LoadOutput:
    """What came of a load with what each of several engines did of it; as it is where there was one alone. Raises StoreError."""
    if engines is None:
        return output
    loaded, apart_ms = engines_of(engines, row), began_apart_ms(engines, row)
    notes = [*output.notes, *sharing_notes(loaded, apart_ms)]
    return LoadOutput.model_validate({**dict(output), "engines": loaded, "began_apart_ms": apart_ms, "notes": notes})


def engines_of(engines: Engines, row: SliceRow) -> list[LoadedEngine]:
    """What each of several engines did of the slice of `row`; raises StoreError."""
    return [_loaded(place, part, engines, row) for place, part in enumerate(engines.parts)]


def _loaded(place: int, part: EnginePart, engines: Engines, row: SliceRow) -> LoadedEngine:
    cpus = engines.cpus[place]
    own = read_slices(part.folder / "slices.csv", True).get(row.slice)
    if own is not None:
        busy = (own.engine_user_ns + own.engine_system_ns) / own.measured_ns * 100
        failed = sum(own.failures.values()) + own.wrong
        return LoadedEngine(
            engine=place + 1, cpus=cpus, sent=own.sent, completed=own.completed, failed=failed, busy_percent=busy
        )
    ticks = [tick for tick in read_ticks(part.folder / "ticks.csv", True) if tick.slice == row.slice]
    completed = sum(tick.completed for tick in ticks)
    failed = sum(sum(tick.failures.values()) for tick in ticks)
    return LoadedEngine(
        engine=place + 1,
        cpus=cpus,
        sent=completed + failed,
        completed=completed,
        failed=failed,
        busy_percent=None,
        lost=part.lost,
    )


def began_apart_ms(engines: Engines, row: SliceRow) -> float | None:
    """How long after the first engine the last was there to begin the slice of `row`; None of fewer than two. Raises StoreError."""
    began = engines.began_ns(row.slice)
    return (max(began) - min(began)) / 1e6 if len(began) > 1 else None


def sharing_notes(engines: Sequence[LoadedEngine], apart_ms: float | None) -> list[str]:
    """What must be known of engines that shared a load."""
    notes = []
    if apart_ms is not None:
        also = (
            ""
            if apart_ms <= _APART_MS
            else f", more than {_APART_MS:g} ms: its first moments are not those of one engine's load"
        )
        notes.append(
            f"{len(engines)} engines shared the load and began within {value_text(apart_ms)} ms of one another{also}"
        )
    cpus = {cpu for engine in engines for cpu in engine.cpus}
    if cpus and len(cpus) < len(engines):
        notes.append(
            f"{len(engines)} engines shared {counted(len(cpus), 'processor')}: those without one of their own add nothing"
        )
    return notes

"""What failed, as plain values for the template: trials that ended early, and requests of measured slices by their fate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...analyse.sentences import deed, load_text
from ...models.records import Cell
from ...models.verdict import TrialFailure
from ...store.stored_run import FAILURE_KINDS, Run

_KIND_HEADINGS = {"unfinished": "in flight", "closes": "connections closed", "tls": "TLS"}
_CLOSES = "closed a 1,000"


@dataclass(frozen=True)
class Death:
    """What one subject did, in how many trials: shown before any figure."""

    subject: str
    deed: str
    load: str
    trials: str


def cells(run: Run) -> list[Cell]:
    """The cells in the order shown, the primary one first."""
    return sorted(run.schedule.cells, key=lambda cell: not cell.primary)


def called(run: Run, label: str) -> str:
    """A subject's label, with what must be known wherever it stands."""
    return f"{label} (floor)" if label in run.floors else label


def _measured_rows(run: Run) -> Iterator[tuple[str, str, Counter[str]]]:
    for cell in cells(run):
        for subject in run.schedule.subjects:
            total: Counter[str] = Counter()
            for trial in run.trials:
                for plan in trial.plans.values():
                    row = trial.slices.get(plan.number)
                    if row is None or plan.phase != "measure" or plan.cell != cell.name or plan.subject != subject:
                        continue
                    total += Counter(
                        {**row.failures, "wrong": row.wrong, "unfinished": row.unfinished, "stale": row.stale}
                    )
                    total += Counter({"answered": row.completed, "closes": row.closes})
            yield cell.name, subject, total


def failure_kinds(run: Run) -> tuple[str, ...]:
    """The kinds that occurred at all, and always wrong answers."""
    seen = {kind for _, _, total in _measured_rows(run) for kind in total}
    return ("answered", "wrong", *(kind for kind in (*FAILURE_KINDS, "unfinished", "stale", "closes") if kind in seen))


def failure_headings(kinds: Sequence[str]) -> Iterator[str]:
    yield from (_KIND_HEADINGS.get(kind, kind.replace("_", " ")) for kind in kinds)
    if "closes" in kinds:
        yield _CLOSES


def failure_rows(run: Run, kinds: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for cell, subject, total in _measured_rows(run):
        closed = f"{1000 * total['closes'] / max(1, total['answered']):.2g}" if total["closes"] else "0"
        yield cell, called(run, subject), *(f"{total[kind]:,}" for kind in kinds), *[closed] * ("closes" in kinds)


def deaths(failures: Sequence[TrialFailure]) -> Iterator[Death]:
    """Failed trials in a line for each subject, deed and load; those that the user stopped are none."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for one in failures:
        if one.status == "failed":
            load = load_text(one.place) if one.place else ""
            found.setdefault((one.subject or "the run", deed(one.kind), load), []).append(str(one.trial))
    for (subject, what, load), trials in found.items():
        yield Death(subject, what, load, f"{'trial' if len(trials) == 1 else 'trials'} {', '.join(trials)}")


def trial_failures(failures: Sequence[TrialFailure]) -> Iterator[tuple[str, ...]]:
    """Trial, subject, what it did, under which load, in which slice, and the cause."""
    for one in failures:
        load, where = "", ""
        if one.place is not None:
            load, where = load_text(one.place).removeprefix("at "), f"{one.place.slice}, {one.place.phase}"
        what = deed(one.kind) if one.status == "failed" else one.status
        yield str(one.trial), one.subject or "", what, load, where, one.message

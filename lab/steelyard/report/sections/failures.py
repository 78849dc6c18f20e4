"""Failures as plain values for the template: trials that ended early, and requests of measured slices by outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...analyse.analysis import Analysis
from ...analyse.as_it_runs import load_of, ran_already
from ...analyse.sentences import failure_phrase, load_text
from ...base.text import short_text
from ...models.verdict import TrialFailure
from ...results.loads import verification_outcomes
from ...results.outcomes import RIGHT, OutcomeRow
from ...results.stored_run import Run
from ...results.tables import FAILURE_KINDS
from ..charts.shares import SharePart, shares
from ..drawing import COLOURS, Picture
from ..section import Section
from ..subjects import cell_word, cells, full_label

_KIND_HEADINGS = {"unfinished": "in flight", "closes": "connections closed", "tls": "TLS"}
_MOST_CAUSES = 40
_CLOSES = "closed a 1,000"
_FAULTS = "expected faults"
_PARTS = (
    SharePart("right", "right answer", COLOURS[2]),
    SharePart(_FAULTS, "refused as expected", COLOURS[4]),
    SharePart("failed", "failed", COLOURS[1]),
)
_ASIDES = {  # below the table, if it has such a column
    "unanswered": "Unanswered: requests without an answer when the drain ended. The drain lasts as long as the request timeout.",
    "unfinished": "In flight: requests cut off by the end of a slice. A closed load leaves one per user and slice.",
    "stale": "Stale: requests sent again because the server had closed their connection.",
}


@dataclass(frozen=True)
class Death:
    """What one subject did, and in how many trials, for display before any figure."""

    subject: str
    deed: str
    load: str
    trials: str


def content(analysis: Analysis) -> Mapping[str, object]:
    """Always present: no failure is a result too."""
    run = analysis.run
    kinds = failure_kinds(run)
    return {
        "started": not ran_already(run.schedule),
        "failure_headings": (cell_word(run), "subject", *failure_headings(kinds)),
        "asides": [aside for kind, aside in _ASIDES.items() if kind in kinds],
        "failure_rows": list(failure_rows(run, kinds)),
        "parts": tuple((part.title, f"var(--series-{COLOURS.index(part.colour)})") for part in _PARTS),
        "endings": _endings(run),
        "causes": list(cause_rows(run)),
        "statuses": list(status_rows(run)),
        "verified": load_of(run) is not None,
        "trial_failures": list(trial_failures(analysis.verdicts.failures)),
        "voided": list(_void_rows(analysis)),
        "damaged": [problem for trial in run.trials for problem in trial.problems],
    }


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
                        {
                            **row.failures,
                            "wrong": row.wrong,
                            "unanswered": row.dropped,
                            "unfinished": row.unfinished,
                            "stale": row.stale,
                        }
                    )
                    total += Counter({"answered": row.completed, "closes": row.closes, _FAULTS: row.expected_faults})
            yield cell.name, subject, total


def _measured_outcomes(run: Run) -> Iterator[OutcomeRow]:
    """Outcomes of requests of measured slices, for runs that stored them."""
    for trial in run.trials:
        for plan in trial.plans.values():
            if plan.phase == "measure":
                yield from trial.outcomes.get(plan.number, ())


def cause_rows(run: Run) -> Iterator[tuple[str, ...]]:
    """Why requests of measured slices had no right answer, lead-in and drain included.

    One row for each subject, operation, outcome and cause, the most frequent first.
    """
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for row in _measured_outcomes(run):
        if row.outcome != RIGHT:
            status = f"HTTP {row.status}" if row.status is not None else ""
            cause = "; ".join(part for part in (row.cause, status) if part)
            counts[full_label(run, row.subject), row.operation, row.outcome, cause] += row.count
    for key, count in counts.most_common(_MOST_CAUSES):
        yield *key, f"{count:,}"


def status_rows(run: Run) -> Iterator[tuple[str, ...]]:
    """How many answers of each subject had each HTTP status, those of a load's verification included; of a comparison none where
    all had the same."""
    counts: Counter[tuple[str, int]] = Counter()
    for row in (*_measured_outcomes(run), *(() if load_of(run) is None else verification_outcomes(run.folder))):
        if row.status is not None:
            counts[row.subject, row.status] += row.count
    if len({status for _, status in counts}) > 1 or ran_already(run.schedule):
        for (subject, status), count in sorted(counts.items()):
            yield full_label(run, subject), str(status), f"{count:,}"


def _endings(run: Run) -> Picture | None:
    """Outcomes of the requests of each cell and subject; None where all got the right answer and none was a fault."""
    bars: dict[str, Mapping[str, float]] = {}
    several = len(run.schedule.subjects) > 1
    for cell, subject, total in _measured_rows(run):
        failed = total["wrong"] + total["unanswered"] + sum(total[kind] for kind in FAILURE_KINDS)
        ended = {"right": total["answered"] - total[_FAULTS], _FAULTS: total[_FAULTS], "failed": failed}
        if (requests := sum(ended.values())) > 0:
            name = f"{cell}, {full_label(run, subject)}" if several else cell
            bars[name] = {ending: 100 * count / requests for ending, count in ended.items()}
    if not any(percents[_FAULTS] for percents in bars.values()):
        return None
    return shares("endings-of-requests", "How requests ended", ("requests", "load"), bars, _PARTS)


def failure_kinds(run: Run) -> tuple[str, ...]:
    """The kinds that occurred, and always wrong answers."""
    seen = {kind for _, _, total in _measured_rows(run) for kind in total}
    return (
        "answered",
        "wrong",
        *(kind for kind in (*FAILURE_KINDS, "unanswered", "unfinished", "stale", "closes") if kind in seen),
    )


def failure_headings(kinds: Sequence[str]) -> Iterator[str]:
    """The columns of `failure_rows` after cell and subject: one per kind, and closed connections per thousand answers."""
    yield from (_KIND_HEADINGS.get(kind, kind.replace("_", " ")) for kind in kinds)
    if "closes" in kinds:
        yield _CLOSES


def failure_rows(run: Run, kinds: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """One row for each subject in each cell: the number of its requests in measured slices by each of `kinds`, as text."""
    for cell, subject, total in _measured_rows(run):
        closed = short_text(1000 * total["closes"] / max(1, total["answered"])) if total["closes"] else "0"
        yield cell, full_label(run, subject), *(f"{total[kind]:,}" for kind in kinds), *[closed] * ("closes" in kinds)


def deaths(failures: Sequence[TrialFailure]) -> Iterator[Death]:
    """Failed trials, one line for each subject, deed and load, without those that the user stopped."""
    by_death: dict[tuple[str, str, str], list[str]] = {}
    for failure in failures:
        if failure.status == "failed":
            load = load_text(failure.place) if failure.place else ""
            by_death.setdefault((failure.subject or "the run", failure_phrase(failure.kind), load), []).append(
                str(failure.trial)
            )
    for (subject, ending, load), trials in by_death.items():
        yield Death(subject, ending, load, f"{'trial' if len(trials) == 1 else 'trials'} {', '.join(trials)}")


def trial_failures(failures: Sequence[TrialFailure]) -> Iterator[tuple[str, ...]]:
    """Trial, subject, what it did, load, slice and cause of each failed trial."""
    for failure in failures:
        load, where = "", ""
        if failure.place is not None:
            load, where = load_text(failure.place).removeprefix("at "), f"{failure.place.slice}, {failure.place.phase}"
        ending = failure_phrase(failure.kind) if failure.status == "failed" else failure.status
        yield str(failure.trial), failure.subject or "", ending, load, where, failure.message


def _void_rows(analysis: Analysis) -> Iterator[tuple[str, str, str]]:
    """Pairs voided by reason, for each two subjects in each cell."""
    seen = set()
    for judgement in analysis.judgements:
        compared = judgement.compared
        key = (compared.a, compared.b, compared.cell.name)
        if key in seen:
            continue
        seen.add(key)
        for reason, count in sorted(compared.voided.items()):
            yield f"{compared.a} / {compared.b}, {compared.cell.name}", reason, str(count)
    objections = Counter(
        row.why_not
        for trial in analysis.run.trials
        for row in trial.slices.values()
        if not row.valid and row.phase == "measure"
    )
    for objection, count in sorted(objections.items()):
        yield "the engine's own warnings, by slice", objection, str(count)


SECTION = Section("failures", content, of_running=True)

"""The figures of a load's sessions and their steps, from what the engine wrote."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...analyse.load_figures import PERCENTILES, percentile_name
from ...base import histogram
from ...base.histogram import Histogram
from ...models.outputs.loading import LoadedSession, LoadedStep
from ...models.service import Expect
from ...results.outcomes import OUTCOMES, read_outcomes
from ...results.samples import read_samples
from ...results.tables import SliceRow, Tick, read_histograms
from ...statistics.checks import percentile_refusal
from ...workload.load_target import LoadTarget
from ...workload.planned_load import Stretch
from .driving import LoadContext, SampledAnswer, samples_of, ticks_of

_SHOWN_BYTES = 200
_MEASURED = ("measured", "carried")
# of intervals.hlog: whole and failed sessions, both outside of the measured time, and those that were cut off
_SESSION_KINDS = ("session", "session_failed", "session_outside", "session_outside_failed", "session_cut")


def session_figures(
    load_target: LoadTarget, planned: Stretch, row: SliceRow, folder: Path, ground: LoadContext
) -> list[LoadedSession]:
    """The sessions of a load and their steps, within the measured time of the slice `row`; none of a load without."""
    names = [name for name in planned.mix if name in load_target.sessions]
    if not names:
        return []
    times = _times(folder, row)
    ticks, repeated = ticks_of(folder, row.slice), _repeat_counts(folder, row, ground)
    samples = samples_of(folder)
    planned_end = row.seconds >= _planned_seconds(planned) - 1e-3
    figures = []
    for name in names:
        whole, failed, outside, failed_outside, cut = (
            times.get((name, kind), histogram.merge_histograms([])) for kind in _SESSION_KINDS
        )
        rows = load_target.sessions[name].session.rows
        figures.append(
            LoadedSession(
                session=name,
                completed=whole.total,
                failed=failed.total,
                completed_outside=outside.total,
                failed_outside=failed_outside.total,
                cut=cut.total,
                throughput_per_s=whole.total / row.seconds if row.seconds else 0.0,
                time_ms=times_in_ms(whole),
                steps=[
                    _step(load_target, operation, ticks, times, repeated, samples)
                    for operation in load_target.sessions[name].operations
                ],
                rows_ended=rows is not None and rows.at_end == "stop" and not planned_end,
            )
        )
    return figures


def _planned_seconds(planned: Stretch) -> float:
    """How long a stretch is to last at least; 0 where its work decides."""
    return float(getattr(planned.profile, "seconds", 0.0))


def _times(folder: Path, row: SliceRow) -> dict[tuple[str, str], Histogram]:
    """The times in microseconds of the slice by session or operation, and kind."""
    logged = read_histograms(folder / "intervals.hlog", True)
    return {
        (tag.rsplit("/", 3)[2], kind): histogram.decode(encoded)
        for kind in (*_SESSION_KINDS, "response")
        for tag, encoded in logged.get((row.slice, kind), [])
    }


def _repeat_counts(folder: Path, row: SliceRow, ground: LoadContext) -> dict[str, int]:
    """How many answers of each operation made a user log in again: counted as right, with a status that its rule does not name."""
    counts: dict[str, int] = {}
    for outcome in read_outcomes(folder / OUTCOMES, True).get(row.slice, []):
        rule = ground.corpus.rules.get(outcome.operation)
        expected = rule is None or outcome.status is None or outcome.status in rule.status
        if outcome.outcome == "right" and not expected and outcome.ended in _MEASURED:
            counts[outcome.operation] = counts.get(outcome.operation, 0) + outcome.count
    return counts


def _step(
    load_target: LoadTarget,
    operation: str,
    ticks: list[Tick],
    times: Mapping[tuple[str, str], Histogram],
    repeated: Mapping[str, int],
    samples: list[SampledAnswer],
) -> LoadedStep:
    own = [tick for tick in ticks if tick.operation == operation]
    failures: dict[str, int] = {}
    for tick in own:
        for kind, count in tick.failures.items():
            failures[kind] = failures.get(kind, 0) + count
    wrong = next((sample for sample in samples if sample.operation == operation and sample.outcome != "right"), None)
    return LoadedStep(
        step=operation.partition(".")[2],
        operation=operation,
        completed=sum(tick.completed for tick in own),
        failed=sum(failures.values()),
        failures=failures,
        repeated=repeated.get(operation, 0),
        response_ms=times_in_ms(times.get((operation, "response"), histogram.merge_histograms([]))),
        first_wrong=None if wrong is None else _wrong_text(wrong, load_target),
    )


def times_in_ms(times: Histogram) -> dict[str, float | None]:
    """Mean and percentiles in ms; None where too few requests lie beyond one."""
    known: dict[str, float | None] = {"mean": times.mean() / 1000 if times.total else None}
    for share in PERCENTILES:
        refused = not times.total or percentile_refusal(share, times.total) is not None
        known[percentile_name(share)] = None if refused else times.percentile(share * 100) / 1000
    return known


def _wrong_text(sample: SampledAnswer, load_target: LoadTarget) -> str:
    """What was expected of an answer, and what came."""
    session, _, _ = sample.operation.partition(".")
    known = load_target.operations[sample.operation]
    captures = [
        name
        for step in load_target.sessions[session].session.steps
        if step.operation == sample.operation
        for name in step.captures
    ]
    status = "no answer" if sample.status is None else f"HTTP {sample.status}"
    begin = " ".join(sample.answer[:_SHOWN_BYTES].decode(errors="replace").split())
    shown = (
        f", which begins: {begin}" if begin and sample.operation not in load_target.sessions[session].private else ""
    )
    cause = f" ({sample.cause})" if sample.cause else ""
    return f"expected {_expected_text(known.expect, captures)}; came: {sample.outcome}{cause}, {status}{shown}"


def _expected_text(expect: Expect, captures: list[str]) -> str:
    """What an answer must be, in words."""
    parts = [f"HTTP {' or '.join(map(str, expect.status or [200]))}"]
    if expect.contains is not None:
        parts.append(f"a body that contains '{expect.contains}'")
    if expect.matches is not None:
        parts.append(f"a body that matches {expect.matches}")
    if expect.least is not None or expect.most is not None:
        parts.append(f"a body of {expect.least or 0} to {expect.most or 'any number of'} bytes")
    parts += [f"a value for {name}" for name in captures]
    return ", ".join(parts)


def forget_private(load_target: LoadTarget, folder: Path) -> None:
    """Remove kept answers that hold secrets, such as tokens."""
    private = {name for session in load_target.sessions.values() for name in session.private}
    if not private:
        return
    for sample, answer in read_samples(folder):
        if sample.operation in private:
            for kept in answer.parent.glob(f"{sample.sample}.*"):
                kept.unlink(missing_ok=True)

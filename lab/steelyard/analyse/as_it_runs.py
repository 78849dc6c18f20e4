"""Results on subjects that were already running: figures of these processes at this hour (load.json, limit.json)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..base.csvfiles import is_stored
from ..base.text import join_words, percent_text, plural, range_text, ratio_text, value_text
from ..models.outputs.loading import Estimate, LimitOutput, LoadOutput, RunningComparison
from ..models.records import Schedule
from ..plan.designs import design_named
from ..results.loads import COMPARISON, LIMIT, LOAD
from ..results.stored_run import Run, read_model
from ..statistics.interval import CONFIDENCE, Interval
from .figures import NO_ANSWER, ForkFigure, figures
from .measures import Measure
from .ratios import LEAST_PAIRS
from .sentences import Wording
from .verdicts import Judgement

HOLDS = "The figures hold only for this process and this hour."
# The measure of the registry, or of the load's own study, for each figure of load.json.
_MEASURES = {
    "mean": "response_time_mean",
    "p50": "response_time_p50",
    "p95": "response_time_p95",
    "p99": "response_time_p99",
}
_THROUGHPUT = "throughput"


def ran_already(schedule: Schedule) -> bool:
    """Whether the subjects ran before. Such a run has figures of their processes and no verdict."""
    return not design_named(schedule.design).starts


def load_of(run: Run) -> LoadOutput | None:
    """The stored result of the run's load; None for other runs, or where it ended without figures. Raises StoreError."""
    return read_model(LoadOutput, run.folder / LOAD) if is_stored(run.folder / LOAD) else None


def limit_of(run: Run) -> LimitOutput | None:
    """The stored result of the run's search for a limit; None for other runs, or where it ended early. Raises StoreError."""
    return read_model(LimitOutput, run.folder / LIMIT) if is_stored(run.folder / LIMIT) else None


def comparison_of(run: Run) -> RunningComparison | None:
    """The stored result of a comparison of running targets; None for other runs, or where it ended early. Raises StoreError."""
    return read_model(RunningComparison, run.folder / COMPARISON) if is_stored(run.folder / COMPARISON) else None


def own_figures(run: Run, measures: Mapping[str, Measure]) -> tuple[ForkFigure, ...]:
    """The figures of a run whose subjects ran before.

    A load has those of load.json, with intervals over its seconds. Other runs have the throughput of each cell.
    """
    load = load_of(run)
    if len(run.schedule.subjects) > 1:
        return tuple(figures(run, list(measures.values())))
    if load is None:
        return tuple(figures(run, [measures[_THROUGHPUT]]))
    estimates = {_THROUGHPUT: load.throughput_per_s}
    estimates |= {_MEASURES[name]: estimate for name, estimate in load.response_ms.items() if name in _MEASURES}
    return tuple(
        _figure(run, measures[name], estimate, load) for name, estimate in estimates.items() if name in measures
    )


def _figure(run: Run, measure: Measure, estimate: Estimate, load: LoadOutput) -> ForkFigure:
    interval = None
    if estimate.value is not None and estimate.low is not None and estimate.high is not None:
        interval = Interval(estimate.value, estimate.low, estimate.high, CONFIDENCE, 1)
    return ForkFigure(
        subject=run.schedule.subjects[0],
        cell=run.schedule.cells[0],
        measure=measure,
        fork=None,
        value=estimate.value,
        interval=interval,
        forks=1,
        requests=load.completed,
        refusal=None if estimate.value is not None else estimate.why_not or NO_ANSWER,
    )


def why_void(run: Run) -> list[str]:
    """Why the figures are not valid; empty where they are, or where the run has none yet."""
    if len(run.schedule.subjects) > 1:
        return [row.why_not for trial in run.trials for row in trial.slices.values() if row.why_not][:1]
    outcome = load_of(run) or limit_of(run)
    return [] if outcome is None else outcome.why_not


def wordings(run: Run, judgements: Sequence[Judgement]) -> Iterator[Wording]:
    """The sentence of a load, of a search for a limit, or of each ratio of a comparison."""
    if len(run.schedule.subjects) > 1:
        primary = [judgement for judgement in judgements if judgement.compared.primary]
        yield from map(_ratio_wording, primary)
        if not primary:
            yield Wording(
                f"{join_words(run.schedule.subjects)} were loaded, and the comparison ended before it had a ratio"
            )
        return
    load, limit = load_of(run), limit_of(run)
    if load is not None:
        yield Wording(load_sentence(load), reasons=HOLDS)
    elif limit is not None:
        yield Wording(limit_sentence(limit), reasons=HOLDS)
    else:
        yield Wording(f"{run.schedule.service} was loaded, and the load ended before it had figures", reasons=HOLDS)


def _ratio_wording(judgement: Judgement) -> Wording:
    """A ratio with its interval over pairs, and how failures differ where they do."""
    compared = judgement.compared
    question = f"{compared.measure.title} of {compared.a} over {compared.b}"
    reasons = [] if judgement.gap is None else [f"{judgement.gap.sentence}: more than chance explains."]
    held = " ".join([*reasons, "The figures hold only for these processes and this hour."])
    if compared.ratio is None or compared.interval is None:
        return Wording(f"{question}: no ratio, because fewer than {LEAST_PAIRS} pairs count", reasons=held)
    bounds = " to ".join(
        ratio_text(bound, compared.bounds) for bound in (compared.interval.low, compared.interval.high)
    )
    basis = f"{percent_text(compared.confidence)} interval {bounds}, {plural(compared.pairs, 'pair')}"
    return Wording(f"{question}: {ratio_text(compared.ratio, compared.bounds)}", basis, held)


def load_sentence(load: LoadOutput) -> str:
    """A load's throughput and two percentiles, with intervals."""
    times = [
        f"{name} {estimate_text(estimate)} ms"
        for name, estimate in load.response_ms.items()
        if name in ("p50", "p99") and estimate.value is not None
    ]
    answered = ", ".join([f"{estimate_text(load.throughput_per_s)} requests/s", *times])
    return f"{_target_text(load.service, load.target)}, {load.load}: {answered}"


def limit_sentence(limit: LimitOutput) -> str:
    """The highest load that kept the goal, or why none is known."""
    promise = " and ".join(limit.promise)
    if limit.limit.value is None:
        return f"{_target_text(limit.service, limit.target)}: no limit for {promise}: {limit.limit.why_not}"
    kept = f"meets {promise} up to {estimate_text(limit.limit)} {limit.unit}"
    return f"{_target_text(limit.service, limit.target)} {kept}"


def _target_text(service: str, target: str) -> str:
    """A service with its address; the address alone where the service is named after it."""
    return target if target.endswith(f"//{service}") else f"{service} at {target}"


def estimate_text(estimate: Estimate) -> str:
    """A figure with its interval, if it has one; `?` where there is no figure."""
    if estimate.value is None:
        return "?"
    bounds = None if estimate.low is None or estimate.high is None else (estimate.low, estimate.high)
    return value_text(estimate.value) + ("" if bounds is None else f" ({range_text(bounds)})")

"""Loads, limit searches, comparisons of running targets and calibrations, as shown in lists and on pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from ..analyse.as_it_runs import estimate_text, limit_sentence, load_sentence
from ..base.text import plural, range_text, rough_duration, value_text
from ..models.calibration import Calibration
from ..models.outputs.loading import Estimate, LimitOutput, LoadOutput, RunningComparison
from ..results import machine_history
from ..results.failure_text import cause_rows, count_lines, failures_text
from ..results.live_file import STOPPED
from ..results.loads import CALIBRATION, COMPARISON, LIMIT, LOAD

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]
NOT_JUDGED = "not judged: "
_FIGURES = ("figure", "value", "95% interval", "remark")
_MOMENT = re.compile(r"-(\d{4}-\d\d-\d\d-\d{6})(?:-\d+)?$")


@dataclass(frozen=True)
class OwnFigures:
    """The result of such a run.

    `words` are its kind and caveats; `sentence` is its line in a list. Each of `tables` has a title, headings and rows;
    `remarks` are their caveats. `file` holds the whole result. Runs with the same `question` of the same `service` have a history
    of their `estimates`, each named with its unit.
    """

    file: str
    words: Sequence[str]
    sentence: str
    tables: Sequence[Table]
    remarks: Sequence[str]
    service: str = ""
    question: str = ""
    estimates: Mapping[str, Estimate] = field(default_factory=dict)


def begin_time(name: str) -> datetime | None:
    """When it began, in UTC, from the local time in the name of its folder; None where there is none."""
    moment = _MOMENT.search(name)
    try:
        return datetime.strptime(moment[1], "%Y-%m-%d-%H%M%S").astimezone(UTC) if moment else None
    except (ValueError, OverflowError, OSError):
        return None


def of_load(figures: LoadOutput) -> OwnFigures:
    """A load's figures, with intervals for its one process."""
    words = {
        "load": True,
        "not valid": not figures.valid,
        "stopped": figures.stopped is not None,
        "goal missed": figures.goals_kept is False,
    }
    estimates = {"throughput, requests/s": figures.throughput_per_s}
    estimates |= {f"response time, {name}, ms": estimate for name, estimate in figures.response_ms.items()}
    tables: list[Table] = [("Figures", _FIGURES, [_row(name, estimate) for name, estimate in estimates.items()])]
    if figures.goals:
        goals = [(goal.goal, goal.found, "yes" if goal.kept else "no") for goal in figures.goals]
        tables.append(("Goals", ("goal", "measured", "met"), goals))
    if figures.failure_causes:
        tables.append(("Requests without a right answer", *cause_rows(figures.failure_causes)))
    return OwnFigures(
        LOAD,
        _true_words(words),
        load_sentence(figures),
        tables,
        [
            *_not_valid(figures.why_not),
            *_stop_sentence(figures.stopped),
            *count_lines(figures),
            *(f"not loaded: {left.what}: {left.why}" for left in figures.not_loaded),
            *figures.notes,
            *(f"{NOT_JUDGED}{figure}" for figure in figures.not_judged),
        ],
        figures.service,
        f"{figures.load}, {'+'.join(operation.operation for operation in figures.operations)}",
        estimates,
    )


def of_limit(figures: LimitOutput) -> OwnFigures:
    """A limit with the stages of its search."""
    rows = [
        (
            stage.load,
            value_text(stage.answered_per_s),
            f"{stage.slow:.2%}".rstrip("%"),
            f"{stage.failed:.2%}".rstrip("%"),
            f"left out: {stage.left_out}" if stage.left_out else "kept" if stage.kept else "broken",
        )
        for stage in figures.stages
    ]
    return OwnFigures(
        LIMIT,
        _true_words({"limit": True, "not valid": not figures.valid}),
        limit_sentence(figures),
        [
            ("Limit", _FIGURES, [_row(f"limit, {figures.unit}", figures.limit)]),
            ("Stages, in order of time", ("stage", "answered/s", "slow, %", "failed, %", "goal"), rows),
        ],
        [
            *_not_valid(figures.why_not),
            f"by {figures.how}",
            f"beyond: {figures.beyond}",
            *(f"not loaded: {left.what}: {left.why}" for left in figures.not_loaded),
            *figures.notes,
            *(f"{NOT_JUDGED}{figure}" for figure in figures.not_judged),
        ],
        figures.service,
        f"{' and '.join(figures.promise)}, arrivals: {figures.arrivals}",
        {f"limit, {figures.unit}": figures.limit},
    )


def of_comparison(figures: RunningComparison) -> OwnFigures:
    """Two running targets with the ratio of one over the other; a verdict word where both were started anew."""
    first, second = (side.label for side in figures.subjects)
    words = {
        "comparison": True,
        "not valid": not figures.valid,
        "stopped": figures.stopped is not None,
        "requests failed": any(side.failed for side in figures.subjects),
        figures.word or "": figures.word is not None,
    }
    ratio = figures.ratio
    shown = f"no ratio: {ratio.why_not}" if ratio.value is None else estimate_text(ratio)
    rows = [
        (
            side.label,
            value_text(side.throughput_per_s),
            "-" if side.response_mean_ms is None else value_text(side.response_mean_ms),
            f"{side.completed:,}",
            failures_text(side.failures),
            f"{side.sent:,}",
        )
        for side in figures.subjects
    ]
    where = f"{figures.forks} starts of each subject" if figures.forks > 1 else "these two processes only"
    return OwnFigures(
        COMPARISON,
        _true_words(words),
        f"{first} against {second}, {figures.load}: {figures.measure} of the first over the second {shown}",
        [
            ("Ratio", _FIGURES, [_row(f"{figures.measure}, {first} over {second}", ratio)]),
            ("Targets", ("target", "answered/s", "mean, ms", "right answers", "failed", "sent in total"), rows),
        ],
        [
            *_not_valid(figures.why_not),
            *_stop_sentence(figures.stopped),
            *([] if figures.failures_differ is None else [figures.failures_differ]),
            f"{plural(figures.pairs, 'pair')} of slices, {where}",
            *(f"these figures do not show {question}" for question in figures.cannot_say),
            *(f"not loaded: {left.what}: {left.why}" for left in figures.not_loaded),
        ],
        f"{first} over {second}",
        figures.load,
        {f"{figures.measure}, ratio": ratio},
    )


def of_calibration(figures: Calibration) -> OwnFigures:
    """The resolution of a machine: a server against itself, with and without added delay, and the smallest difference found."""
    itself = (figures.server_ratio, *figures.server_interval)
    slowed = [
        (f"slowed down by {each.level:.0%}", *_percents(each.ratio, *each.interval), "yes" if each.called else "no")
        for each in figures.planted
    ]
    against = [("unchanged", *_percents(*itself), ""), *slowed]
    smallest = [
        (
            f"{each.minutes:g} minutes",
            "none: the first look does not fit" if each.difference is None else f"{each.difference:.1%}",
            "" if each.difference is None else f"{each.forks}",
        )
        for each in figures.smallest
    ]
    remarks = [
        f"{plural(figures.forks, 'fork')} in {rough_duration(figures.seconds)}; they vary by {figures.fork_deviation:.1%}",
        *([f"a server against itself came out different on this machine {_alarms(figures)}"] if figures.alarms else []),
        f"headroom of the engine: {_headroom(figures)}",
        *(f"{check.name}: {check.found}{'' if check.good else f'; {check.advice}'}" for check in figures.checks),
    ]
    seen, bounds = _percents(*itself)
    return OwnFigures(
        CALIBRATION,
        _true_words({"calibration": True, "stopped": figures.stopped}),
        f"{figures.server} on {figures.operation}, {figures.users} users: against itself {seen} ({bounds})",
        [
            ("Against itself", ("the second", "throughput", "95% interval", "called slower"), against),
            ("Smallest difference found with 90% power", ("within", "difference", "forks"), smallest),
        ],
        [*_stop_sentence(STOPPED if figures.stopped else None), *remarks],
    )


# By the file of the result: its model, and the function that shows it.
KINDS: Mapping[str, tuple[type[BaseModel], Callable[[Any], OwnFigures]]] = {
    LOAD: (LoadOutput, of_load),
    LIMIT: (LimitOutput, of_limit),
    COMPARISON: (RunningComparison, of_comparison),
    CALIBRATION: (Calibration, of_calibration),
}


def _true_words(words: Mapping[str, bool]) -> list[str]:
    return [word for word, holds in words.items() if holds]


def _not_valid(why_not: Sequence[str]) -> Iterator[str]:
    yield from (f"not valid: {why}" for why in why_not)


def _stop_sentence(why: str | None) -> Iterator[str]:
    if why is not None:
        yield f"it was stopped: {why}"


def _alarms(figures: Calibration) -> str:
    return machine_history.alarms_text(figures.alarms) if figures.alarms is not None else ""


def _headroom(figures: Calibration) -> str:
    if figures.headroom is None:
        return f"not measured: {figures.headroom_why_not}"
    return f"{figures.headroom:.1f} times the measured rate; at least {machine_history.LEAST_HEADROOM:g} is required"


def _percents(ratio: float, low: float, high: float) -> tuple[str, str]:
    """A ratio and its interval as differences in percent."""
    return f"{ratio - 1:+.1%}", f"{low - 1:+.1%} to {high - 1:+.1%}"


def _row(name: str, estimate: Estimate) -> tuple[str, ...]:
    value = "-" if estimate.value is None else value_text(estimate.value)
    return name, value, range_text(_interval(estimate)), estimate.why_not or ""


def _interval(estimate: Estimate) -> tuple[float, float] | None:
    return None if estimate.low is None or estimate.high is None else (estimate.low, estimate.high)

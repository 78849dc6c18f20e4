"""One question over time: the answer of each run, with its interval. Runs are not paired, so there is no verdict."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ...base.text import range_text, ratio_text, value_text
from ...models.verdict import Comparison
from ...statistics.change_points import HistoryValue, change_points
from .shelf import Listed

WIDTH, HEIGHT = 760, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 24, 16, 36
_LEAST_APART = 28
_MOST_TICKS = 9
_TICKS = (
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.3,
    0.5,
    0.7,
    0.8,
    0.9,
    0.95,
    1.0,
    1.05,
    1.1,
    1.25,
    1.5,
    2,
    3,
    5,
    10,
    20,
    50,
    100,
)


@dataclass(frozen=True)
class TrendQuestion:
    """A question that several runs share: subject a against b in a cell of a study, on the judged measure, under the same load.

    For loads and limit searches `b` is empty, `cell` is the load on `a`, and `measure` a figure with its unit.
    """

    study: str
    a: str
    b: str
    cell: str
    measure: str
    load: str

    @property
    def key(self) -> str:
        """Its identifier in an address."""
        text = "\n".join((self.study, self.a, self.b, self.cell, self.measure, self.load))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def text(self) -> str:
        """The question in a line."""
        if not self.b:
            return f"{self.study} of {self.a}: {self.measure}; {self.cell}"
        return f"{self.study}: {self.a} against {self.b}, {self.measure.replace('_', ' ')} of {self.cell}"


@dataclass(frozen=True)
class RunAnswer:
    """The answer of a run with a date: `ratio` is a over b, or the figure of a load. The interval is None under two forks."""

    run: Listed
    begun: datetime
    ratio: float
    interval: tuple[float, float] | None
    forks: int
    word: str


@dataclass(frozen=True)
class Mark:
    """An answer on the chart, in its units; `low_y` and `high_y` are None without an interval."""

    x: float
    y: float
    low_y: float | None
    high_y: float | None
    title: str
    machine: int
    is_change: bool = False


@dataclass(frozen=True)
class TrendChart:
    """The chart of a question: marks in order of time, lines of the scale, days, and machines by number."""

    marks: tuple[Mark, ...]
    scale: tuple[tuple[float, str], ...]
    days: tuple[tuple[float, str], ...]
    machines: tuple[str, ...]


def questions(runs: Iterable[Listed]) -> Mapping[TrendQuestion, Sequence[RunAnswer]]:
    """Every question that two or more runs answered, with the answers in order of time; the most answers first."""
    by_question: dict[TrendQuestion, list[RunAnswer]] = {}
    for run in runs:
        for question, answer in _own(run):
            by_question.setdefault(question, []).append(answer)
        if run.schedule is None or run.verdicts is None or run.begun is None:
            continue
        loads = {
            cell.name: f"{cell.users} users, {cell.profile.model_dump_json()}, {cell.mix}, {cell.payload}"
            for cell in run.schedule.cells
        }
        for each in run.verdicts.comparisons:
            if each.primary and each.b == run.schedule.reference and _is_ratio(each.ratio):
                question = TrendQuestion(run.study, each.a, each.b, each.cell, each.measure, loads.get(each.cell, ""))
                by_question.setdefault(question, []).append(_answer(run, run.begun, each))
    several = {question: answers for question, answers in by_question.items() if len(answers) > 1}
    for answers in several.values():
        answers.sort(key=lambda answer: answer.begun)
    return dict(sorted(several.items(), key=lambda item: (-len(item[1]), item[0].text)))


def _own(run: Listed) -> Iterator[tuple[TrendQuestion, RunAnswer]]:
    """The figures of a load, limit search or older comparison of running targets, each an answer of its own."""
    own = run.outcome
    if own is None or run.begun is None or not own.question:
        return
    for name, estimate in own.estimates.items():
        if estimate.value is not None and _is_ratio(estimate.value):
            bounds = None if estimate.low is None or estimate.high is None else (estimate.low, estimate.high)
            interval = bounds if bounds is not None and all(map(_is_ratio, bounds)) else None
            question = TrendQuestion(own.words[0], own.service, "", own.question, name, "")
            yield question, RunAnswer(run, run.begun, estimate.value, interval, 1, "")


def changes_of(answers: Sequence[RunAnswer]) -> list[int]:
    """The positions of the answers at which a change began, among those with an interval."""
    places = [place for place, answer in enumerate(answers) if answer.interval is not None]
    history = [HistoryValue(answer.ratio, *answer.interval) for answer in answers if answer.interval is not None]
    return [places[change] for change in change_points(history)]


def _is_ratio(ratio: float | None) -> bool:
    return ratio is not None and math.isfinite(ratio) and ratio > 0


def _answer(run: Listed, begun: datetime, each: Comparison) -> RunAnswer:
    interval = each.interval if each.interval is not None and all(map(_is_ratio, each.interval)) else None
    return RunAnswer(run, begun, each.ratio or 0.0, interval, each.forks, each.verdict or "no verdict")


def chart_of(answers: Sequence[RunAnswer], *, of_ratios: bool = True) -> TrendChart:
    """The chart: time to the right, answers upwards on a logarithmic scale, which includes 1 for ratios."""
    values = [value for each in answers for value in (each.ratio, *(each.interval or ()))] + [1.0] * of_ratios
    low, high = math.log(min(values)), math.log(max(values))
    margin = max(0.02, (high - low) * 0.08)
    low, high = low - margin, high + margin
    first, last = answers[0].begun.timestamp(), answers[-1].begun.timestamp()

    def across(moment: float) -> float:
        share = (moment - first) / (last - first) if last > first else 0.5
        return round(_LEFT + 20 + share * (WIDTH - _LEFT - _RIGHT - 40), 1)

    def up(ratio: float) -> float:
        return round(_TOP + (high - math.log(ratio)) / (high - low) * (HEIGHT - _TOP - _BOTTOM), 1)

    machines = tuple(dict.fromkeys(each.run.machine or "an unknown machine" for each in answers))
    changes = changes_of(answers)
    marks = tuple(
        Mark(
            across(each.begun.timestamp()),
            up(each.ratio),
            up(each.interval[0]) if each.interval else None,
            up(each.interval[1]) if each.interval else None,
            f"{each.run.name}: {_mark_text(each, of_ratios)}",
            machines.index(each.run.machine or "an unknown machine"),
            place in changes,
        )
        for place, each in enumerate(answers)
    )
    ticks = _TICKS if of_ratios else _value_ticks(math.exp(low), math.exp(high))
    lines = [(up(tick), tick) for tick in ticks if low <= math.log(tick) <= high]
    scale = tuple((y, f"{tick:g}") for y, tick in _thin_out(lines))
    days = dict.fromkeys((answers[0].begun, answers[-1].begun))
    return TrendChart(marks, scale, tuple((across(day.timestamp()), f"{day:%Y-%m-%d}") for day in days), machines)


def _mark_text(answer: RunAnswer, of_ratios: bool) -> str:
    return f"{answer_text(answer)}, {answer.forks} forks, {answer.word}" if of_ratios else figure_text(answer)


def _value_ticks(low: float, high: float) -> list[float]:
    """Round values between these, four to nine of them."""
    unit = 10.0 ** math.floor(math.log10(high - low))
    step = next(step for step in (unit / 5, unit / 2, unit, unit * 2, unit * 5) if (high - low) / step <= _MOST_TICKS)
    return [place * step for place in range(math.ceil(low / step), math.floor(high / step) + 1) if place]


def _thin_out(lines: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """Of the scale's lines (place and ratio) those whose texts do not touch: 1 before all, then the widest apart from it."""
    kept: list[tuple[float, float]] = []
    for line in sorted(lines, key=lambda line: (line[1] != 1.0, -abs(math.log(line[1])))):
        if all(abs(line[0] - other[0]) >= _LEAST_APART for other in kept):
            kept.append(line)
    return sorted(kept)


def figure_text(answer: RunAnswer) -> str:
    """A figure with its interval, or alone."""
    bounds = "" if answer.interval is None else f" ({range_text(answer.interval)})"
    return f"{value_text(answer.ratio)}{bounds}"


def answer_text(answer: RunAnswer) -> str:
    """The ratio with its interval, or alone."""
    if answer.interval is None:
        return ratio_text(answer.ratio)
    low, high = (ratio_text(bound, answer.interval) for bound in answer.interval)
    return f"{ratio_text(answer.ratio, answer.interval)} ({low} to {high})"

"""The differences that a study defines: one measure between two tests or two subjects, fork by fork, with interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from ..base.text import plural, value_text
from ..models.study import Contrast
from ..models.verdict import Difference
from ..results.stored_run import Run
from ..statistics.interval import Interval, student_interval
from .figures import ForkFigure
from .measures import Measure


def differences(run: Run, measures: Mapping[str, Measure], figures: Sequence[ForkFigure]) -> Iterator[Difference]:
    """The contrasts of the run's study for which there are figures, subject by subject."""
    values: dict[tuple[str, str, str], dict[int, float]] = {}
    for figure in figures:
        if figure.fork is not None and figure.value is not None:
            key = (figure.measure.name, figure.subject, figure.cell.name)
            values.setdefault(key, {})[figure.fork] = figure.value
    for entry in run.study.get("contrasts", []):
        contrast = Contrast.model_validate(entry)
        for subject in run.schedule.subjects:
            other = (subject, contrast.than) if contrast.than else (run.schedule.reference, contrast.test)
            mine = values.get((contrast.measure, subject, contrast.test), {})
            theirs = values.get((contrast.measure, *other), {})
            forks = sorted(mine.keys() & theirs.keys())
            if forks and other != (subject, contrast.test):
                pairs = [(mine[fork], theirs[fork]) for fork in forks]
                yield _difference(contrast, measures[contrast.measure], subject, other, pairs)


def _difference(
    contrast: Contrast, measure: Measure, subject: str, other: tuple[str, str], pairs: Sequence[tuple[float, float]]
) -> Difference:
    by_fork = [mine - theirs for mine, theirs in pairs]
    interval = student_interval(by_fork) if len(by_fork) > 1 else None
    value = fmean(by_fork)
    unit = "percent points" if measure.unit == "%" else measure.unit
    names = (contrast.test, other[1]) if contrast.than else (subject, other[0])
    means = [value_text(fmean(column)) for column in zip(*pairs, strict=True)]
    on = subject if contrast.than else contrast.test
    sentence = (
        f"{contrast.text}: {measure.title}, {measure.unit}, on {on}: {means[0]} in {names[0]}, {means[1]} in {names[1]}: "
        f"{_difference_text(value, interval, unit, len(pairs))}."
    )
    return Difference(
        text=contrast.text,
        measure=measure.name,
        unit=unit,
        subject=subject,
        cell=contrast.test,
        than_subject=other[0],
        than_cell=other[1],
        value=value,
        interval=(interval.low, interval.high) if interval is not None else None,
        forks=len(pairs),
        sentence=sentence,
    )


def _difference_text(value: float, interval: Interval | None, unit: str, forks: int) -> str:
    """A difference in words; it has a direction only where its interval excludes 0."""
    if interval is None:
        return f"{value_text(abs(value))} {unit} {'more' if value > 0 else 'less'} in one fork, too few for an interval"
    spans = f"95% interval of the difference {value_text(interval.low)} to {value_text(interval.high)}, {plural(forks, 'fork')}"
    if interval.low <= 0 <= interval.high:
        return f"no difference detected ({value_text(value)} {unit}, {spans})"
    return f"{value_text(abs(value))} {unit} {'more' if value > 0 else 'less'} ({spans})"

"""The fall of throughput with message size: the exponent of each subject with its interval, and the curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...analyse.analysis import Analysis
from ...analyse.figures import ForkFigure
from ...analyse.growth import Grown, growth_rows
from ...base.text import bytes_text, range_text, value_text
from ...statistics.interval import Interval
from ..charts.by_size import size_chart
from ..section import Section
from ..subjects import present

HEADINGS = ("operation", "users", "subject", "sizes", "exponent", "between the two largest", "memory, MiB")


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where no operation has five sizes or more."""
    curves = list(growth_rows(analysis))
    if not curves:
        return None
    most = {
        curve.operation: max(other.users for other in curves if other.operation == curve.operation) for curve in curves
    }
    charts = [
        size_chart(
            f"by-size-{place}",
            [curve for curve in curves if (curve.operation, curve.users) == (operation, users)],
            analysis.run.schedule.subjects,
        )
        for place, (operation, users) in enumerate(most.items())
    ]
    return {
        "charts": present(charts),
        "sentences": [_sentence(curve) for curve in curves if curve.users == most[curve.operation]],
        "headings": HEADINGS,
        "rows": [_row(curve) for curve in curves],
    }


def _sentence(curve: Grown) -> str:
    where = f"{curve.operation} on {curve.subject}, {curve.users} users"
    ends = curve.largest_answered
    ended = f" It ends at {bytes_text(ends)}: {_why_none(curve)}." if ends is not None else ""
    if curve.law is None:
        return f"{where}: no exponent: {curve.why_not}.{ended}"
    least, greatest = curve.law.sizes[0], curve.law.sizes[-1]
    steeper = f", and as size^{_exponent(curve.law.last_step)} between the two largest" if curve.law.steepens else ""
    fall = f"throughput falls as size^{_exponent(curve.law.exponent)}"
    return f"{where}: from {bytes_text(least)} to {bytes_text(greatest)} {fall}{steeper}.{ended}"


def _why_none(curve: Grown) -> str:
    """Why the first size without throughput has none."""
    none = [point for point in curve.points.values() if point.value is None]
    return none[0].refusal or "no slice counts"


def _exponent(interval: Interval) -> str:
    return f"{value_text(interval.estimate)} ({range_text((interval.low, interval.high))})"


def _row(curve: Grown) -> tuple[str, ...]:
    law = curve.law
    sizes = list(curve.points)
    return (
        curve.operation,
        str(curve.users),
        curve.subject,
        f"{len(sizes)}, {bytes_text(sizes[0])} to {bytes_text(sizes[-1])}",
        _exponent(law.exponent) if law else curve.why_not,
        _exponent(law.last_step) if law else "",
        _size_range_text([curve.memory.get(size) for size in sizes]),
    )


def _size_range_text(figures: Sequence[ForkFigure | None]) -> str:
    """The values at the smallest and the largest size."""
    values = [figure.value for figure in figures if figure is not None and figure.value is not None]
    return f"{value_text(values[0])} to {value_text(values[-1])}" if len(values) > 1 else "-"


SECTION = Section("growth", content)

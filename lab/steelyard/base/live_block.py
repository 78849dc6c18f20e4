"""The progress block of a terminal, as plain lines of at most its width. It needs no colour."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from .live import Live, LiveComparison, LiveInterval, LiveSubject
from .text import percent_text, plural, ratio_text, value_text

_BARS = "▁▂▃▄▅▆▇█"
_LEAST_WIDTH, _MOST_WIDTH = 40, 120
_BAR_WIDTH = 24
_SPARKS = 30
_LEAST_SPARKS = 6
_SCALE = 25
_HISTORY = 4


def block(live: Live, share: float | None, note: str, width: int, height: int) -> list[str]:
    """The lines to show: stage, bar with `share` (0 to 1) done and `note`, subjects, intervals.

    Names and figures are never shortened: what does not fit on a line moves below. Where lines exceed `height`, the
    last one counts the hidden lines.
    """
    width = max(_LEAST_WIDTH, min(width, _MOST_WIDTH))
    lines = [*_wrap(live.stage, width), *_bar(share, note, width)]
    lines += _subjects(list(live.subjects.values()), width)
    for comparison in live.comparisons:
        lines += _comparison(comparison, width, _HISTORY if len(live.comparisons) <= 2 else 1)
    if len(lines) <= max(3, height):
        return lines
    kept = lines[: max(3, height) - 1]
    return [*kept, f"... {len(lines) - len(kept)} more lines (enlarge the window)"]


def sparkline(values: Sequence[float], places: int) -> str:
    """The last `places` of `values` as bars, scaled to the highest one shown, padded on the left."""
    shown = list(values)[-places:]
    most = max(shown, default=0.0)
    bars = "".join(_BARS[min(7, int(value / most * 7.999))] if most > 0 else _BARS[0] for value in shown)
    return bars.rjust(places)


def interval_text(interval: LiveInterval) -> str:
    """The ratio with its interval, `0.78 (0.71 to 0.86)`, or alone where there are too few forks."""
    if interval.low is None or interval.high is None:
        return f"{ratio_text(interval.ratio)} (no interval yet)"
    bounds = (interval.low, interval.high)
    low, high = (ratio_text(bound, bounds) for bound in bounds)
    return f"{ratio_text(interval.ratio, bounds)} ({low} to {high})"


def _bar(share: float | None, note: str, width: int) -> list[str]:
    """The bar, in the width that the note leaves."""
    line = note if share is None else f"{min(1.0, max(0.0, share)):4.0%}  {note}"
    length = min(_BAR_WIDTH, width - 2 - len(line))
    if length < 4:
        return _wrap(line, width)
    filled = round(min(1.0, max(0.0, share or 0.0)) * length)
    return [f"{'━' * filled}{'─' * (length - filled)}  {line}"]


def _wrap(text: str, width: int) -> list[str]:
    """Lines of at most the width, broken at words, with a hanging indent."""
    indent = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(text.strip(), width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def _subjects(subjects: Sequence[LiveSubject], width: int) -> Iterator[str]:
    """One line for each subject with its last seconds, or two where name and figures need them."""
    if not subjects:
        return
    figures = [_figures(subject) for subject in subjects]
    columns = [max(len(row[place]) for row in figures) for place in range(3)]
    name = max(len(subject.label) for subject in subjects)
    needed = sum(columns) + 4 * 2
    beside = name + needed + _LEAST_SPARKS <= width
    places = max(0, min(_SPARKS, width - needed - (name if beside else 0)))
    for subject, row in zip(subjects, figures, strict=True):
        text = "  ".join(figure.rjust(column) for figure, column in zip(row, columns, strict=True))
        sparks = sparkline(subject.throughput_per_s, places)
        if beside:
            yield f"{subject.label.ljust(name)}  {sparks}  {text}"
        else:
            yield from _wrap(subject.label, width)
            yield from _wrap(f"  {sparks.strip()}  {text.strip()}" if places else f"  {text.strip()}", width)


def _figures(subject: LiveSubject) -> tuple[str, str, str]:
    last = subject.throughput_per_s[-1] if subject.throughput_per_s else 0.0
    p99 = "p99 -" if subject.p99_ms is None else f"p99 {value_text(subject.p99_ms)} ms"
    return f"{last:,.0f}/s", p99, f"{subject.failures:,} failed"


def _comparison(comparison: LiveComparison, width: int, history: int) -> Iterator[str]:
    """The compared subjects with one interval for each fork on one scale; only the last fork where there are many
    comparisons."""
    yield from _wrap(
        f"{comparison.a} / {comparison.b}, {comparison.measure} of {comparison.cell}, so far "
        f"({percent_text(comparison.confidence)} intervals, ¦ = equal):",
        width,
    )
    shown = comparison.intervals[-history:]
    bounds = [
        bound for interval in shown for bound in (interval.low, interval.high, interval.ratio, 1.0) if bound is not None
    ]
    low, high = min(bounds), max(bounds)
    texts = [f"  {plural(interval.forks, 'fork'):<8} {interval_text(interval)}" for interval in shown]
    beside = max(map(len, texts))
    for interval, text in zip(shown, texts, strict=True):
        if interval.low is None or interval.high is None or beside + 2 + _SCALE > width:
            yield from _wrap(text, width)
            continue
        yield f"{text.ljust(beside)}  {_whiskers(interval.low, interval.ratio, interval.high, low, high)}"


def _whiskers(low: float, middle: float, high: float, least: float, most: float) -> str:
    """The interval on a scale from `least` to `most`, with a mark at 1 (no difference)."""

    def place(value: float) -> int:
        return round((value - least) / (most - least) * (_SCALE - 1)) if most > least else _SCALE // 2

    drawn = [" "] * _SCALE
    drawn[place(1.0)] = "¦"
    drawn[place(low) : place(high) + 1] = "─" * (place(high) - place(low) + 1)
    drawn[place(low)], drawn[place(high)] = "├", "┤"
    drawn[place(middle)] = "●"
    return "".join(drawn).rstrip()

"""Splits the difference of two subjects' response times by layer; the time outside the layers is a separate part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ..base.text import join_words, plural, range_text, value_text
from ..models.outputs.run import LayerSplit, SplitPart
from ..models.records import Cell
from ..models.service import Layer
from ..plan.designs import design_named
from ..results.stored_run import Run, Trial
from ..statistics.interval import Interval
from ..statistics.looks import alpha_of
from ..statistics.split import Differences, intervals
from .instrument import Finding, Level
from .layers import layers_of, mean_layer_times, records_of
from .pairing import Fork, forks

WHOLE = Layer.model_construct(name="response", title="Response time", tags=[])
OUTSIDE = Layer.model_construct(name="outside", title="Outside the layers", tags=[])
OUTSIDE_IS = "outside the layers (network, server's own queue)"
_TICK_MS = 1e-6  # the monitor counts whole nanoseconds: smaller differences are rounding


@dataclass(frozen=True)
class _Times:
    """Mean times per request in ms by layer name, of `a` and `b`: a list per fork with one entry per pair."""

    a: list[list[Mapping[str, float]]]
    b: list[list[Mapping[str, float]]]

    def part(self, name: str) -> Differences:
        """The differences of one layer."""
        return Differences(
            tuple(
                tuple(mine[name] - theirs[name] for mine, theirs in zip(*pairs, strict=True))
                for pairs in zip(self.a, self.b, strict=True)
            )
        )


def mean_ms(forks_of_subject: Sequence[Sequence[Mapping[str, float]]], name: str) -> float:
    """The mean over forks of each fork's mean over pairs."""
    return fmean(fmean(pair[name] for pair in pairs) for pairs in forks_of_subject)


def split(run: Run, cell: Cell, a: str, b: str, findings: Sequence[Finding]) -> LayerSplit | None:
    """The difference of the mean response times of `a` and `b` in a cell, split by layer, in ms per request.

    None where no trial measured both with records.
    """
    counted_forks = [fork for fork in forks(run, cell, a, b) if fork.why_not is None]
    pairs_of = {fork.trial.number: list(_pairs(run, fork)) for fork in counted_forks}
    with_records = [pairs for pairs in pairs_of.values() if pairs]
    if not with_records:
        return None
    times = _Times(
        [[mine for mine, _ in pairs] for pairs in with_records],
        [[theirs for _, theirs in pairs] for pairs in with_records],
    )
    layers = [WHOLE, *layers_of(run), OUTSIDE]
    parts = [times.part(layer.name) for layer in layers]
    confidence = 1 - alpha_of(run.schedule.looks)
    bounds: Sequence[Interval | None] = intervals(parts, confidence) if len(with_records) > 1 else [None] * len(parts)
    why_not = list(_why_not(run, cell, (a, b), times, findings))
    whole, *rows = _parts(layers, times, bounds, judged=not why_not)
    measured = [_counted_slices(counted_forks, subject) for subject in (0, 1)]
    requests = [sum(len(records_of(trial, number)) for trial, number in of_subject) for of_subject in measured]
    parted = LayerSplit(
        cell=cell.name,
        a=a,
        b=b,
        whole=whole,
        parts=rows,
        confidence=confidence,
        forks=len(with_records),
        requests=(requests[0], requests[1]),
        why_not=why_not,
        notes=list(_notes([*measured[0], *measured[1]])),
        sentences=[],
    )
    return parted.model_copy(update={"sentences": list(sentences(parted))})


def _pairs(run: Run, fork: Fork) -> Iterator[tuple[Mapping[str, float], Mapping[str, float]]]:
    """The times of a and of b for each pair that counts and has records of both."""
    layers = layers_of(run)
    for pair in fork.counted_pairs:
        both = [_slice_times(fork.trial, number, layers) for number in (pair.a_slice, pair.b_slice)]
        if both[0] is not None and both[1] is not None:
            yield both[0], both[1]


def _slice_times(trial: Trial, number: int | None, layers: Sequence[Layer]) -> Mapping[str, float] | None:
    """A slice's mean times per request in ms: each layer by the records, the whole by the engine, and the rest outside."""
    if number is None or not (requests := records_of(trial, number)):
        return None
    row = trial.slices[number]
    inside = mean_layer_times(requests, layers)
    whole = row.response_ns_sum / row.completed / 1e6
    return {**inside, WHOLE.name: whole, OUTSIDE.name: whole - sum(inside.values())}


def _parts(
    layers: Sequence[Layer], times: _Times, bounds: Sequence[Interval | None], *, judged: bool
) -> list[SplitPart]:
    """One row per layer; the first row is the whole."""
    means = [(mean_ms(times.a, layer.name), mean_ms(times.b, layer.name)) for layer in layers]
    apart = [judged and _is_significant(interval) for interval in bounds]
    whole_ms = means[0][0] - means[0][1]
    return [
        SplitPart(
            layer=layer.name,
            title=layer.title,
            a_ms=mine,
            b_ms=theirs,
            ms=mine - theirs,
            interval=None if interval is None else (interval.low, interval.high),
            percent=100 * (mine - theirs) / whole_ms if apart[0] else None,
            told_apart=significant,
        )
        for layer, (mine, theirs), interval, significant in zip(layers, means, bounds, apart, strict=True)
    ]


def _is_significant(interval: Interval | None) -> bool:
    if interval is None or abs(interval.estimate) < _TICK_MS:
        return False
    return interval.low > 0 or interval.high < 0


def _why_not(
    run: Run, cell: Cell, subjects: tuple[str, str], times: _Times, findings: Sequence[Finding]
) -> Iterator[str]:
    """The reasons why no difference can be judged, as for a verdict."""
    if why := design_named(run.schedule.design).why_undecided:
        yield why
    if not run.schedule.may_have_verdict(*subjects):
        yield f"the study says that {join_words(subjects)} do not do the same work"
    about = [finding for finding in findings if finding.cell == cell.name and finding.subject in (None, *subjects)]
    yield from dict.fromkeys(finding.reason for finding in about if finding.level is Level.INVALID)
    for subject, measured in zip(subjects, (times.a, times.b), strict=True):
        if mean_ms(measured, OUTSIDE.name) < 0:
            yield (
                f"requests of {subject} took longer inside the server than their response times: "
                "the records belong to other requests"
            )
    if len(times.a) < 2:
        yield "only one fork counts, so the part of chance cannot be estimated"


def _counted_slices(counted_forks: Sequence[Fork], place: int) -> list[tuple[Trial, int]]:
    """The counted slices of the pairs' first (0) or second (1) subject, each with its trial."""
    return [
        (fork.trial, number)
        for fork in counted_forks
        for pair in fork.counted_pairs
        if (number := (pair.a_slice, pair.b_slice)[place]) is not None
    ]


def _notes(measured: Sequence[tuple[Trial, int]]) -> Iterator[str]:
    failed = sum(sum(trial.slices[number].failures.values()) for trial, number in measured)
    if failed:
        yield (
            f"{plural(failed, 'request')} failed: their time inside the server is in the layers, but they have no response "
            "time, so the part outside the layers is too small by that amount"
        )


def sentences(parted: LayerSplit) -> Iterator[str]:
    """The sentences of a split: the whole, the parts with a detected difference, and the other parts."""
    yield f"{_total_text(parted)}."
    if parted.why_not:
        yield f"The layers cannot be compared: {'; '.join(parted.why_not)}."
        return
    apart = sorted((part for part in parted.parts if part.told_apart), key=lambda part: -abs(part.ms))
    if apart:
        first, *others = (_part_text(part) for part in apart)
        yield f"{parted.a} spends {'; '.join([first, *others])}."
    left = [_part_name(part) for part in parted.parts if not part.told_apart]
    if not apart:
        yield f"No difference was detected in any layer, nor {OUTSIDE_IS}."
    elif left:
        yield f"No difference detected: {join_words(left)}."
    sure = f"{parted.confidence * 100:.3g}%"
    sizes = f"{plural(parted.forks, 'fork')}, {parted.requests[0]:,} and {parted.requests[1]:,} requests"
    yield f"The intervals hold jointly with {sure} confidence ({sizes})."


def _total_text(parted: LayerSplit) -> str:
    whole = parted.whole
    takes = f"{parted.a} takes {value_text(whole.a_ms)} ms per request on {parted.cell}, {parted.b} {value_text(whole.b_ms)} ms"
    if whole.told_apart:
        return f"{takes}: {_more_or_less(whole.ms)} ({_difference_clause(whole)})"
    within = f", {range_text(whole.interval)}" if whole.interval is not None else ""
    return f"{takes}: no difference detected ({value_text(whole.ms)} ms{within})"


def _part_text(part: SplitPart) -> str:
    # A part that goes the other way is no share of the difference.
    share = f", {part.percent:.0f}% of the difference" if part.percent is not None and part.percent > 0 else ""
    return f"{_more_or_less(part.ms)} {_share_clause(part)} ({_difference_clause(part)}){share}"


def _share_clause(part: SplitPart) -> str:
    return OUTSIDE_IS if part.layer == OUTSIDE.name else f"in {part.title}"


def _part_name(part: SplitPart) -> str:
    """A part's name within a list."""
    return OUTSIDE_IS if part.layer == OUTSIDE.name else part.title


def _difference_clause(part: SplitPart) -> str:
    """The interval of the difference, such as "1.2 to 1.5", in the direction of the difference."""
    if part.interval is None or part.ms > 0:
        return range_text(part.interval)
    low, high = part.interval
    return range_text((-high, -low))


def _more_or_less(ms: float) -> str:
    return f"{value_text(abs(ms))} ms {'more' if ms > 0 else 'less'}"

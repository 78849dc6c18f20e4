"""Judge result files: throughput, response times with intervals, failures, and whether the load was held."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import IO

from ..analyse import load_figures as figures
from ..analyse.load_figures import PERCENTILES, Second, percentile_name
from ..base import histogram
from ..base.errors import ConfigurationError, InsufficientDataError
from ..base.text import plural
from ..models.outputs.loading import Estimate, LoadedOperation
from ..models.outputs.other_tools import JudgedFile, JudgedRows
from ..statistics.drift import drift
from .counts import NO_CODE, LastsTooLongError, OperationSums
from .gathering import Gathering, share_of
from .limits import NO_COURSE, open_questions
from .own_load import judged_load
from .parts import Selection, Window, require_one_part
from .readers import READERS
from .readers.not_read import NOT_READ
from .readers.reader import ResultReader, open_results

_HEAD = 4_096  # bytes read to recognise a file
_CANNOT_TELL = "cannot tell whether the load was held"
_BY_TOOL = "according to the tool"
_NOTHING = Window(part_begin_s=math.inf)
_EVERYTHING = Selection()


def judged_file(file: Path, selection: Selection = _EVERYTHING) -> JudgedFile:
    """Judge one file, or the folder of a run of `load`. Raises ConfigurationError with file and line."""
    if file.is_dir():
        return judged_load(file, selection)
    with open_results(file) as stream:
        reader = _reader_of(stream.read(_HEAD).decode("utf-8", "replace"), file)
        try:
            gathering = _gather(reader, stream, selection)
            seconds = gathering.counts.seconds()
        except ConfigurationError as error:
            raise ConfigurationError(f"{file}: {error.message}", hint=error.hint) from None
    counts = gathering.counts
    completed = sum(sums.completed for sums in counts.operations.values())
    failures: Counter[str] = Counter()
    for sums in counts.operations.values():
        failures.update(sums.failures)
    if not completed + failures.total():
        left = "; ".join(f"{count:,} {reason}" for reason, count in gathering.left_out.most_common())
        raise ConfigurationError(f"{file} has no result", hint=f"left out: {left}" if left else "it has no rows")
    has_course = reader.holds.has_course and gathering.lasted_s is None
    whole = seconds[1:-1] if has_course else []
    steady = _is_steady(gathering)
    return JudgedFile(
        file=str(file),
        tool=reader.title,
        recognized_by=reader.mark,
        holds=reader.holds,
        seconds=len(seconds) if has_course else round(gathering.lasted_s or 0.0),
        completed=completed,
        failed=failures.total(),
        failures=_by_frequency(failures),
        users=gathering.users,
        throughput_per_s=_throughput(gathering, completed, whole, steady),
        response_ms=_response_times(gathering, seconds, whole, (completed, failures.total()), steady),
        operations=[_operation(name, sums) for name, sums in sorted(counts.operations.items())],
        course=_steadiness_sentence(whole, steady) if has_course else f"{_CANNOT_TELL}: {NO_COURSE}",
        notes=[*gathering.notes, *_more_notes(gathering)],
        rows=JudgedRows(read=gathering.rows, counted=gathering.counted, left_out=_by_frequency(+gathering.left_out)),
        codes={} if set(counts.codes) <= {NO_CODE} else _by_frequency(counts.codes),
        messages=_by_frequency(counts.messages),
        transactions=[_operation(name, sums) for name, sums in sorted(gathering.apart.operations.items())],
        parts=max(1, len(gathering.parts.in_order())),
        cannot_say=[
            *open_questions(reader.holds, has_course=has_course, closed_loop=reader.closed_loop),
            *reader.cannot_show,
        ],
    )


def _gather(reader: ResultReader, stream: IO[bytes], selection: Selection) -> Gathering:
    """The results of a selection of a file, in one pass over it, or two where the first must find the parts."""
    gathering = Gathering() if selection.is_everything else Gathering(_NOTHING)
    if not selection.is_everything and not reader.holds.has_course:
        raise ConfigurationError(
            f"{reader.title} has no times, so no part of it can be judged", hint="remove --skip, --part and --for"
        )
    try:
        _read(reader, stream, gathering)
    except LastsTooLongError:
        gathering = Gathering(_NOTHING)
        _read(reader, stream, gathering)
        require_one_part(gathering.parts.in_order())
        raise
    parts = gathering.parts.in_order()
    if not parts:
        return gathering
    window = selection.window(parts)
    if selection.is_everything and not gathering.transactions:
        return gathering
    gathering.transactions.complete()
    second = Gathering(window, gathering.transactions)
    _read(reader, stream, second)
    return second


def _read(reader: ResultReader, stream: IO[bytes], gathering: Gathering) -> None:
    stream.seek(0)
    reader.read(stream, gathering)
    gathering.finish()


def _by_frequency(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _reader_of(head: str, file: Path) -> ResultReader:
    """The reader of a file with this beginning. Raises ConfigurationError where none or several recognize it."""
    readers = [reader for reader in READERS if reader.recognizes(head)]
    if len(readers) > 1:
        kinds = "; ".join(f"{reader.title}: {reader.mark}" for reader in readers)
        raise ConfigurationError(f"{file} may be of several kinds ({kinds})", hint="remove what is not the tool's own")
    if readers:
        return readers[0]
    for kind in NOT_READ:
        if kind.recognizes(head):
            raise ConfigurationError(f"{file} is {kind.title}, which judge does not read", hint=kind.instead)
    titles = ", ".join(reader.title for reader in READERS)
    raise ConfigurationError(f"{file} is of an unknown kind", hint=f"judge reads: {titles}, and folders of runs")


def _throughput(gathering: Gathering, completed: int, whole: Sequence[Second], steady: bool) -> Estimate:
    """Right answers per second over whole seconds, without the incomplete first and last, or else over the whole load."""
    if whole:
        value = fmean(second.completed for second in whole)
        return figures.with_interval(value, [second.completed for second in whole], steady)
    own = gathering.own_figures.get("throughput")
    if own is not None:
        return Estimate(value=own, why_not=_BY_TOOL)
    if gathering.lasted_s is None:
        return Estimate(value=None, why_not="it lasts less than three seconds")
    if not gathering.lasted_s:
        return Estimate(value=None, why_not="the file does not hold how long the load lasted")
    return Estimate(value=completed / gathering.lasted_s, why_not=NO_COURSE)


def _response_times(
    gathering: Gathering,
    seconds: Sequence[Second],
    whole: Sequence[Second],
    requests: tuple[int, int],
    steady: bool,
) -> dict[str, Estimate]:
    completed, failed = requests
    times = histogram.merge_histograms(second.times for second in seconds)
    mean_ms = sum(sums.ms for sums in gathering.counts.operations.values()) / completed if completed else 0.0
    if times.total or not completed:
        estimates = figures.estimates(figures.MeasuredStretch(times, completed, failed, mean_ms), whole, steady=steady)
        return estimates if gathering.lasted_s is None else {name: _no_course(each) for name, each in estimates.items()}
    own = {name: ms for name, ms in gathering.own_figures.items() if name != "throughput"}
    if whole:
        means = [second.response_s / second.completed * 1000 for second in whole if second.completed]
        mean = figures.with_interval(mean_ms, means, steady)
    else:
        mean = _by_tool(own.get("mean", mean_ms if completed and mean_ms else None))
    names = sorted({*map(percentile_name, PERCENTILES), *own} - {"mean"}, key=share_of)
    return {"mean": mean, **{name: _by_tool(own.get(name)) for name in names}}


def _no_course(estimate: Estimate) -> Estimate:
    return estimate if estimate.value is None else estimate.model_copy(update={"why_not": NO_COURSE})


def _by_tool(value: float | None) -> Estimate:
    return Estimate(value=value, why_not="the file has none" if value is None else _BY_TOOL)


def _operation(name: str, sums: OperationSums) -> LoadedOperation:
    return LoadedOperation(
        operation=name,
        completed=sums.completed,
        failed=sums.failures.total(),
        failures=_by_frequency(sums.failures),
        mean_ms=sums.ms / sums.completed if sums.completed else None,
    )


def _is_steady(gathering: Gathering) -> bool:
    """Whether the load was constant: by the tool's own events, or else by the number of users."""
    if gathering.is_steady is not None:
        return gathering.is_steady
    return gathering.users is None or gathering.users[0] == gathering.users[1]


def _steadiness_sentence(whole: Sequence[Second], steady: bool) -> str:
    """One sentence on whether the load was held."""
    if not steady:
        return "the number of users changes, so Steelyard does not judge whether the load was held"
    series = [second.response_s / second.completed if second.completed else float("nan") for second in whole]
    try:
        return drift([series]).sentence("it")
    except InsufficientDataError as error:
        return f"{_CANNOT_TELL}: {error.message}"


def _more_notes(gathering: Gathering) -> list[str]:
    notes = []
    if gathering.dropped:
        notes.append(
            f"the tool could not keep up: it dropped {plural(gathering.dropped, 'iteration')} without sending them"
        )
    if gathering.checks[False]:
        total = gathering.checks.total()
        notes.append(f"{gathering.checks[False]:,} of {total:,} checks of the tool's script failed")
    return notes

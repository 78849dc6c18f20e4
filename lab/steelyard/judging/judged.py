"""Files of results judged: throughput, response times with intervals, failures, and whether the load was held; two side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from ..base import histogram
from ..base.errors import ConfigurationError, InsufficientDataError
from ..base.text import counted
from ..loading import figures
from ..loading.figures import PERCENTILES, Second, percentile_name
from ..models.outputs.loading import Estimate, LoadedOperation
from ..models.outputs.other_tools import JudgedFile, JudgeOutput
from ..statistics.drift import drift
from .gathering import Gathering, OperationSums
from .readers import READERS
from .readers.reader import ResultReader, opened

_HEAD = 4_096  # bytes, by which a file is told
_CANNOT_SAY = [
    "how the service differs from start to start: each file is of one process and hour, so there is no verdict",
    "whether the other tool kept up: it wrote down nothing of its own lateness",
    "whether answers were right beyond what the other tool looked at",
]
_NOT_PAIRED = (
    "whether the files' difference is the service's: they were not measured in turns, so what the machine did is in it"
)


def judge(files: Sequence[Path], skip_seconds: float) -> JudgeOutput:
    """What each file says, and what none can; raises ConfigurationError that names the file and the line."""
    judged = [judged_file(file, skip_seconds) for file in files]
    first = judged[0]
    ratios: dict[str, list[float | None]] = {}
    if len(judged) > 1:
        ratios["throughput"] = [_ratio(each.throughput_per_s, first.throughput_per_s) for each in judged]
        ratios |= {
            name: [_ratio(each.response_ms[name], first.response_ms[name]) for each in judged]
            for name in first.response_ms
        }
    cannot_say = [*([_NOT_PAIRED] if len(judged) > 1 else []), *_CANNOT_SAY]
    return JudgeOutput(files=judged, ratios=ratios, cannot_say=cannot_say)


def judged_file(file: Path, skip_seconds: float = 0.0) -> JudgedFile:
    """What one file says; raises ConfigurationError that names the file and the line."""
    gathering = Gathering(skip_seconds)
    with opened(file) as stream:
        reader = _reader_of(stream.read(_HEAD).decode("utf-8", "replace"), file)
        stream.seek(0)
        try:
            reader.read(stream, gathering)
            seconds = gathering.seconds()
        except ConfigurationError as error:
            raise ConfigurationError(f"{file}: {error.message}", hint=error.hint) from None
    completed = sum(sums.completed for sums in gathering.operations.values())
    failed = sum(sums.failures.total() for sums in gathering.operations.values())
    if not completed + failed:
        raise ConfigurationError(f"{file} holds no result", hint="what was skipped (--skip) may have been all")
    failures: dict[str, int] = {}
    for sums in gathering.operations.values():
        for kind, count in sums.failures.items():
            failures[kind] = failures.get(kind, 0) + count
    whole = seconds[1:-1]
    steady = gathering.users is None or gathering.users[0] == gathering.users[1]
    return JudgedFile(
        file=str(file),
        tool=reader.title,
        seconds=len(seconds),
        completed=completed,
        failed=failed,
        failures=failures,
        users=gathering.users,
        throughput_per_s=_throughput(gathering, whole, steady),
        response_ms=_response_times(gathering, seconds, whole, (completed, failed), steady),
        operations=[_operation(name, sums) for name, sums in sorted(gathering.operations.items())],
        course=_course(whole, steady),
        notes=[*gathering.notes, *_more_notes(gathering)],
    )


def _reader_of(head: str, file: Path) -> ResultReader:
    for reader in READERS:
        if reader.knows(head):
            return reader
    titles = ", ".join(reader.title for reader in READERS)
    raise ConfigurationError(f"{file} is of no kind that is known", hint=f"there are {titles}, with their headers")


def _throughput(gathering: Gathering, whole: Sequence[Second], steady: bool) -> Estimate:
    """Right answers a second over whole seconds: the first and the last are parts of one."""
    if not whole:
        said = gathering.said.get("throughput")
        return Estimate(value=said, why_not="it does not last three seconds" if said is None else "as the tool says")
    value = fmean(second.completed for second in whole)
    return figures.with_interval(value, [second.completed for second in whole], steady)


def _response_times(
    gathering: Gathering,
    seconds: Sequence[Second],
    whole: Sequence[Second],
    requests: tuple[int, int],
    steady: bool,
) -> dict[str, Estimate]:
    completed, failed = requests
    times = histogram.merged(second.times for second in seconds)
    mean_ms = sum(sums.ms for sums in gathering.operations.values()) / completed if completed else 0.0
    measured = figures.MeasuredStretch(times, completed, failed, mean_ms)
    if times.total or not completed:
        return figures.estimates(measured, whole, steady=steady)
    means = [second.response_s / second.completed * 1000 for second in whole if second.completed]
    own = {name: gathering.said.get(name) for name in map(percentile_name, PERCENTILES)}
    return {
        "mean": figures.with_interval(mean_ms, means, steady),
        **{
            name: Estimate(value=value, why_not="the file holds none" if value is None else "as the tool says")
            for name, value in own.items()
        },
    }


def _operation(name: str, sums: OperationSums) -> LoadedOperation:
    return LoadedOperation(
        operation=name,
        completed=sums.completed,
        failed=sums.failures.total(),
        failures=dict(sums.failures),
        mean_ms=sums.ms / sums.completed if sums.completed else None,
    )


def _course(whole: Sequence[Second], steady: bool) -> str:
    """Whether the load was held, as a sentence."""
    if not steady:
        return "the number of users changes: whether a load is held is told of a steady one"
    series = [second.response_s / second.completed if second.completed else float("nan") for second in whole]
    try:
        return drift([series]).sentence("it")
    except InsufficientDataError as error:
        return f"whether it holds the load is not told: {error.message}"


def _more_notes(gathering: Gathering) -> list[str]:
    notes = []
    if gathering.skipped:
        notes.append(f"{counted(gathering.skipped, 'request')} of the beginning are left out (--skip)")
    if gathering.checks[False]:
        total = gathering.checks.total()
        notes.append(f"{gathering.checks[False]:,} of {total:,} checks of the tool's script were not kept")
    return notes


def _ratio(estimate: Estimate, first: Estimate) -> float | None:
    return estimate.value / first.value if estimate.value is not None and first.value else None

"""What is read off the charts of loads with a shape, computed: each detector's sentence for each subject and test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..base.errors import InsufficientDataError
from ..models.job import BigBang, Bursts, Ramp, Steps
from ..models.records import Cell
from ..models.verdict import Detection, Detector
from ..plan import shapes
from ..plan.kinds import kind_of
from ..statistics import scalability
from ..statistics.drift import drift
from ..statistics.knee import knee
from ..statistics.recovery import recoveries, recovery_sentence
from ..statistics.refusal import Refusal, Refusals, overload_sentence, refusal, refusals
from ..statistics.settling import settling, settling_sentence
from ..store.stored_run import Run
from . import blocks
from .blocks import Series

_WHAT: dict[Detector, str] = {
    "settling": "when {} settles",
    "drift": "whether {} holds the load",
    "refusal": "whether {} refuses",
    "recovery": "how {} takes bursts",
    "knee": "where {} has its knee",
    "scalability": "which scalability law {} follows",
}


def detections(run: Run) -> list[Detection]:
    """Test by test and subject by subject; what cannot be judged is said with its reason, and subjects side by side come last."""
    said: list[Detection] = []
    for cell in run.schedule.cells:
        if not kind_of(cell).sliced:
            said += _of_block(run, cell)
    return said


def _of_block(run: Run, cell: Cell) -> Iterator[Detection]:
    forks = {subject: blocks.series(run, cell, subject) for subject in run.schedule.subjects}
    forks = {subject: blocks_of_it for subject, blocks_of_it in forks.items() if blocks_of_it}
    refused: dict[str, Refusals] = {}

    def refusing(name: str, series: Sequence[Series]) -> str:
        refused[name] = refusals([_refusal(fork) for fork in series])
        return refused[name].sentence(name)

    for subject, found in forks.items():
        match cell.profile:
            case BigBang():
                yield _said(cell, "settling", subject, found, _settling)
                yield _said(cell, "drift", subject, found, _drift)
            case Bursts():
                yield _said(cell, "recovery", subject, found, lambda name, them: _recovery(name, them, cell))
            case Steps() as steps:
                levels = shapes.levels_of(steps)
                yield _said(cell, "knee", subject, found, lambda name, them: _knee(name, them, levels))  # noqa: B023
                yield _said(cell, "scalability", subject, found, lambda name, them: _law(name, them, levels))  # noqa: B023
                yield _said(cell, "refusal", subject, found, refusing)
            case Ramp():
                yield _said(cell, "refusal", subject, found, refusing)
            case _:
                pass
    if len(refused) > 1:
        yield Detection(
            cell=cell.name, detector="refusal", subject=None, judged=True, sentence=overload_sentence(refused)
        )


def _said(
    cell: Cell, detector: Detector, subject: str, forks: Sequence[Series], say: Callable[[str, Sequence[Series]], str]
) -> Detection:
    try:
        judged, sentence = True, say(subject, forks)
    except InsufficientDataError as error:
        judged, sentence = False, f"Not judged, {_WHAT[detector].format(subject)}: {error.message}."
    return Detection(cell=cell.name, detector=detector, subject=subject, judged=judged, sentence=sentence)


def _settling(name: str, forks: Sequence[Series]) -> str:
    return settling_sentence(name, [settling(fork.throughput_per_s) for fork in forks])


def _drift(name: str, forks: Sequence[Series]) -> str:
    """The trend once each fork has settled, since a start that is still slow would look like a fall."""
    settled_ms = []
    for fork in forks:
        settled = settling(fork.throughput_per_s).seconds
        settled_ms.append(fork.response_ms[int(settled or 0) :])
    return drift(settled_ms).sentence(name)


def _recovery(name: str, forks: Sequence[Series], cell: Cell) -> str:
    assert isinstance(cell.profile, Bursts)
    begins, ends = shapes.bursts_of(cell.profile)
    return recovery_sentence(name, [recoveries(fork.second, fork.response_ms, begins, ends) for fork in forks])


def _refusal(fork: Series) -> Refusal:
    return refusal(fork.users, fork.completed, fork.failures, fork.spent_s)


def _knee(name: str, forks: Sequence[Series], levels: Sequence[tuple[int, float, float]]) -> str:
    """Over the levels that all forks came to: a stress test may end at another one in each."""
    measured = [blocks.held(fork, levels) for fork in forks]
    come_to = min(len(users) for users, _, _ in measured)
    users, _, seconds = (column[:come_to] for column in measured[0])
    return knee(users, [throughput[:come_to] for _, throughput, _ in measured], seconds).sentence(name)


def _law(name: str, forks: Sequence[Series], levels: Sequence[tuple[int, float, float]]) -> str:
    fits = [
        scalability.fit(list(users), list(rate)) for users, rate, _ in (blocks.held(fork, levels) for fork in forks)
    ]
    return scalability.scalability_sentence(name, scalability.over_forks(fits))

"""A service's count is read before and after a load with a shape, so overload affects that stretch alone."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from steelyard.base.errors import ProvisionError
from steelyard.hosts.running import RunningSubject
from steelyard.measure.trial import proof
from steelyard.measure.trial.context import TrialFailedError
from steelyard.measure.trial.proof import ANSWERS, ServiceCounts, require_finished_work
from steelyard.measure.trial.watch import Watch
from steelyard.models.records import Counted, Failure, Settled, SlicePlan


class Service:
    """A service that says what it is told to; each count is said once, the last one for ever."""

    def __init__(self, *says: int | None, same_as: str | None = None) -> None:
        self.subject = SimpleNamespace(same_as=same_as)
        self._says: Iterator[int | None] = iter(says)
        self._last: int | None = None

    def thaw(self) -> None:
        pass

    def wait_for_background_work(self, _while_waiting: object) -> tuple[bool, dict[str, int]]:
        """Its open orders by then: what it says next."""
        left = self.requests_served() or 0
        return left == 0, {"orders.open": left}

    def requests_served(self) -> int | None:
        self._last = next(self._says, self._last)
        if self._last == -1:
            raise ProvisionError("it does not tell")
        return self._last


def plan(number: int, subject: str = "a") -> SlicePlan:
    return SlicePlan(number=number, subject=subject, cell="burst", phase="measure", pair=0)


def row(number: int, completed: int, subject: str = "a") -> dict[str, str]:
    return {"slice": str(number), "subject": subject, **dict.fromkeys(ANSWERS, "0"), "completed": str(completed)}


def counts_of(**services: Service) -> ServiceCounts:
    return ServiceCounts(cast("dict[str, RunningSubject]", services))


def failure(_: SlicePlan, label: str, message: str) -> Failure:
    return Failure(kind="died", subject=label, message=message)


WATCH = cast("Watch", SimpleNamespace(unreachable=failure))


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "UNCHANGED_SECONDS", 0.0)


def compared(counts: ServiceCounts, *rows: dict[str, Any]) -> list[Counted]:
    return counts.compare_counts(rows, WATCH, plan(9))


def test_a_trial_without_shapes_is_one_stretch() -> None:
    counts = counts_of(a=Service(10, 110), b=Service(0, None, same_as="a"))
    rows = (row(0, 60), row(1, 40, "b"))
    assert compared(counts, *rows) == [Counted(subject="a", by_service=100, by_engine=100)]


def test_a_load_with_a_shape_is_counted_alone_once_the_service_has_read_all_that_was_sent() -> None:
    counts = counts_of(a=Service(10, 40, 40, 90, 95, 97, 97, 127))
    with counts.stretch(plan(1)):
        pass
    assert compared(counts, row(0, 30), row(1, 50), row(2, 30)) == [
        Counted(subject="a", slices=[0, 2], by_service=60, by_engine=60),
        Counted(subject="a", slices=[1], by_service=57, by_engine=50),
    ]


@pytest.mark.parametrize("says", [(10, -1, 60), (10, 40, 40, -1, 60), (10, *range(11, 11 + 2 * proof.MOST_LOOKS), 60)])
def test_a_service_that_does_not_tell_at_once_or_never_rests_is_counted_with_the_rest(says: tuple[int, ...]) -> None:
    counts = counts_of(a=Service(*says))
    with counts.stretch(plan(1)):
        pass
    (counted,) = compared(counts, row(0, 20), row(1, 30))
    assert (counted.slices, counted.by_engine) == (None, 50)


def test_a_service_without_a_counter_is_not_counted() -> None:
    assert compared(counts_of(a=Service(None)), row(0, 5)) == []


def test_a_service_that_does_not_tell_in_the_end_fails_the_trial() -> None:
    with pytest.raises(TrialFailedError, match="it does not tell"):
        compared(counts_of(a=Service(10, -1)), row(0, 5))


def settled(number: int, subject: str, *, done: bool) -> Settled:
    return Settled(slice=number, subject=subject, settled=done, seconds=1, counts={})


def test_work_that_was_left_after_a_slice_is_waited_for_before_the_counts_are_compared() -> None:
    a, b = Service(0), Service()
    running = cast("dict[str, RunningSubject]", {"a": a, "b": b})
    ended = [settled(1, "b", done=False), settled(2, "a", done=False), settled(3, "b", done=True)]
    require_finished_work(running, ended, lambda: None)
    assert (a.requests_served(), b.requests_served()) == (0, None), "only a was asked, since b's last work was done"


def test_work_that_is_left_still_ends_the_trial_with_its_counts() -> None:
    running = cast("dict[str, RunningSubject]", {"a": Service(7629)})
    with pytest.raises(TrialFailedError, match=r"its work is unfinished still \(orders\.open 7,629\)"):
        require_finished_work(running, [settled(1, "a", done=False)], lambda: None)

"""Refusal: the number of users from which a server refuses requests, and the share it refuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from ...base.errors import InsufficientDataError
from ...models.records import Cell
from ...statistics.refusal import Refusals, overload_sentence, refusal, refusals
from ..blocks import Series
from .detector import Detector


def _over_forks(forks: Sequence[Series]) -> Refusals:
    return refusals([refusal(fork.users, fork.completed, fork.failures, fork.spent_s) for fork in forks])


def _describe_forks(name: str, forks: Sequence[Series], _: Cell) -> str:
    return _over_forks(forks).sentence(name)


def _compare_subjects(by_subject: Mapping[str, Sequence[Series]]) -> str | None:
    """How the subjects with a known result handle the same overload; None for fewer than two."""
    known: dict[str, Refusals] = {}
    for subject, forks in by_subject.items():
        with suppress(InsufficientDataError):
            known[subject] = _over_forks(forks)
    return overload_sentence(known) if len(known) > 1 else None


DETECTOR = Detector("refusal", frozenset({"ramp", "steps"}), "whether {} refuses", _describe_forks, _compare_subjects)

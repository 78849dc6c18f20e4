"""A subject's fresh start (trial.json, slices.csv), the same for all slices of its trial: the time to its first right answer, the
load until it was steady, its memory before any load, and the size of what is deployed."""

from __future__ import annotations

from collections.abc import Mapping

from ...results.stored_run import Trial
from .source import Source


def _of_slice(trial: Trial, number: int) -> Mapping[str, float]:
    return of_subject(trial, trial.plans[number].subject)


def of_subject(trial: Trial, label: str) -> dict[str, float]:
    """The numbers of a subject's start in a trial; those that were not observed are left out."""
    key = ("start", label)
    if key not in trial.memo:
        started = next((each for each in trial.record_or_empty.subjects if each.label == label), None)
        known = {"steady_s": _load_until_steady(trial, label)}
        if started is not None and started.same_as is None:
            known |= {
                "first_answer_s": started.first_answer_seconds,
                "rest_bytes": started.rest_bytes,
                "artifact_bytes": started.artifact_bytes,
            }
        trial.memo[key] = {name: float(value) for name, value in known.items() if value is not None}
    numbers: dict[str, float] = trial.memo[key]
    return numbers


def _load_until_steady(trial: Trial, label: str) -> float | None:
    """The seconds of load until a subject was steady in all operations; None where it was not steady in one of them."""
    steady = [each for each in trial.record_or_empty.steady if each.subject == label]
    if not steady or not all(each.met for each in steady):
        return None
    before = (plan.number for plan in trial.plans.values() if plan.subject == label and plan.phase != "measure")
    rows = [trial.slices[number] for number in before if number in trial.slices]
    return sum(row.end_ns - row.begin_ns for row in rows) / 1e9 if rows else None


SOURCE = Source(
    name="starts",
    names=frozenset({"first_answer_s", "steady_s", "rest_bytes", "artifact_bytes"}),
    of_slice=_of_slice,
    gauges=frozenset({"first_answer_s", "steady_s", "rest_bytes", "artifact_bytes"}),
)

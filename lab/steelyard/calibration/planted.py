"""The planted slow-downs: shares of a request's CPU time, which a pilot measures, as microseconds in a header."""

from __future__ import annotations

from collections.abc import Mapping

import tomli_w

from ..analyse.pairing import Void, slice_voids, voids_text
from ..base.errors import StoreError
from ..catalogue import entries
from ..catalogue.subject_syntax import COMPARE
from ..hosts.subject import BUSY_HEADER
from ..models.own_server import OwnServer
from ..models.study import PartSpec, Study, SubjectSpec
from ..results.stored_run import Trial

CALIBRATION = "calibration"  # the study
REFERENCE, AGAIN = "a", "again"
# The settings that make a fork of the calibration a fork of a comparison.
SHARED = ("design", "slice_seconds", "turn_ms", "warm_up_limit_seconds", "looks", "margin", "pairs", "corpus_entries")
PILOT_PAIRS = 6
PILOT_WARM_UP_SECONDS = 45.0  # a request's cost before its code is compiled would mislead


def study_of(
    server: str | None, service: str, operation: str, *, pairs: int | None, slice_seconds: float | None
) -> Study:
    """The study `calibration` with the user's options; None means its own values, or those of `compare`.

    A warm-up has as many slices as in `compare`, whatever their length.
    """
    known = as_compared(entries.study(CALIBRATION).model)
    subjects = [
        subject.model_copy(update={"parts": [PartSpec(server=server)]})
        if server and subject.same_as is None
        else subject
        for subject in specs(known)
    ]
    return known.model_copy(
        update={
            "subjects": subjects,
            "service": service,
            "operations": [operation],
            "primary": operation,
            **_lengths(known, pairs, slice_seconds),
        }
    )


def _lengths(known: Study, pairs: int | None, slice_seconds: float | None) -> dict[str, float | None]:
    length = slice_seconds or known.slice_seconds
    warm_up = known.warm_up_limit_seconds * length / known.slice_seconds
    return {"pairs": pairs or known.pairs, "slice_seconds": length, "warm_up_limit_seconds": warm_up}


def own_study_of(
    server: str,
    own: OwnServer,
    service: str,
    mix: Mapping[str, float],
    *,
    pairs: int | None,
    slice_seconds: float | None,
) -> Study:
    """The study `calibration` of a user's own server against itself.

    Nothing is planted, since the server does not support it.
    """
    known = as_compared(entries.study(CALIBRATION).model)
    pair = [subject.model_copy(update={"parts": [PartSpec(server=server, own=own)]}) for subject in hosts(known)]
    return known.model_copy(
        update={
            "subjects": pair,
            "service": service,
            "operations": list(mix),
            "primary": next(iter(mix)),
            "mix": dict(mix),
            **_lengths(known, pairs, slice_seconds),
        }
    )


def as_compared(levels: Study) -> Study:
    """A calibration with the settings of `compare` for everything that its study leaves open."""
    shared = entries.study(COMPARE).model
    return levels.model_copy(
        update={name: getattr(shared, name) for name in SHARED if name not in levels.model_fields_set}
    )


def of_fork(study: Study, number: int) -> list[str]:
    """The labels that fork `number` measures if levels take turns: both processes, and the faces of one level."""
    slowed = sorted({subject.slowed for subject in specs(study) if subject.slowed})
    if not slowed:
        return [subject.label for subject in specs(study)]
    level = slowed[number % len(slowed)]
    wanted = {REFERENCE, AGAIN, partner(level), face(level)}
    return [subject.label for subject in specs(study) if subject.label in wanted]


def face(level: float) -> str:
    """The label of the second server slowed down by `level`, a share."""
    return f"{AGAIN}-{level * 100:g}" if level else AGAIN


def partner(level: float) -> str:
    """The face of the reference that the level is compared with."""
    return f"{REFERENCE}-for-{level * 100:g}" if level else REFERENCE


def specs(study: Study) -> list[SubjectSpec]:
    """The study's subjects; raises StoreError if one is not part of a calibration."""
    subjects = [
        subject for subject in study.subjects if isinstance(subject, SubjectSpec) and subject.slowed is not None
    ]
    if len(subjects) != len(study.subjects) or {REFERENCE, AGAIN} - {
        subject.label for subject in subjects if subject.same_as is None
    }:
        raise StoreError(
            f"{study.name} is not a calibration: it needs {REFERENCE}, {AGAIN}, and `slowed` in every subject"
        )
    return subjects


def hosts(study: Study) -> list[SubjectSpec]:
    """The two subjects with processes of their own."""
    return [subject for subject in specs(study) if subject.same_as is None]


def specs_of(study: Study) -> list[SubjectSpec]:
    """The study's complete subjects, whatever their labels."""
    return [subject for subject in study.subjects if isinstance(subject, SubjectSpec)]


def without_faces(study: Study) -> Study:
    """The study of the pilot: both processes, nothing planted, and only the pairs needed to measure the cost of a
    request."""
    pair = [subject.model_copy(update={"headers": {BUSY_HEADER: "0"}}) for subject in hosts(study)]
    warm_up = max(study.warm_up_limit_seconds, min(PILOT_WARM_UP_SECONDS, 8 * study.warm_up_limit_seconds))
    return study.model_copy(
        update={"subjects": pair, "pairs": PILOT_PAIRS, "warm_up_limit_seconds": warm_up, "budget": None}
    )


def with_planted_levels(study: Study, cpu_us_per_request: float) -> Study:
    """The study with every level as a header. All faces have it, so that all requests have the same length and kind."""
    subjects = [
        subject.model_copy(update={"headers": busy_header(subject.slowed or 0.0, cpu_us_per_request)})
        for subject in specs(study)
    ]
    return study.model_copy(update={"subjects": subjects})


def busy_header(level: float, cpu_us_per_request: float) -> dict[str, str]:
    """The header that makes a service spin for a level's share of a request's cost."""
    return {BUSY_HEADER: f"{level * cpu_us_per_request:.3f}".zfill(_WIDTH)}


_WIDTH = len("00000.000")


def cpu_us_per_request(pilot: Trial) -> float:
    """The server's CPU time per request in microseconds, over the valid measured slices of a pilot with lead-in and
    drain.

    Raises StoreError if nothing was measured.
    """
    spent, answered = 0, 0
    voided: list[Void] = []
    for number, plan in pilot.plans.items():
        row = pilot.slices.get(number)
        if plan.phase == "measure" and row is not None:
            voids = slice_voids(pilot, number)
            voided += voids
            if not voids:
                spent += sum(process.cpu_ns for process in pilot.observations.get(number, ()) if process.judged)
                answered += row.completed + row.lead_in_completed
    if not answered or not spent:
        why = f": no slice counts ({voids_text(voided)})" if voided else ""
        raise StoreError(f"the pilot measured no CPU time of requests{why}", hint="see the files in its folder")
    return spent / answered / 1000


def text_of(study: Study) -> str:
    """The study as the text of its TOML file."""
    return tomli_w.dumps(study.model_dump(mode="json", exclude_none=True, exclude_defaults=True))

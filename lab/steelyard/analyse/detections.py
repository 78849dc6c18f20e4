"""The results of the detectors of shaped loads: one sentence for each detector, subject and test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..base.errors import InsufficientDataError
from ..models.records import Cell
from ..models.verdict import Detection
from ..plan.kinds import kind_of
from ..results.stored_run import Run
from . import blocks
from .blocks import Series
from .detectors import DETECTORS
from .detectors.detector import Detector


def detections(run: Run) -> list[Detection]:
    """By test and subject. A result that cannot be judged has its reason; comparisons of all subjects come last."""
    return [detection for cell in run.schedule.cells if not kind_of(cell).sliced for detection in _of_block(run, cell)]


def _of_block(run: Run, cell: Cell) -> Iterator[Detection]:
    all_subjects = {subject: blocks.series(run, cell, subject) for subject in run.schedule.subjects}
    by_subject = {subject: forks for subject, forks in all_subjects.items() if forks}
    detectors = [detector for detector in DETECTORS.values() if cell.profile.kind in detector.profiles]
    for subject, forks in by_subject.items():
        for detector in detectors:
            yield _of_subject(detector, cell, subject, forks)
    for detector in detectors:
        sentence = detector.together(by_subject)
        if sentence is not None:
            yield Detection(cell=cell.name, detector=detector.name, subject=None, judged=True, sentence=sentence)


def _of_subject(detector: Detector, cell: Cell, subject: str, forks: Sequence[Series]) -> Detection:
    try:
        judged, sentence = True, detector.say(subject, forks, cell)
    except InsufficientDataError as error:
        judged, sentence = False, f"Not judged {detector.question.format(subject)}: {error.message}."
    return Detection(cell=cell.name, detector=detector.name, subject=subject, judged=judged, sentence=sentence)

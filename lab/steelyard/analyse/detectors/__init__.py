"""The detectors of shaped loads, one file each, in the order of their sentences. To add a detector, add a file and a line here."""

from __future__ import annotations

from . import drift, knee, recovery, refusal, scalability, settling
from .detector import Detector

DETECTORS: dict[str, Detector] = {
    module.DETECTOR.name: module.DETECTOR for module in (settling, drift, recovery, knee, scalability, refusal)
}

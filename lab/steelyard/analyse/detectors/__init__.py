"""The detectors of loads with a shape, one file each. To add one is to add a file, and a line here; they speak in this order."""

from __future__ import annotations

from . import drift, knee, recovery, refusal, scalability, settling
from .detector import Detector

DETECTORS: dict[str, Detector] = {
    module.DETECTOR.name: module.DETECTOR for module in (settling, drift, recovery, knee, scalability, refusal)
}

"""The parts of a description that are not imported, with the reasons."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Left:
    """What was not imported, and why: `component` describes an operation or a port."""

    component: str
    why: str


class NotTakenError(Exception):
    """One operation or port cannot be imported; the message gives the reason."""

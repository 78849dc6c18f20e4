"""The number of processors of the compared servers: a ratio on one processor may differ from that on twelve."""

from __future__ import annotations

from collections.abc import Mapping

from ..models.server import PROCESSORS
from ..results.stored_run import Run
from .ratios import Compared


def server_processors(run: Run, compared: Compared) -> int | None:
    """The number of processors that both subjects had; None where it was not recorded or differs between them."""
    of_each = {processors_of(run, label) for label in (compared.a, compared.b)}
    return of_each.pop() if len(of_each) == 1 else None


def processors_of(run: Run, label: str) -> int | None:
    """The number of processors that a subject had: those that its factor `cpus` asks for, else all of the servers'; None where
    that was not recorded."""
    shared = run.server_processors
    return None if shared is None else _processors_factor(run, label) or shared


def _processors_factor(run: Run, label: str) -> int | None:
    """The number in the factor `cpus` of a subject's processes; None where it uses all server processors."""
    subjects = run.environment.get("subjects")
    parts = subjects.get(label) if isinstance(subjects, Mapping) else None
    for part in parts if isinstance(parts, list) else []:
        factors = part.get("factors") if isinstance(part, Mapping) else None
        wanted = factors.get(PROCESSORS) if isinstance(factors, Mapping) else None
        if isinstance(wanted, str) and wanted.isdecimal():
            return int(wanted)
    return None

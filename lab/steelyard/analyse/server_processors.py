"""How many processors the compared servers had: a ratio on one processor says little about the ratio on twelve."""

from __future__ import annotations

from collections.abc import Mapping

from ..models.server import PROCESSORS
from ..results.stored_run import Run
from .ratios import Compared


def server_processors(run: Run, compared: Compared) -> int | None:
    """The number of processors that both subjects had; None where it was not recorded or differs between them."""
    shared = run.server_processors
    if shared is None:
        return None
    asked_for = {_processors_factor(run, label) for label in (compared.a, compared.b)}
    return (asked_for.pop() or shared) if len(asked_for) == 1 else None


def _processors_factor(run: Run, label: str) -> int | None:
    """The number that the factor `cpus` of a subject's processes asks for; None where it takes all of the servers'."""
    subjects = run.environment.get("subjects")
    parts = subjects.get(label) if isinstance(subjects, Mapping) else None
    for part in parts if isinstance(parts, list) else []:
        factors = part.get("factors") if isinstance(part, Mapping) else None
        wanted = factors.get(PROCESSORS) if isinstance(factors, Mapping) else None
        if isinstance(wanted, str) and wanted.isdecimal():
            return int(wanted)
    return None

"""The notes of kept runs that compare two servers on one operation."""

from __future__ import annotations

from .kept_run import Kept, command, steadiness


def comparison(kept: Kept) -> str:
    """The command, the verdict, and how many forks were steady."""
    return "\n\n".join([command(kept), kept.verdicts.sentence, steadiness(kept)])


MADE = {"demo": comparison, "frameworks-item": comparison}

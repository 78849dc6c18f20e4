"""What is said of the demonstration that is kept."""

from __future__ import annotations

from .kept_run import Kept, command, steadiness


def demo(kept: Kept) -> str:
    """What is said of the demonstration."""
    return "\n\n".join([command(kept), kept.verdicts.sentence, steadiness(kept)])


MADE = {"demo": demo}

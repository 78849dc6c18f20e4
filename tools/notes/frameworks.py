"""What is said of the kept comparison of two frameworks on one operation."""

from __future__ import annotations

from .kept_run import Kept, command, steadiness


def frameworks_item(kept: Kept) -> str:
    """What is said of Spring Boot and Quarkus on reading one row."""
    return "\n\n".join([command(kept), kept.verdicts.sentence, steadiness(kept)])


MADE = {"frameworks-item": frameworks_item}

"""The stages of a limit search: their load, response time at the goal's percentile, and whether the goal was kept. Their picture
is on the first screen."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ...analyse.as_it_runs import limit_of
from ...base.text import value_text
from ...models.outputs.loading import LimitOutput, LimitStage
from ..section import Section

_HEADINGS = ("stage", "load", "seconds", "requests", "answered/s", "at the percentile, ms", "slow", "failed", "goal")


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None without a limit search."""
    limit = limit_of(analysis.run)
    if limit is None or not limit.stages:
        return None
    return {
        "headings": _HEADINGS,
        "rows": [_row(number, stage) for number, stage in enumerate(limit.stages, 1)],
        "how": limit.how,
        "beyond": limit.beyond,
        "left_out": _left_out(limit),
    }


def _row(number: int, stage: LimitStage) -> tuple[str, ...]:
    at = "-" if stage.at_percentile_ms is None else value_text(stage.at_percentile_ms)
    state = "left out" if stage.left_out else "kept" if stage.kept else "broken"
    measured = (f"{stage.seconds:.3g}", f"{stage.requests:,}", value_text(stage.answered_per_s), at)
    return f"{number}", stage.load, *measured, f"{stage.slow:.2%}", f"{stage.failed:.2%}", state


def _left_out(limit: LimitOutput) -> list[str]:
    return [
        f"stage {number} is left out: {stage.left_out}"
        for number, stage in enumerate(limit.stages, 1)
        if stage.left_out
    ]


SECTION = Section("stages", content, of_running=True)

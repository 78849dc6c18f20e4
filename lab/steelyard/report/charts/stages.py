"""The chart of a limit search: each stage's response time at the goal's percentile over its load."""

from __future__ import annotations

from typing import Any

from ...base.text import value_text
from ...models.outputs.loading import LimitOutput, LimitStage
from ..drawing import COLOURS, INK, PLAIN, Picture, draw, marks
from ..grammar import Chart, axis_of, channel, scale_of, stack_layers

KEPT, BROKEN, LEFT_OUT = "kept", "broken", "left out"
_HEIGHT = 240
_COLOURS = {KEPT: COLOURS[2], BROKEN: COLOURS[1], LEFT_OUT: COLOURS[5]}
_SHAPES = {KEPT: "circle", BROKEN: "triangle-up", LEFT_OUT: "cross"}


def stage_chart(limit: LimitOutput) -> Picture | None:
    """Stages in the unit of the limit, by whether the goal was kept; None where fewer than two have a response time."""
    shown = [
        (load, stage.at_percentile_ms, goal_state(stage))
        for stage in limit.stages
        if (load := load_of(stage, limit.unit)) is not None and stage.at_percentile_ms is not None
    ]
    if len(shown) < 2:
        return None
    wide, narrow = draw("stages", lambda width: _chart(shown, limit, width))
    kept = sum(promise == KEPT for _, _, promise in shown)
    return Picture(
        title=f"Response time at the goal's percentile, over {limit.unit}",
        caption=f"A circle is a stage that met {' and '.join(limit.promise)}, a triangle one that missed it, a cross one that is "
        "left out. Both axes are logarithmic. The vertical line is the limit; the lines beside it are its 95% interval.",
        alt=f"{len(shown)} stages, of which {kept} met the goal.",
        wide=wide,
        narrow=narrow,
        headings=(limit.unit, "ms", "goal"),
        rows=tuple((value_text(load), value_text(time), promise) for load, time, promise in sorted(shown)),
    )


def load_of(stage: LimitStage, unit: str) -> float | None:
    """A stage's load in the limit's unit: its users or its rate. The rate of a stage of users is that of its answers."""
    if unit == "users":
        return None if stage.users is None else float(stage.users)
    return stage.answered_per_s if stage.rate is None else stage.rate


def goal_state(stage: LimitStage) -> str:
    """Whether a stage kept the goal, or is left out."""
    return LEFT_OUT if stage.left_out else KEPT if stage.kept else BROKEN


def _chart(shown: list[tuple[float, float, str]], limit: LimitOutput, width: int) -> Chart:
    values: list[dict[str, Any]] = [{"load": load, "ms": time, "goal": state} for load, time, state in shown]
    names = list(_COLOURS)
    x = channel(
        "load:Q", axis=axis_of(title=limit.unit, tickCount=6, format=PLAIN), scale=scale_of(type="log", nice=False)
    )
    y = channel("ms:Q", axis=axis_of(title="ms", tickCount=5, format=PLAIN), scale=scale_of(type="log"))
    points = (
        marks(values)
        .as_marks("point", filled=True, size=70, opacity=0.9)
        .encode(
            x=x,
            y=y,
            color=channel("goal:N", scale=scale_of(domain=names, range=list(_COLOURS.values())), legend=None),
            shape=channel("goal:N", scale=scale_of(domain=names, range=list(_SHAPES.values())), legend=None),
        )
    )
    bounds = [
        {"load": value, "opacity": 1.0 if value == limit.limit.value else 0.4}
        for value in (limit.limit.low, limit.limit.value, limit.limit.high)
        if value is not None
    ]
    lines = [marks([bound]).as_marks("rule", color=INK, opacity=bound["opacity"]).encode(x=x) for bound in bounds]
    return stack_layers(*lines, points).resize(width=width, height=_HEIGHT)

"""Where each server turns from good to slow, errors, out of memory or hang: a tile per cell and subject, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...analyse.endings import Ending, EndState
from ...base.text import bytes_text, value_text
from ..drawing import COLOURS, INK, MUTED, WIDE, Picture, draw, marks
from ..grammar import Chart, axis_of, channel, scale_of, stack_layers

NOT_KNOWN = "not known"
# Never by colour alone: each tile has its word, and worse states are darker.
_COLOURS = {
    EndState.GOOD: (COLOURS[2], 0.22),
    EndState.SLOW: (COLOURS[4], 0.4),
    EndState.ERRORS: (COLOURS[1], 0.45),
    EndState.OUT_OF_MEMORY: (COLOURS[3], 0.55),
    EndState.HANG: (COLOURS[0], 0.6),
    None: (MUTED, 0.08),
}


def ending_map(name: str, endings: Sequence[Ending]) -> Picture:
    """All subjects in all cells of one operation, in the order of the run."""
    rows = tuple(_row(ending) for ending in endings)
    summary = "; ".join(f"{subject}, {load}: {state}" for subject, load, state, *_ in rows)
    wide, narrow = draw(name, lambda width: _chart(endings, width))
    return Picture(
        endings[0].cell.operation,
        "Each tile is one fresh start: how it ended, and the mean response time of right answers.",
        f"How each server ended on {endings[0].cell.operation}. {summary}.",
        wide,
        narrow,
        ("subject", "load", "ended", "requests/s", "response time, ms", "printed", "why"),
        rows,
    )


def _load(ending: Ending) -> str:
    return f"{ending.cell.users:,} x {bytes_text(ending.bytes)}" if ending.bytes is not None else ending.cell.name


def _state(ending: Ending) -> str:
    return ending.state.value if ending.state is not None else NOT_KNOWN


def _row(ending: Ending) -> tuple[str, ...]:
    figures = ("-" if value is None else value_text(value) for value in (ending.tps, ending.response_ms))
    return (ending.subject, ending.load, _state(ending), *figures, ending.cell.printed, ending.why)


def _chart(endings: Sequence[Ending], width: int) -> Chart:
    values: list[dict[str, Any]] = [
        {
            "load": _load(ending),
            "subject": ending.subject,
            "ended": _state(ending),
            "time": "" if ending.response_ms is None else f"{value_text(ending.response_ms / 1000)} s",
            "depth": _COLOURS[ending.state][1],
        }
        for ending in endings
    ]
    columns, subjects = (list(dict.fromkeys(value[side] for value in values)) for side in ("load", "subject"))
    states = {_state(ending): _COLOURS[ending.state][0] for ending in endings}
    x = channel("load:N", sort=columns, axis=axis_of(title="users x request size", orient="top", labelAngle=-30))
    y = channel("subject:N", sort=subjects, axis=axis_of(title=None))
    base = marks(values).encode(x=x, y=y)
    colour = channel("ended:N", scale=scale_of(domain=list(states), range=list(states.values())), legend=None)
    tiles = base.as_marks("rect").encode(color=colour, opacity=channel("depth:Q", scale=None, legend=None))
    words = base.as_marks("text", color=INK, fontSize=11, dy=-6).encode(text="ended:N")
    times = base.as_marks("text", color=MUTED, fontSize=11, dy=9).encode(text="time:N")
    return stack_layers(tiles, words, times).resize(width=min(width, WIDE), height=90 + 44 * len(subjects))

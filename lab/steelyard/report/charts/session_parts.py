"""The parts of a session's time: one bar per subject, as long as its mean session, with requests and pauses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...analyse.sessions import SessionTimes
from ...base.text import share_text, value_text
from ..drawing import INK, MUTED, WIDE, Picture, draw, marks, series
from ..grammar import Chart, axis_of, channel, scale_of, stack_layers

BETWEEN = "pauses"
_LEAST_LABELLED = 0.11  # share of the longest bar: a name does not fit into a shorter part


def session_parts(name: str, of_subjects: Sequence[SessionTimes], subjects: Sequence[str]) -> Picture | None:
    """The sessions of one name, one bar per subject that had a complete one; None where no subject had one."""
    parts = {times.subject: times.parts_ms() for times in of_subjects if times.parts_ms()}
    if not parts:
        return None
    rows = tuple(
        (subject, operation or BETWEEN, value_text(ms), share_text(ms / sum(of_subject.values())))
        for subject, of_subject in parts.items()
        for operation, ms in of_subject.items()
    )
    summary = "; ".join(f"{subject}, {part}: {ms} ms" for subject, part, ms, _ in rows)
    wide, narrow = draw(name, lambda width: _chart(parts, subjects, width))
    return Picture(
        f"Time of a {of_subjects[0].name} by part, ms",
        "Means of complete sessions. Dark parts are requests, in the order of their steps. The light part at the end is "
        "the time between them: the pauses that the study asks for.",
        f"Mean time of a {of_subjects[0].name} by its parts. {summary}.",
        wide,
        narrow,
        ("subject", "part", "ms", "share"),
        rows,
    )


def _chart(parts: dict[str, dict[str, float]], subjects: Sequence[str], width: int) -> Chart:
    longest = max(sum(of_subject.values()) for of_subject in parts.values())
    values: list[dict[str, Any]] = []
    for subject, of_subject in parts.items():
        begin = 0.0
        for operation, ms in of_subject.items():
            values.append(
                {
                    "subject": subject,
                    "begin": begin,
                    "end": begin + ms,
                    "middle": begin + ms / 2,
                    "label": (operation or BETWEEN) if ms > _least_labelled(operation, width) * longest else "",
                    "depth": 0.45 if operation else 0.12,
                }
            )
            begin += ms
    x = channel("begin:Q", scale=scale_of(domain=[0, longest], nice=True), axis=axis_of(title=None, tickCount=6))
    y = channel("subject:N", sort=list(subjects), axis=axis_of(title=None))
    colour = channel("subject:N", scale=series(subjects)["colour"], legend=None)
    base = marks(values).encode(y=y)
    bars = base.as_marks("bar", height=26, stroke=MUTED, strokeWidth=0.8).encode(
        x=x, x2="end:Q", color=colour, opacity=channel("depth:Q", scale=None, legend=None)
    )
    names = base.as_marks("text", color=INK, fontSize=12).encode(x="middle:Q", text="label:N")
    return stack_layers(bars, names).resize(width=min(width, WIDE), height=20 + 40 * len(parts))


def _least_labelled(operation: str, width: int) -> float:
    """The share of the bar that a name needs."""
    return max(_LEAST_LABELLED, 9.0 * len(operation or BETWEEN) / width)

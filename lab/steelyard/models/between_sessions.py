"""The spread between sessions of one comparison: a prior by kind of pair (between_sessions.toml of analyse)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .strict import Strict

KindName = Literal["one-server", "one-runtime", "two-runtimes"]


class Deviation(Strict):
    """The standard deviation of the true log ratio between sessions, as a share (0.03 is 3%).

    Predictions rest on `used`. It is `assumed` until `freedom` is large enough: the number of kept sessions less the number of
    groups that they are compared within. `fitted` is the estimate from the kept sessions (null: none). `questions` comparisons
    were made in those sessions; comparisons of one session are not independent.
    """

    used: Annotated[float, Field(gt=0, lt=1)]
    assumed: bool
    fitted: Annotated[float, Field(ge=0, lt=10)] | None = None
    freedom: Annotated[int, Field(ge=0)] = 0
    questions: Annotated[int, Field(ge=0)] = 0


class PairKind(Strict):
    """A kind of pair: `like_machines` for sessions on machines of one kind, `any_machines` for all."""

    name: KindName
    title: Annotated[str, Field(min_length=1, max_length=80)]
    like_machines: Deviation
    any_machines: Deviation


class BetweenSessions(Strict):
    """The file between_sessions.toml. The deviations are those of `measures`."""

    measures: list[str]
    kinds: list[PairKind]

"""How far sessions of one question differ, as data: a prior by kind of pair (between_sessions.toml of analyse)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .strict import Strict

KindName = Literal["one-server", "one-runtime", "two-runtimes"]


class Deviation(Strict):
    """The standard deviation of the true log ratio between sessions, as a share (0.03 is 3%).

    `used` is the one that predictions rest on. It is `assumed` until `freedom`, the number of kept sessions less the number of
    groups that they are compared within, is large enough. `fitted` is what the kept sessions say meanwhile (null: nothing);
    `questions` were asked in those sessions, and questions of one session are not independent.
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
    """The file between_sessions.toml. `measures` are those that the deviations are of."""

    measures: list[str]
    kinds: list[PairKind]

"""Where a run stands while it lasts: live.json in its folder, gone when it ends (contracts/live.schema.json)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .strict import Significant, Strict

Label = Annotated[str, Field(max_length=200)]


class SubjectNow(Strict):
    """A subject of the trial that runs. `throughput_per_s` and `response_ms` (a second's mean; null in one without a right answer)
    are its last seconds under load, oldest first; `seconds` counts all of the trial's, `failures` its wrong answers and failed
    requests. `p99_ms` is of its last slice that ended.
    """

    label: Label
    throughput_per_s: Annotated[list[Significant], Field(max_length=600)]
    response_ms: Annotated[list[Significant | None], Field(max_length=600)]
    seconds: int
    failures: int
    p99_ms: Significant | None


class IntervalSoFar(Strict):
    """What the first `forks` that count say: the ratio and its interval; null where there are too few forks for one."""

    forks: int
    ratio: Annotated[Significant, Field(gt=0)]
    low: Annotated[Significant, Field(gt=0)] | None
    high: Annotated[Significant, Field(gt=0)] | None


class ComparisonSoFar(Strict):
    """Subject `a` against `b` in a cell on its judged measure: an interval a fork at `confidence`, oldest first. No verdict: the
    instrument is judged at the end, as is the number of comparisons."""

    a: Label
    b: Label
    cell: Label
    measure: Label
    confidence: Significant
    intervals: Annotated[list[IntervalSoFar], Field(max_length=1000)]


class RunningNow(Strict):
    """Where a run stands. `pid`, `started_ticks` and `boot` are the process that measures, so that what another of the same number
    is can be told; `begun` and `updated` are in UTC. `seconds_left` and `share` (of the planned time that has passed) are null
    where nothing was planned. `server_cpus` are the processors that nobody else is to use meanwhile.
    """

    pid: Annotated[int, Field(gt=0)]
    started_ticks: int
    boot: str
    begun: str
    updated: str
    stage: Annotated[str, Field(max_length=2000)]
    share: Annotated[float, Field(ge=0, le=1)] | None
    seconds_left: Annotated[float, Field(ge=0)] | None
    server_cpus: list[int]
    subjects: Annotated[list[SubjectNow], Field(max_length=200)]
    comparisons: Annotated[list[ComparisonSoFar], Field(max_length=200)]

"""The state of an active run: live.json in its folder, removed at its end (contracts/live.schema.json)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .strict import Significant, Strict

Label = Annotated[str, Field(max_length=200)]


class SubjectNow(Strict):
    """A subject of the current trial. `throughput_per_s` and `response_ms` (a second's mean; null in a second without a right
    answer) are its last seconds under load, oldest first; `seconds` counts all of the trial's, `failures` its wrong answers and
    failed requests. `p99_ms` is of its last slice that ended."""

    label: Label
    throughput_per_s: Annotated[list[Significant], Field(max_length=600)]
    response_ms: Annotated[list[Significant | None], Field(max_length=600)]
    seconds: int
    failures: int
    p99_ms: Significant | None


class IntervalSoFar(Strict):
    """The result of the first `forks` valid forks: the ratio and its interval; null where there are too few forks."""

    forks: int
    ratio: Annotated[Significant, Field(gt=0)]
    low: Annotated[Significant, Field(gt=0)] | None
    high: Annotated[Significant, Field(gt=0)] | None


class ComparisonSoFar(Strict):
    """Subject `a` against `b` in a cell on its judged measure: one interval per fork at `confidence`, oldest first. It is no
    verdict: the instrument and the number of comparisons are judged at the end."""

    a: Label
    b: Label
    cell: Label
    measure: Label
    confidence: Significant
    intervals: Annotated[list[IntervalSoFar], Field(max_length=1000)]


class StageSoFar(Strict):
    """A stage of a run, and the seconds that it took; the last stage is still running."""

    name: Annotated[str, Field(max_length=2000)]
    seconds: Annotated[float, Field(ge=0)]


class RunningNow(Strict):
    """The state of a run. `pid`, `started_ticks` and `boot` identify the measuring process, since process ids are reused; `begun`
    and `updated` are in UTC. `stages` are the last ones, oldest first. `seconds_left` and `share` (of the planned time that has
    passed) are null without a plan. `server_cpus` are the processors that nothing else should use meanwhile."""

    pid: Annotated[int, Field(gt=0)]
    started_ticks: int
    boot: str
    begun: str
    updated: str
    stage: Annotated[str, Field(max_length=2000)]
    stages: Annotated[list[StageSoFar], Field(max_length=100)] = []
    share: Annotated[float, Field(ge=0, le=1)] | None
    seconds_left: Annotated[float, Field(ge=0)] | None
    server_cpus: list[int]
    subjects: Annotated[list[SubjectNow], Field(max_length=200)]
    comparisons: Annotated[list[ComparisonSoFar], Field(max_length=200)]

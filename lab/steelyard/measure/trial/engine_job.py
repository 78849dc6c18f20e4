"""The one builder of engine jobs: targets, slices in the order of their numbers, and seeds that make a run repeatable."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...models.job import FixedWork, Job, OnFailure, Profile, Rule, Samples, Session, Slice, Target, Think


@dataclass(frozen=True)
class LoadSlice:
    """One slice: its subject, its load profile, and its operations (`mix`, weights). Slices of one `deck` send the same requests
    in the same order."""

    subject: str
    phase: str
    profile: Profile
    mix: Mapping[str, float]
    deck: str
    think: Think = field(default_factory=Think)
    lead_in_ms: float = 200.0


@dataclass(frozen=True)
class JobRequests:
    """The requests: the folder of a corpus (absolute or relative to the job's), the rules for answers, and sessions by name."""

    corpus: str
    rules: Mapping[str, Rule]
    sessions: Mapping[str, Session] = field(default_factory=dict)


@dataclass(frozen=True)
class JobSettings:
    """How requests are sent and recorded; see `Job`. A request that is unanswered at a slice's end has the usual timeout,
    `timeout_ms`. The engine has so many `threads`, but no more than users of fixed work."""

    timeout_ms: float = 10_000.0
    on_failure: OnFailure = field(default_factory=OnFailure)
    samples: Samples = field(default_factory=Samples)
    seconds_histograms: bool = False
    log_requests: bool = False
    threads: int = 1
    connection: Literal["keep-alive", "per-request"] = "keep-alive"


def engine_job(
    seed: int,
    requests: JobRequests,
    targets: Sequence[Target],
    slices: Sequence[LoadSlice],
    cpus: Sequence[int],
    settings: JobSettings | None = None,
    first: int = 0,
) -> Job:
    """The engine's job; its slices are numbered from `first` on, in the order of `slices`."""
    settings = settings or JobSettings()
    return Job(
        seed=seed,
        corpus=requests.corpus,
        rules=dict(requests.rules),
        targets=list(targets),
        slices=[
            Slice(
                number=number,
                subject=load.subject,
                phase=load.phase,
                profile=load.profile,
                mix=dict(load.mix),
                deck_seed=random.Random(f"{seed} {load.deck}").randrange(2**48),
                think=load.think,
                lead_in_ms=load.lead_in_ms,
            )
            for number, load in enumerate(slices, first)
        ],
        sessions=dict(requests.sessions),
        threads=min(
            [settings.threads, *(load.profile.users for load in slices if isinstance(load.profile, FixedWork))]
        ),
        cpus=list(cpus),
        timeout_ms=settings.timeout_ms,
        drain_limit_ms=settings.timeout_ms,
        on_failure=settings.on_failure,
        samples=settings.samples,
        seconds_histograms=settings.seconds_histograms,
        log_requests=settings.log_requests,
        connection=settings.connection,
    )

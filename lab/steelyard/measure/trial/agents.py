"""`Agents = auto`: finds the number of users with the highest throughput, as the paper's authors did."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from ...base.progress import Progress
from ...catalogue.entries import Entry
from ...hosts.cpus import Shares, kept_awake
from ...hosts.launch import running_subject
from ...hosts.placement import LOOPBACK, Placement
from ...hosts.subject import Subject
from ...models.job import BigBang
from ...models.service import Service
from ...results.tables import read_slices
from ...workload import contract, corpus
from .engine import Engine
from .engine_job import JobRequests, LoadSlice, engine_job
from .jobs import target_of

LEVELS = (1, 2, 4, 8, 16, 32, 64)
WARM_UP_SLICES = 10
SLICE_SECONDS = 2.0
ROUNDS = 3


def find_agents(
    service: Entry[Service],
    subjects: Sequence[Subject],
    mix: Mapping[str, float],
    parameters: Mapping[str, int],
    folder: Path,
    shares: Shares,
    progress: Progress,
    site: Placement = LOOPBACK,
) -> int:
    """The level of LEVELS with the highest throughput, relative to each subject's best, common to all subjects.

    `mix` holds the requested operations by their shares, and `parameters` those of the service. The measurements are stored in
    <folder>/agents/<subject>/slices.csv.
    """
    progress.plan(len(subjects) * (WARM_UP_SLICES + ROUNDS * len(LEVELS)) * (SLICE_SECONDS + 0.3))
    seen = [
        _sweep(service, subject, mix, parameters, folder / "agents" / subject.label, shares, progress, site)
        for subject in subjects
    ]
    users = most_productive(seen)
    progress.print_line(f"Agents = auto: {users} users give the highest throughput")
    return users


def most_productive(seen: Sequence[Mapping[int, float]]) -> int:
    """The number of users whose throughput, as a share of each subject's best, has the highest geometric mean.

    `seen` has one mapping per subject, from users to throughput per second, all with the same numbers of users. In a tie the
    fewest users win.
    """
    shares = {
        users: sum(
            math.log(max(throughputs[users], 1e-9) / max(max(throughputs.values()), 1e-9)) for throughputs in seen
        )
        for users in seen[0]
    }
    return max(sorted(shares), key=lambda users: shares[users])


def _sweep(
    service: Entry[Service],
    subject: Subject,
    mix: Mapping[str, float],
    parameters: Mapping[str, int],
    folder: Path,
    shares: Shares,
    progress: Progress,
    site: Placement,
) -> dict[int, float]:
    """Median throughput per second by number of users, after a warm-up."""
    folder.mkdir(parents=True, exist_ok=True)
    service = subject.in_own_format(service)
    wanted = {operation: corpus.Requests(operation, parameters) for operation in mix}
    made = corpus.make(service, folder / "corpus", wanted, seed=1, count=50)
    levels = [max(LEVELS)] * WARM_UP_SLICES + list(LEVELS) * ROUNDS
    with ExitStack() as stack:
        # Ports that no simultaneous run draws: it would send requests to our server, or find its port taken.
        running = stack.enter_context(running_subject(subject, folder, shares, random.Random(), progress, site=site))
        server = subject.front.server.model
        contract.verify(
            service,
            running.url,
            seed=1,
            all_spellings=False,
            subject=subject.label,
            access=running.access,
            deviations=server.deviations,
            floor=server.floor,
        )
        headers = {operation: contract.request_headers(service.model, operation) for operation in mix}
        job = engine_job(
            1,
            JobRequests("corpus", made.rules),
            [target_of(subject.label, running, service, {}).model_copy(update={"operation_headers": headers})],
            [
                LoadSlice(subject.label, "agents", BigBang(users=users, seconds=SLICE_SECONDS), mix, f"agents {number}")
                for number, users in enumerate(levels)
            ],
            shares.engine,
        )
        running.pin(shares)
        progress.live.begin_trial()
        with kept_awake(shares), Engine(job, folder) as engine:
            for number, users in enumerate(levels):
                progress.show(f"Agents = auto · {subject.label} with {users} users")
                engine.drive_slice(number, 90.0, progress.second)
    return _medians(folder / "slices.csv", levels)


def _medians(path: Path, levels: Sequence[int]) -> dict[int, float]:
    seen: dict[int, list[float]] = {users: [] for users in LEVELS}
    for number, row in read_slices(path, True).items():
        if number >= WARM_UP_SLICES:
            seen[levels[number]].append(row.throughput_per_s)
    return {users: sorted(values)[len(values) // 2] for users, values in seen.items() if values}

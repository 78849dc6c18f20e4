"""The pilot of a load: a short drive at its height, so that the engine has as many threads as the load needs from its begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...base.text import plural
from ...hosts.keeper import Keeper
from ...hosts.placement import THIS_MACHINE
from ...models.service import Service
from ...results.live_file import StopRequested
from ...results.tables import SliceRow
from ...workload.planned_load import Stretch
from ..trial.engine_job import can_have_threads
from ..trial.engine_pilot import FOLDER, SLICE_SECONDS, peak_profile
from ..trial.engine_threads import choose_threads
from . import started_target
from .driving import LoadContext, Stretches
from .ready_target import Ready
from .started_target import TargetUse

_LEAD_IN_SECONDS = 0.5


def with_engine_threads(ready: Ready, planned: Stretch, *, layers: bool) -> Ready:
    """The target with the number of engine threads that its load needs; what it used and counted in the pilot is left out.

    Nothing is driven where the agent of `layers` would record the pilot's requests too.
    """
    if layers:
        return ready
    ground = with_threads(ready.ground, [planned])
    return ready if ground is ready.ground else replace(ready, ground=ground, started=_started_without_pilot(ready))


def with_threads(ground: LoadContext, planned: Sequence[Stretch]) -> LoadContext:
    """The same with the number of engine threads that these loads need at their height.

    Nothing is driven where the engine has one processor, where several engines share the load, and of sessions: a pilot would use
    up rows of their data.
    """
    alone = tuple(ground.engine_hosts) == (THIS_MACHINE,)
    targets, profiles = [ground.target, *ground.beside], [stretch.profile for stretch in planned]
    if len(ground.cpus) < 2 or not alone or ground.sessions or not can_have_threads(targets, profiles):
        return ground
    peaks = [
        replace(
            stretch,
            profile=peak_profile(stretch.profile, SLICE_SECONDS),
            lead_in_seconds=_LEAD_IN_SECONDS,
            phase="pilot",
        )
        for stretch in planned
    ]
    threads = choose_threads(lambda threads: _drive(replace(ground, threads=threads), peaks), len(ground.cpus))
    if threads > 1:
        ground.progress.print_line(f"the load engine has {plural(threads, 'thread')}, as a pilot showed")
    return replace(ground, threads=threads)


def _drive(ground: LoadContext, peaks: Sequence[Stretch]) -> list[SliceRow]:
    rows = []
    with Stretches(ground, peaks, ground.folder / FOLDER / f"threads-{ground.threads}") as stretches:
        for number in range(len(peaks)):
            rows.append(stretches.drive(number, lambda _: "how many engine threads the load needs"))
            if stretches.stop_requested:
                raise StopRequested  # nothing was measured yet
            if stretches.gave_up is not None:
                break  # the load itself reports it
    return rows


def _started_without_pilot(ready: Ready) -> tuple[Service, Keeper, TargetUse, TargetUse] | None:
    """What a target that was started had used and counted before the load, as if there had been no pilot."""
    if ready.started is None:
        return None
    service, kept_by, before, loaded = ready.started
    after = started_target.read(service, kept_by, ready.running.address)
    if before.counted is not None and loaded.counted is not None and after.counted is not None:
        before = replace(before, counted=before.counted + after.counted - loaded.counted)
    return service, kept_by, before, after

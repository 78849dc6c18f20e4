"""The pilot of a load: a short drive at its height, so that the engine has as many threads as the load needs from its begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...base.text import plural
from ...hosts.keeper import Keeper
from ...hosts.placement import THIS_MACHINE
from ...models.job import FixedWork, Session
from ...models.service import Service
from ...plan.engine_pilot import SLICE_SECONDS
from ...plan.shapes import most_users
from ...results.live_file import StopRequested
from ...results.tables import SliceRow
from ...workload.planned_load import Stretch
from ..trial.engine_pilot import FOLDER, peak_profile
from ..trial.engine_threads import choose_threads
from . import started_target
from .driving import LoadContext, Stretches
from .ready_target import Ready
from .started_target import TargetUse

_LEAD_IN_SECONDS = 0.5


def with_engine_threads(ready: Ready, planned: Stretch) -> Ready:
    """The target with the number of engine threads that its load needs; what it used and counted in the pilot is left out."""
    challenged = ready.ground.credentials.challenge_count
    ground, driven = with_threads(ready.ground, [planned])
    if not driven:
        return ready
    started = _started_without_pilot(ready, ground.credentials.challenge_count - challenged)
    return replace(ready, ground=ground, started=started, pilot=driven)


def with_threads(ground: LoadContext, planned: Sequence[Stretch]) -> tuple[LoadContext, list[SliceRow]]:
    """The same with the number of engine threads that these loads need at their height, and the slices of the pilot.

    Nothing is driven where the engine has one processor or several engines share the load, of fixed work, and of sessions whose
    rows of data it would use up.
    """
    alone = tuple(ground.engine_hosts) == (THIS_MACHINE,)
    spends = any(isinstance(stretch.profile, FixedWork) for stretch in planned)
    spends |= any(_uses_up_rows(session) for session in ground.sessions.values())
    if len(ground.cpus) < 2 or not alone or spends:
        return ground, []
    peaks = [
        replace(
            stretch,
            profile=peak_profile(stretch.profile, SLICE_SECONDS),
            lead_in_seconds=_LEAD_IN_SECONDS,
            phase="pilot",
        )
        for stretch in planned
    ]
    driven: list[SliceRow] = []

    def drive(threads: int) -> list[SliceRow]:
        rows = _drive(replace(ground, threads=threads), peaks)
        driven.extend(rows)
        return rows

    threads = choose_threads(drive, min(len(ground.cpus), max(most_users(stretch.profile) for stretch in planned)))
    if threads > 1:
        ground.progress.print_line(f"the load engine has {plural(threads, 'thread')}, as a pilot showed")
    return replace(ground, threads=threads), driven


def _uses_up_rows(session: Session) -> bool:
    """Whether each session takes a row of data that no later one has."""
    return session.rows is not None and session.rows.each == "session" and session.rows.at_end == "stop"


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


def _started_without_pilot(ready: Ready, challenges: int) -> tuple[Service, Keeper, TargetUse, TargetUse] | None:
    """What a target that was started had used and counted before the load, as if the pilot had only asked for its challenges."""
    if ready.started is None:
        return None
    service, kept_by, before, loaded = ready.started
    after = started_target.read(service, kept_by, ready.running.address)
    if before.counted is not None and loaded.counted is not None and after.counted is not None:
        before = replace(before, counted=before.counted + after.counted - loaded.counted - challenges)
    return service, kept_by, before, after

"""A target that is verified and ready to be loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...base.errors import ConfigurationError, TargetError
from ...hosts.cpus import Shares
from ...hosts.keeper import Keeper
from ...models.outputs.loading import LoadedLayers, StartedTarget
from ...models.outputs.own_service import LeftOut
from ...models.service import Service
from ...results.tables import SliceRow
from . import agent, started_target
from .connections import verification_redirects
from .driving import LoadContext
from .run_folder import RunningTarget
from .started_target import TargetUse

NO_AGENT = "give a start line and stop what runs: the agent must be in its JVM from the start"


def records_in(folder: Path) -> Path:
    """The folder in the run's folder where the agent of a load's target writes its records."""
    return folder / "records"


@dataclass(frozen=True)
class Ready:
    """A verified target: the host of its load, the division of the machine, its name in the run, and the requests and answers of
    the verification. `failed` are the operations that are not loaded because their answer was wrong, with the reason. For a
    started target also `started`: its service, its keeper, and its use before the verification and before the load. `pilot` are
    the slices that showed how many threads the engine needs."""

    ground: LoadContext
    shares: Shares
    running: RunningTarget
    verification: SliceRow
    answers: Mapping[str, bytes]
    failed: Mapping[str, str] = field(default_factory=dict)
    started: tuple[Service, Keeper, TargetUse, TargetUse] | None = None
    pilot: Sequence[SliceRow] = ()

    @property
    def left_out(self) -> list[LeftOut]:
        """The operations that are not loaded because their verification failed."""
        return [LeftOut(what=name, why=why) for name, why in self.failed.items()]

    def without_failed(self, weights: Mapping[str, float]) -> dict[str, float]:
        """The weights of what may be loaded; raises ConfigurationError where nothing is left."""
        left = {name: weight for name, weight in weights.items() if name not in self.failed}
        if not left:
            raise ConfigurationError(
                f"nothing is left to load: {'; '.join(self.failed.values())}",
                hint="correct these operations, or load others",
            )
        return left

    def target(self, row: SliceRow, redirects: int) -> StartedTarget | None:
        """The use and count of a started target, with the load of `row` and its redirects; raises TargetError where it has
        ended."""
        if self.started is None:
            return None
        service, kept, before, loaded = self.started
        after = started_target.read(service, kept, self.running.address)
        beside = self.ground.credentials.challenge_count + redirects + verification_redirects(self.ground.folder)
        return started_target.summarize_target(before, loaded, after, self.verification, row, beside)

    def layers(self, row: SliceRow) -> LoadedLayers:
        """The time by layer of the requests of `row` inside a target that was started with the agent; ends the target. Raises
        TargetError where it was already running, and KeeperError or StoreError."""
        if self.started is None:
            raise TargetError("a target that was already running has no agent", hint=NO_AGENT)
        loaded = (row, *self.pilot)
        answered = self.verification.sent + sum(
            each.sent - each.maybe_served - each.rejected_requests for each in loaded
        )
        service, kept_by = self.started[:2]
        kept_by.stop(agent.END_SECONDS)  # it writes its last records
        return agent.read(records_in(self.ground.folder), service.layers, (row.begin_ns, row.end_ns), answered)

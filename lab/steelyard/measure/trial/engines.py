"""Several engines on one target that act as one: each has its share of the load, all begin at one instant, and their files are
merged."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Any

from ...base.csvfiles import read_document
from ...base.errors import EngineError
from ...hosts.placement import EngineHost
from ...models.job import EngineShare, Job
from .engine import Engine, Secrets, Tick
from .merging import EnginePart, merge

# lead time in ns of the common start: each engine must have read its command by then
_HEAD_START_NS = 100_000_000
# All engines end early after the same second, this far after the latest reported one: each engine checks once a second
# whether it is to end.
_SECONDS_AHEAD = 3


def shared_out(job: Job, hosts: Sequence[EngineHost]) -> list[Job]:
    """The jobs of an engine on each of `hosts`, which together do `job`. Engines on this machine get its processors in turn, and
    share them where there are fewer processors than engines; engines elsewhere use their host's."""
    engines = len(hosts)
    here = [place for place, host in enumerate(hosts) if not host.reach.apart]
    samples = job.samples.model_copy(
        update={
            "most_right": math.ceil(job.samples.most_right / engines),
            "most_failed": math.ceil(job.samples.most_failed / engines),
        }
    )
    return [
        job.model_copy(
            update={
                "share": EngineShare(place=place, of=engines),
                "cpus": list(
                    host.cpus or (_deal_processors(job.cpus, here.index(place), len(here)) if place in here else ())
                ),
                "samples": samples,
            }
        )
        for place, host in enumerate(hosts)
    ]


def _deal_processors(cpus: Sequence[int], place: int, of: int) -> Sequence[int]:
    return (cpus[place::of] or [cpus[place % len(cpus)]]) if cpus else ()


class Engines:
    """Running engines that drive each slice together; a context manager that leaves no process behind. Each writes into a folder
    of its own, `engine-1`, `engine-2` ..., and the parent folder gets the files that one engine would have written. `cpus` are
    the processors of each."""

    def __init__(self, job: Job, folder: Path, secrets: Sequence[Secrets | None], hosts: Sequence[EngineHost]) -> None:
        """Start an engine on each host for its share of the job, with the secrets of its place; raises EngineError where an
        engine refuses."""
        jobs = shared_out(job, hosts)
        self.cpus = [list(job.cpus) for job in jobs]
        self.hosts = [host.name for host in hosts]
        self._folder = folder
        self._names = [
            f"engine {place + 1} of {len(hosts)}{f' on {host.name}' if host.name else ''}"
            for place, host in enumerate(hosts)
        ]
        self._engines: list[Engine] = []
        self._lost: dict[int, str] = {}
        self._ticks = TickSum()
        self._last_second: int | None = None
        try:
            for place, (own_job, own_secrets, host) in enumerate(zip(jobs, secrets, hosts, strict=True)):
                own = self.parts[place].folder
                own.mkdir()
                with self._naming_engine(place):
                    self._engines.append(Engine(own_job, own, own_secrets, host))
        except BaseException:
            self.kill()
            raise

    def __enter__(self) -> Engines:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close() if kind is None else self.kill()

    @property
    def parts(self) -> list[EnginePart]:
        """Each engine: its name, its folder, and the reason of its loss, if lost."""
        return [
            EnginePart(name, self._folder / f"engine-{place + 1}", self._lost.get(place))
            for place, name in enumerate(self._names)
        ]

    @property
    def pids(self) -> list[int]:
        """The engines' process ids."""
        return [engine.pid for engine in self._engines]

    def drive_slice(self, slice_number: int, seconds: float, on_tick: Tick) -> None:
        """Drive one slice, and return when all engines have drained it and their files are merged; raises EngineError where one
        is lost before the start, or all are lost.

        Where one is lost later, the others soon end the slice, which is not valid; its requests until its last second count.
        """
        if self._lost:
            raise EngineError(next(iter(self._lost.values())))
        self._ticks, self._last_second = TickSum(), None
        for each in (Engine.prepare, Engine.await_ready):
            for place, engine in enumerate(self._engines):
                with self._naming_engine(place):
                    each(engine, slice_number)
        at_ns = time.monotonic_ns() + _HEAD_START_NS
        for place, engine in enumerate(self._engines):
            with self._naming_engine(place):
                engine.begin(slice_number, at_ns)
        self._await_drained(slice_number, seconds, on_tick)
        self._fetch_files()
        if len(self._lost) == len(self._engines):
            raise EngineError("; ".join(f"{self._names[place]}: {why}" for place, why in self._lost.items()))
        merge(self._folder, self.parts)

    def _fetch_files(self) -> None:
        """Copy the files of engines on other hosts into our folders; a lost engine may have none."""
        for place, engine in enumerate(self._engines):
            try:
                engine.fetch_files()
            except EngineError as error:
                self._lost.setdefault(place, str(error))

    def end_early(self, slice_number: int) -> None:
        """End the measured time of the running slice soon, after the same second on all engines."""
        if self._last_second is not None:
            return
        self._last_second = math.floor(self._ticks.latest_s) + _SECONDS_AHEAD
        for place, engine in enumerate(self._engines):
            if place not in self._lost:
                with suppress(EngineError):  # the thread that follows it reports the loss
                    engine.end_early(slice_number, self._last_second)

    def began_ns(self, slice_number: int) -> list[int]:
        """When each remaining engine was ready to begin a slice (CLOCK_MONOTONIC), from its own file; raises StoreError."""
        return [
            audit["began_ns"]
            for part in self.parts
            if part.lost is None
            for audit in read_document(part.folder / "summary.json")["slices"]
            if audit["slice"] == slice_number
        ]

    def close(self) -> None:
        """Let the engines finish their files and end; raises EngineError where one does not end, or ends with an error."""
        try:
            for place, engine in enumerate(self._engines):
                if place not in self._lost:
                    with self._naming_engine(place):
                        engine.close()
        except BaseException:
            self.kill()
            raise

    def kill(self) -> None:
        """Kill all engines now."""
        for engine in self._engines:
            engine.kill()

    @contextmanager
    def _naming_engine(self, place: int) -> Iterator[None]:
        try:
            yield
        except EngineError as error:
            raise EngineError(f"{self._names[place]}: {error}", hint=error.hint) from None

    def _await_drained(self, slice_number: int, seconds: float, on_tick: Tick) -> None:
        """Return when no engine drives the slice any more; `on_tick` gets the sums of all engines' seconds, in this thread."""
        messages: SimpleQueue[tuple[int, dict[str, Any] | str | None]] = SimpleQueue()

        def listen(place: int, engine: Engine) -> None:
            try:
                engine.await_drained(slice_number, seconds, lambda tick: messages.put((place, tick)))
                messages.put((place, None))
            except EngineError as error:
                messages.put((place, str(error)))

        driving = set(range(len(self._engines)))
        for place, engine in enumerate(self._engines):
            threading.Thread(target=listen, args=(place, engine), daemon=True).start()
        while driving:
            place, message = messages.get()
            if isinstance(message, dict):
                together = self._ticks.add(place, message, driving)
                if together is not None:
                    on_tick(together)
                continue
            driving.discard(place)
            if message is not None:
                self._lost[place] = message
                self._engines[place].kill()  # a silent engine may still send load
                self.end_early(slice_number)


class TickSum:
    """The sum of several engines' seconds: a second is complete when every engine has reported it."""

    def __init__(self) -> None:
        self.latest_s = 0.0
        self._latest: dict[int, Mapping[str, Any]] = {}
        self._answered: dict[int, int] = {}
        self._shown_s = 0.0

    def add(self, place: int, tick: Mapping[str, Any], driving: Collection[int]) -> dict[str, Any] | None:
        """The totals of all engines, where the engine at `place` was the last of those `driving` to report a second."""
        before = self._latest.get(place, {"completed": 0})
        self._answered[place] = tick["completed"] - before["completed"]
        self._latest[place] = tick
        self.latest_s = max(self.latest_s, tick["elapsed_s"])
        if not set(driving) <= self._latest.keys():
            return None
        elapsed = min(self._latest[each]["elapsed_s"] for each in driving)
        if elapsed <= self._shown_s:
            return None
        self._shown_s = elapsed
        counts = {name: sum(tick[name] for tick in self._latest.values()) for name in ("completed", "failed", "wrong")}
        users = sum(self._latest[each]["users"] for each in driving)
        return {**tick, **counts, "users": users, "elapsed_s": elapsed, "response_ms": self._mean_response_ms()}

    def _mean_response_ms(self) -> float | None:
        timed = [
            (self._answered[place], tick["response_ms"])
            for place, tick in self._latest.items()
            if tick["response_ms"] is not None and self._answered[place]
        ]
        answered = sum(count for count, _ in timed)
        return sum(count * mean for count, mean in timed) / answered if answered else None

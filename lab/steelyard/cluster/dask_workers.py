"""Workers of Dask's distributed, on this machine or of the user's scheduler. They run `worker.py`."""

from __future__ import annotations

import logging
import re
import signal
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from ..base import paths
from ..base.errors import ConfigurationError, TargetError, ToolchainError
from ..hosts.scratch import scratch_folder
from . import worker as at_the_worker
from .handing import News, TrialEnd, Worker
from .worker import Introduced, Order

MOST_LOCAL = 64
_CONNECT_SECONDS = 30.0
_ASK_SECONDS = 60.0  # a worker that is silent for longer is not used
_GONE = (OSError, TimeoutError)
_ENDING = ("closing", "closed", "failed")


@dataclass(frozen=True)
class Where:
    """The value of `--cluster`: a number of workers on this machine (`local`), or a scheduler's address."""

    local: int = 0
    address: str = ""


def parse_where(words: str) -> Where:
    """Parse `local:N` or an address such as tcp://10.0.0.5:8786. Raises ConfigurationError."""
    kind, _, rest = words.partition(":")
    if kind == "local":
        if not (rest.isascii() and rest.isdigit() and 1 <= int(rest) <= MOST_LOCAL):
            raise ConfigurationError(f"--cluster local:N takes 1 to {MOST_LOCAL} workers, not '{rest}'")
        return Where(local=int(rest))
    if re.fullmatch(r"((tcp|tls|ucx|ws|wss)://)?[^\s/:]+:\d{1,5}|(tcp|tls|ws|wss)://\[[0-9a-fA-F:]+\]:\d{1,5}", words):
        return Where(address=words)
    raise ConfigurationError(
        f"--cluster got the unknown value '{words}'",
        hint="use local:2 for two workers on this machine, or the address of a Dask scheduler, such as "
        "tcp://10.0.0.5:8786",
    )


def open_port_warning(where: Where) -> str:
    """A warning where a scheduler on a network is used without TLS; empty otherwise."""
    address = where.address if "://" in where.address else f"tcp://{where.address}"
    parts = urlsplit(address)
    name = parts.hostname or ""
    with suppress(ValueError):
        if ip_address(name).is_loopback:
            return ""
    if where.local or parts.scheme in ("tls", "wss") or name in paths.HOST_NAMES:
        return ""
    return (
        f"the scheduler at {where.address} is used without TLS: whoever reaches its port can run programs as you on every "
        "machine of the cluster. An address that begins with tls:// protects it"
    )


def import_distributed() -> Any:
    """Dask's distributed. Raises ToolchainError if it is not installed."""
    try:
        import distributed as library
    except ImportError:
        raise ToolchainError(
            "a cluster needs Dask's distributed, which is not installed here",
            hint="install steelyard[cluster] here and on each machine",
        ) from None
    return library


@contextmanager
def workers_of(where: Where, report: Callable[[str, str], None]) -> Iterator[DaskWorkers]:
    """The workers of `where`. `tell` is called with a worker's name and stage.

    Local workers are started, on loopback only, and stopped at the end. Raises TargetError if no scheduler answers.
    """
    library = import_distributed()
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # Steelyard reports a dead worker itself
    with ExitStack() as stack:
        address = stack.enter_context(_local_cluster(library, where.local)) if where.local else where.address
        try:
            client = stack.enter_context(library.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False))
        except _GONE as error:
            raise TargetError(
                f"no Dask scheduler answers at {where.address}: {error}", hint="start one with `dask scheduler`"
            ) from None
        workers = DaskWorkers(library, client, report)
        stack.callback(workers.close)
        yield workers


@contextmanager
def _local_cluster(library: Any, workers: int) -> Iterator[Any]:
    """Workers on this machine, and their scheduler. Their files are in a folder of this process, since they may be killed."""
    import dask

    with scratch_folder("dask-") as scratch, dask.config.set(temporary_directory=scratch):
        before = signal.pthread_sigmask(
            signal.SIG_BLOCK, {signal.SIGINT}
        )  # the workers inherit it: see local_worker.py
        try:
            cluster = library.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host=paths.HOST,
                dashboard_address=f"{paths.HOST}:0",  # otherwise the default port, which another run may use
                memory_limit=None,
                silence_logs=logging.CRITICAL,
                local_directory=scratch,
                preload=["steelyard.cluster.local_worker"],
            )
            with cluster:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
                yield cluster
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass
class DaskWorkers:
    """The workers of one scheduler. `order_of` makes a trial's order, and must be set before the first start."""

    library: Any
    client: Any
    report: Callable[[str, str], None]
    order_of: Callable[[int, Worker], Order] | None = None
    introduced: dict[str, Introduced] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    _futures: dict[str, tuple[int, Any]] = field(default_factory=dict)
    _topic: str = field(default_factory=lambda: f"steelyard-{uuid.uuid4().hex[:12]}")

    def __post_init__(self) -> None:
        self.client.subscribe_topic(self._topic, self._on_event)

    def present(self) -> Sequence[Worker]:
        """The workers that reported their machine. Raises TargetError if the scheduler is gone."""
        if self.client.status in ("closed", "closing"):
            raise TargetError("the Dask scheduler is gone", hint="resume the run with --resume")
        try:
            # Not `scheduler_info`: its own refresh may replace the answer by one without workers.
            names = list(self.client.nthreads())
        except _GONE as error:
            raise TargetError(f"the Dask scheduler is gone: {error}", hint="resume the run with --resume") from None
        self._introduce([name for name in names if name not in self.introduced and name not in self.refused])
        return [Worker(name, self.introduced[name].identity) for name in names if name in self.introduced]

    def begin(self, worker: Worker, trial: int) -> None:
        """Make a worker drive a trial.

        Dask may move it to no other worker, because it does not know the machine's lock.
        """
        assert self.order_of is not None
        key = f"{self._topic}-{trial}-{uuid.uuid4().hex[:8]}"
        future = self.client.submit(
            on_worker,
            self.order_of(trial, worker),
            key,
            self._topic,
            key=key,
            workers=[worker.name],
            allow_other_workers=False,
            pure=False,
        )
        self._futures[worker.name] = (trial, future)

    def cancel(self, worker: str, trial: int) -> None:
        """Forget a trial on a worker that is away."""
        had = self._futures.get(worker)
        if had is not None and had[0] == trial:
            del self._futures[worker]
            with suppress(*_GONE):
                had[1].cancel()

    def next_news(self, seconds: float) -> Sequence[News]:
        """Wait for finished trials, at most this many seconds, and return them."""
        waiting = [future for _, future in self._futures.values()]
        if not waiting:
            time.sleep(seconds)
            return []
        with suppress(TimeoutError), self.client.as_current():
            self.library.wait(waiting, timeout=seconds, return_when="FIRST_COMPLETED")
        ended = [(name, trial, future) for name, (trial, future) in self._futures.items() if future.done()]
        for name, _, _ in ended:
            del self._futures[name]
        return [_news(name, trial, future) for name, trial, future in ended]

    def close(self) -> None:
        """Cancel all trials."""
        for name, (trial, _) in list(self._futures.items()):
            self.cancel(name, trial)

    def _introduce(self, names: Sequence[str]) -> None:
        """Ask new workers for their machine. A worker that cannot answer is not asked again."""
        if not names:
            return
        try:
            introductions: Mapping[str, Any] = self.client.run(
                at_the_worker.introduce, workers=list(names), on_error="return"
            )
        except _GONE:
            return  # a worker left meanwhile; the others are asked again
        for name, answer in introductions.items():
            if isinstance(answer, Introduced):
                self.introduced[name] = answer
            else:
                self.refused[name] = f"the worker {name} cannot report its machine: {type(answer).__name__}: {answer}"

    def _on_event(self, event: tuple[Any, Any]) -> None:
        message = event[1]
        if isinstance(message, dict) and "worker" in message:
            self.report(str(message["worker"]), str(message.get("stage", ""))[:200])


def on_worker(order: Order, key: str, topic: str) -> at_the_worker.Done:
    """The task that Dask runs in a thread of the worker: execute the order while the task is wanted."""
    here = import_distributed().get_worker()

    def is_wanted() -> bool:
        # A thread cannot be interrupted, so it checks the task's state for a cancelled task or a lost client, and the worker's
        # for an interrupt or a lost scheduler.
        task = here.state.tasks.get(key)
        return here.status.name not in _ENDING and task is not None and task.state == "executing"

    def set_stage(stage: str) -> None:
        here.log_event(topic, {"worker": here.address, "stage": stage})

    return at_the_worker.drive(order, is_wanted, set_stage)


def _news(worker: str, trial: int, future: Any) -> News:
    if future.status != "finished":
        reason = (
            f"{type(future.exception()).__name__}: {future.exception()}" if future.status == "error" else future.status
        )
        return News(worker, trial, TrialEnd.LOST, f"the worker ended it ({reason})")
    try:
        done: at_the_worker.Done = future.result(timeout=_ASK_SECONDS)
    except _GONE:  # the worker died with it; Dask would repeat it
        future.cancel()
        return News(worker, trial, TrialEnd.LOST, "its worker is gone, and its results are lost")
    return News(worker, trial, TrialEnd(done.outcome), done.message, done.packed)

"""`make deferred-work`: measures servers that defer work, alone and together with one that does not. The results are stored next to
the bank."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..base import paths
from ..base.csvfiles import read_table
from ..base.errors import EngineError
from ..base.histogram import Histogram
from ..base.lock import machine_lock
from ..base.progress import Progress
from ..hosts.cpus import Shares, kept_awake, share
from ..hosts.keeper import Keeper
from ..measure.trial import idle_cpu
from ..measure.trial.engine import Engine
from ..measure.trial.engine_job import JobRequests, LoadSlice, engine_job
from ..measure.trial.jobs import answering, turn_within
from ..measure.trial.last_slices import LastSlices
from ..models.job import BigBang, KeeperChannel, Rule, Target, Turn
from ..plan.slices import QUIET_AT_REST
from . import deferred_work
from .deferred_work import ALONE, KINDS, LAB, UNASKED, WAYS, Drive
from .program import run_program

COST_US = 400  # of a request, by the server's own CPU clock
USERS = 4
WARM_UP_SECONDS, MEASURED_SECONDS = 2.0, 6.0
SHORT_TURN_MS, SLICE_SECONDS = 150.0, 2.0  # as in studies/compare.toml
ROUND_SECONDS = (len(KINDS) + len(UNASKED)) * 53.0
HONEST, OTHER = "honest", "other"
_BODY = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><echoVoid/></e:Body></e:Envelope>'
_PATIENCE_SECONDS = 60.0
_LONGEST_SECONDS = 1000


def collect(bank: Path, program: Path, rounds: int, progress: Progress) -> list[Drive]:
    """Drive further rounds, every kind in every way, with the ways in a rotating order, and store the results after
    each kind.

    Raises SteelyardError, and KeyboardInterrupt when stopped: finished results are kept.
    """
    kept = deferred_work.read(bank)
    done = max((drive.round for drive in kept), default=0)
    with machine_lock("make deferred-work"), kept_awake(share()):
        for number in range(done + 1, done + 1 + rounds):
            progress.plan((done + rounds + 1 - number) * ROUND_SECONDS)
            turned = number % len(WAYS)
            for kind in (*KINDS, *UNASKED):
                for way in WAYS[turned:] + WAYS[:turned]:
                    progress.show(f"round {number}: {kind}, {way}")
                    kept.append(_drive(program, number, kind, way))
                deferred_work.write(kept, bank)
    return kept


def _drive(program: Path, number: int, kind: str, way: str) -> Drive:
    """Measure one kind in one way; alone, each server starts after the other has ended."""
    words = {HONEST: (), OTHER: tuple(kind.split())}
    with TemporaryDirectory() as scratch:
        if way == ALONE:
            order = [HONEST, OTHER] if number % 2 else [OTHER, HONEST]
            each = {
                label: _drive_together(program, {label: words[label]}, way, Path(scratch) / label) for label in order
            }
            rates = {label: driven.per_s[label] for label, driven in each.items()}
            return Drive(number, kind, way, rates[OTHER], rates[HONEST])
        driven = _drive_together(program, words, way, Path(scratch) / "both")
    return Drive(number, kind, way, driven.per_s[OTHER], driven.per_s[HONEST], driven.turn_ms, driven.at_rest)


@dataclass(frozen=True)
class _Driven:
    """Right answers per second of each server, and the turns and idle load of the measurement."""

    per_s: dict[str, float]
    turn_ms: float
    at_rest: float


def _drive_together(program: Path, words: dict[str, tuple[str, ...]], way: str, folder: Path) -> _Driven:
    """Measure the servers that run together, or the only one.

    The other server warms up last, and its turns follow at once, so it has as much deferred work at its first turn as
    later.
    """
    folder.mkdir()
    shares = share()
    with _servers(program, words, shares, folder) as servers:
        warm, measured = list(range(len(words))), list(range(len(words), 2 * len(words)))
        job = engine_job(
            1,
            JobRequests(_corpus(folder), {"right": Rule(contains="echoVoidResponse")}),
            [target for _, target in servers.values()],
            [
                *(_slice(label, "warm-up", WARM_UP_SECONDS) for label in words),
                *(_slice(label, "measure", MEASURED_SECONDS) for label in words),
            ],
            shares.engine,
        )
        last, rest, turn = LastSlices(folder / "intervals.hlog"), 0.0, Turn(ms=SHORT_TURN_MS)
        with Engine(job, folder) as engine:
            if way == LAB:  # before the load: after it, the check would wait for all deferred work
                used = {label: partial(_used_ns, kept) for label, (kept, _) in servers.items()}
                rest = next(unasked.share for unasked in idle_cpu.measure_idle_cpu(used) if unasked.subject == OTHER)
            for number in warm:
                engine.drive_slice(number, _PATIENCE_SECONDS, _ignore_tick)
            if way == LAB:
                turn = _turn_of_run(last.response_times(), rest)
            if way == ALONE:
                engine.drive_slice(measured[0], _PATIENCE_SECONDS, _ignore_tick)
            else:
                engine.take_turns(measured, turn, _PATIENCE_SECONDS, _ignore_tick)
    rows = read_table(folder / "slices.csv", ["subject", "phase", "completed", "measured_ns", "valid"])
    measured_rows = [row for row in rows if row.text("phase") == "measure"]
    if any(row.text("valid") != "1" for row in measured_rows):
        raise EngineError("the engine could not keep its load")
    rates = {row.text("subject"): row.whole("completed") / row.whole("measured_ns") * 1e9 for row in measured_rows}
    return _Driven(
        {label: round(rate, 3) for label, rate in rates.items()}, 0.0 if way == ALONE else round(turn.ms, 1), rest
    )


def _turn_of_run(times: Mapping[str, Histogram], rest: float) -> Turn:
    """The turns for servers with these response times and idle load; whole slices if a run would use stretches."""
    turn = turn_within(SLICE_SECONDS, SHORT_TURN_MS, [answering(times.get(label)) for label in (HONEST, OTHER)])
    return turn if turn is not None and rest <= QUIET_AT_REST else Turn(ms=SLICE_SECONDS * 1000)


def _ignore_tick(tick: dict[str, Any]) -> None:
    """Ignore the live figures of a second."""


def _used_ns(kept: Keeper) -> int:
    return sum(process.cpu_ns for process in kept.use())


def _slice(label: str, phase: str, seconds: float) -> LoadSlice:
    profile = BigBang(users=USERS, seconds=seconds)
    return LoadSlice(label, phase, profile, {"echoVoid": 1}, "one for all", lead_in_ms=0)


def _corpus(folder: Path) -> str:
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "corpus.bin").write_text(_BODY, encoding="utf-8")
    index = f"entry,operation,offset,length,rule,safe\n0,echoVoid,0,{len(_BODY)},right,1\n"
    (corpus / "corpus.csv").write_text(index, encoding="utf-8")
    return corpus.name


@contextmanager
def _servers(
    program: Path, words: dict[str, tuple[str, ...]], shares: Shares, folder: Path
) -> Iterator[dict[str, tuple[Keeper, Target]]]:
    """The running servers, each with a keeper, as the engine loads and pauses them."""
    with ExitStack() as stack:
        servers = {}
        for label, more in words.items():
            log, control = folder / f"{label}.log", folder / label
            # A test server ends when its input ends, and a keeper gives it no input.
            line = shlex.join([str(program), "defer", "--microseconds", str(COST_US), *more])
            argv = ["sh", "-c", f"sleep {_LONGEST_SECONDS} | exec {line}"]
            kept = stack.enter_context(Keeper(argv, log=log, cpus=shares.server, control=control))
            channel = KeeperChannel(control=str(control), may_freeze=True)
            headers = {"Content-Type": "text/xml"}
            target = Target(subject=label, url=f"http://{_address_in(log)}/", headers=headers, keepers=[channel])
            servers[label] = kept, target
        yield servers


def _address_in(log: Path) -> str:
    end = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < end:
        if log.is_file() and (printed := log.read_text(encoding="utf-8")).endswith("\n"):
            return str(json.loads(printed.splitlines()[0])["listening"])
        time.sleep(0.01)
    raise EngineError(f"the test server printed no address to {log}")


def main() -> int:
    """Collect; 0 when all rounds are kept, 130 when stopped, 1 on an error."""
    wishes = argparse.ArgumentParser(description=__doc__)
    wishes.add_argument("--rounds", type=int, default=8, help="further rounds, about three and a half minutes each")
    wishes.add_argument("--bank", type=Path, default=paths.root() / "docs" / "results" / "calibration")
    wishes.add_argument("--program", type=Path, default=paths.root() / "engine/target/release/steelyard-testserver")
    arguments = wishes.parse_args()

    def collect_rounds(progress: Progress) -> str:
        kept = collect(arguments.bank, arguments.program.resolve(), arguments.rounds, progress)
        return f"{max(drive.round for drive in kept)} rounds are stored in {arguments.bank}"

    return run_program(collect_rounds, "finished results are kept")


if __name__ == "__main__":
    sys.exit(main())

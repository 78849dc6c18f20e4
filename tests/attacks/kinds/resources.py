"""Resources: limits of descriptors, memory, processes and processor time, a port in use, processors taken away."""

from __future__ import annotations

import os
import random
import socket
import time
from contextlib import suppress
from itertools import product
from pathlib import Path

from ..ground import Ground, NotHereError
from ..oracle import Verdict

SHARE = 80
# What a shell limits before the laboratory starts: descriptors, KiB of address space, KiB of stack, seconds of processor time.
LIMITS = {
    "descriptors": ("ulimit -n {}", (8, 12, 16, 20, 24, 32, 48, 64, 128)),
    # Below 300 MB the numerical library ends the process by itself, or tries forever.
    "address space": ("ulimit -v {}", (300_000, 350_000, 400_000, 600_000, 800_000, 1_200_000, 2_000_000)),
    "stack": ("ulimit -s {}", (256, 1024)),
    "locked memory": ("ulimit -l {}", (0,)),
    "pending signals": ("ulimit -i {}", (0, 8)),
    "processor seconds": ("ulimit -t {}", (1, 2)),
}
PROCESSES = (2, 5, 10, 20, 40, 80)
COMMANDS = ("load", "run")
OTHERS = (
    "load: the port is in use",
    "load: the port is in use, and nothing is accepted",
    *(f"{command}: one processor at the start" for command in COMMANDS),
    *(f"{command}: processors are taken away" for command in COMMANDS),
    *(f"{command}: nice 19" for command in COMMANDS),
    "load: the lock is held",
    "run: the lock is held",
)
VARIANTS = (
    *(
        f"{command}: {name} {value}"
        for command, (name, (_, values)) in product(COMMANDS, LIMITS.items())
        for value in values
    ),
    *(f"{command}: processes {number}" for command, number in product(COMMANDS, PROCESSES)),
    *OTHERS,
)
CPU_LIMIT_SIGNALS = (9, 24)  # SIGXCPU, and SIGKILL where that is survived


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Limit a command, or take something away from it."""
    command, _, what = variant.partition(": ")
    words = ground.words(command, seconds="1s")
    ground.protect()
    name, _, value = what.rpartition(" ")
    signals: tuple[int, ...] = ()
    if name in LIMITS:
        signals = CPU_LIMIT_SIGNALS if name == "processor seconds" else ()
        ended = ground.run(*words, shell=LIMITS[name][0].format(value))
    elif name == "processes":
        if os.geteuid() != 0:
            raise NotHereError("the limit would count the user's other processes")
        ground.become()
        ended = ground.run(*words, shell=f"ulimit -u {value}")
    elif what.startswith("the port is in use"):
        with socket.create_server(("127.0.0.1", ground.port), backlog=0 if "nothing" in what else 64):
            ended = ground.run(*words)
    elif what == "the lock is held":
        with ground.serving() as port:
            holder = ground.start(*ground.load_words(port, seconds="60s"))
            holder.await_step("loading")
            ended = ground.run(*words)
            holder.send(15)
            first = holder.end()
        wrong = ground.wrong(ended)
        if ended.code != 1 or first.code != 130:
            wrong.append(f"the second ended with {ended.code}, the first with {first.code}")
        return ground.load_verdict(ended, wrong)
    elif what == "processors are taken away":
        lab = ground.start(*words)
        lab.await_step("loading" if command == "load" else "trial 1 … measuring work")
        time.sleep(draw.uniform(0, 0.5))
        kept = draw.choice(sorted(os.sched_getaffinity(0)))
        for process in ground.processes():
            _bind(process.pid, kept)
        ended = lab.end()
    else:
        shell = "renice -n 19 $$ > /dev/null" if what == "nice 19" else f"taskset -pc {_a_processor()} $$ > /dev/null"
        ended = ground.run(*words, shell=shell)
    wrong = ground.wrong(ended, signals, killed=bool(signals))
    return ground.verdict(command, ended, wrong)


def _a_processor() -> int:
    return min(os.sched_getaffinity(0))


def _bind(pid: int, processor: int) -> None:
    """Bind all threads of a process to one processor."""
    with suppress(OSError):  # it may have ended
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {processor})

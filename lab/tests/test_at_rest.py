"""The processor time of subjects without load, measured on real processes."""

import sys
from contextlib import ExitStack
from pathlib import Path

from steelyard.hosts.keeper import Keeper
from steelyard.measure.trial import idle_cpu
from steelyard.plan.slices import QUIET_AT_REST

SPIN = "import time\ndef spin(s):\n    end = time.process_time() + s\n    while time.process_time() < end: pass\n"
CHORES = SPIN + "while True:\n    time.sleep(0.09)\n    spin(0.01)\n"
PUT_OFF = SPIN + "spin(1.2)\ntime.sleep(1000)\n"


def looked_at(folder: Path, **commands: list[str]) -> dict[str, tuple[float, int]]:
    """Share and windows of each."""
    with ExitStack() as stack:
        kept = {
            label: stack.enter_context(Keeper(argv, log=folder / f"{label}.log")) for label, argv in commands.items()
        }

        def used(keeper: Keeper) -> idle_cpu.Used:
            return lambda: sum(process.cpu_ns for process in keeper.use())

        found = idle_cpu.measure_idle_cpu({label: used(keeper) for label, keeper in kept.items()})
    return {rest.subject: (rest.share, rest.windows) for rest in found}


def test_who_works_by_the_clock_is_seen_and_who_waits_is_not(tmp_path: Path) -> None:
    found = looked_at(tmp_path, chores=[sys.executable, "-c", CHORES], waits=["sleep", "1000"])
    assert found["chores"][0] > 2 * QUIET_AT_REST
    assert found["waits"] == (0, idle_cpu.MOST_WINDOWS), "all were looked at until all were quiet"


def test_work_that_was_put_off_is_waited_for_and_is_none_of_the_clock(tmp_path: Path) -> None:
    share, windows = looked_at(tmp_path, later=[sys.executable, "-c", PUT_OFF])["later"]
    assert share <= QUIET_AT_REST and windows > 1


def test_who_is_quiet_costs_one_look(tmp_path: Path) -> None:
    ((share, windows),) = looked_at(tmp_path, waits=["sleep", "1000"]).values()
    assert share <= QUIET_AT_REST and windows == 1  # on a busy machine its start lies within what is looked at

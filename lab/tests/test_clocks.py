"""The clock offset and drift of another machine: known answers, and a clock that is set apart."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from steelyard.hosts.clocks import compare_clocks, read_clock
from steelyard.hosts.executor import Executor
from steelyard.hosts.keeper import Keeper
from steelyard.hosts.placement import LOOPBACK, Placement
from steelyard.models.records import HostClock
from steelyard.statistics.clocks import BothClocks, ClockLine, Offset, TimeStamps, drift_ppm, offset_of

SECOND_NS = 10**9
# Between the lab and a keeper: adds to each of its stamps what it is told first.
SHIFT = """
import json, subprocess, sys, threading
kept = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def answers():
    for line in kept.stdout:
        answer = json.loads(line)
        for name in answer.get("time", ()):
            answer["time"][name] += int(sys.argv[1])
        print(json.dumps(answer), flush=True)
threading.Thread(target=answers, daemon=True).start()
for line in sys.stdin:
    kept.stdin.write(line)
    kept.stdin.flush()
kept.stdin.close()
sys.exit(kept.wait())
"""


class AnotherClock(Executor):
    """This machine, with a keeper that is asked for the time and says it is later."""

    def __init__(self, ahead_ns: int) -> None:
        super().__init__((sys.executable, "-c", SHIFT, str(ahead_ns)))
        self.keeper: Keeper | None = None

    def time(self) -> BothClocks | None:
        assert self.keeper is not None
        return self.keeper.time()


def test_where_both_ways_are_as_long_the_offset_is_exact() -> None:
    # One second ahead, 3 ms on each way, 5 ms until the answer.
    stamps = TimeStamps(0, SECOND_NS + 3_000_000, SECOND_NS + 8_000_000, 11_000_000)
    assert (stamps.offset_ns, stamps.delay_ns) == (SECOND_NS, 6_000_000)


@pytest.mark.parametrize(("there", "back"), [(1_000_000, 9_000_000), (9_000_000, 1_000_000), (0, 10_000_000)])
def test_however_unequal_the_ways_the_truth_is_within_what_is_said(there: int, back: int) -> None:
    ahead = -7 * SECOND_NS
    found = offset_of([TimeStamps(100, 100 + there + ahead, 100 + there + ahead + 50, 100 + there + 50 + back)])
    assert abs(found.ns - ahead) <= found.within_ns == 5_000_000


def test_what_waited_on_the_way_is_not_listened_to() -> None:
    slow = TimeStamps(0, 80_000_000, 80_000_000, 100_000_000)
    quick = TimeStamps(200_000_000, 200_500_000, 200_500_000, 201_000_000)
    assert offset_of([slow, quick, slow]) == Offset(200_500_000, 0.0, 500_000.0)


def test_drift_is_what_the_offset_gains_in_a_second_and_known_no_better_than_the_offsets() -> None:
    before, after = Offset(0, 1_000_000, 2_000), Offset(10 * SECOND_NS, 1_200_000, 3_000)
    assert drift_ppm(before, after) == (20.0, 0.5)
    assert drift_ppm(after, after) is None


def test_instants_of_a_clock_that_is_ahead_and_gains_are_ours_between_two_looks_and_beyond_them() -> None:
    ahead, gain = 1_000_000 * SECOND_NS, 5e-5  # another boot, 11 days before ours, and 50 microseconds a second

    def theirs(ours: int) -> int:
        return ours + ahead + round(ours * gain)

    line = ClockLine(*(Offset(at, theirs(at) - at, 100_000) for at in (0, 100 * SECOND_NS)))
    for ours in (0, 1, 33 * SECOND_NS + 7, 100 * SECOND_NS, 130 * SECOND_NS):
        assert abs(line.to_our_clock(theirs(ours)) - ours) <= 20
        assert abs(line.to_other_clock(ours) - theirs(ours)) <= 20
    assert line.to_our_clock(theirs(20 * SECOND_NS)) - line.to_our_clock(theirs(10 * SECOND_NS)) == pytest.approx(
        10 * SECOND_NS, abs=40
    )


def test_two_looks_at_once_say_nothing_of_drift() -> None:
    line = ClockLine(Offset(5, 1000.0, 3), Offset(5, 1000.0, 3))
    assert (line.to_our_clock(1050), line.to_other_clock(50)) == (50, 1050)


def test_a_clock_that_is_set_apart_by_a_second_is_told_and_its_drift_is_not_made_of_it(tmp_path: Path) -> None:
    reach = AnotherClock(SECOND_NS)
    noted: list[HostClock] = []
    with Keeper(["sleep", "1000"], log=tmp_path / "log", reach=reach) as reach.keeper:
        site = Placement("rack", "10.0.0.2", reach)
        with compare_clocks(site, noted) as clock_there:
            assert clock_there is not None
            begun = time.monotonic_ns()
            line = clock_there.line()
            within = max(line.before.within_ns, line.after.within_ns) + 2
            assert abs(line.to_our_clock(begun + SECOND_NS) - begun) <= within
    [clock] = noted
    assert clock.after is not None and clock.drift_ppm is not None and clock.drift_within_ppm is not None
    for look in (clock.before, clock.after):
        assert abs(look.ahead_ms - 1000) <= look.within_ms + 0.001  # what is stored has three digits of it
    assert abs(clock.drift_ppm) <= 1.01 * clock.drift_within_ppm


def test_a_host_whose_clock_is_this_machines_is_not_asked() -> None:
    noted: list[HostClock] = []
    with compare_clocks(LOOPBACK, noted) as clock:
        assert clock is None and read_clock(LOOPBACK.reach) is None
    assert noted == []

"""Foreign work on the subjects' processors is found and named, and none of our work is taken for it."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from steelyard.base.errors import ConfigurationError, StoreError
from steelyard.hosts import foreign_work
from steelyard.hosts.cpus import Shares, kept_awake
from steelyard.hosts.foreign_work import (
    ForeignLook,
    ForeignObserver,
    KernelThread,
    Used,
    busiest_strangers,
    used_between,
)
from steelyard.hosts.process_table import Process, ancestors, descends
from steelyard.hosts.processors import CpuTimes
from steelyard.results.foreign_table import NAME, STRANGERS, ForeignWork, read_foreign, read_strangers

SECOND = 1_000_000_000
SERVER = 0
LOOP = "while True: pass"


def a_look(
    at_s: float,
    spent: CpuTimes,
    ours_s: float = 0.0,
    kernel: Mapping[int, tuple[float, bool]] | None = None,
    strangers: Sequence[Used] = (),
) -> ForeignLook:
    threads = {(pid, 1): KernelThread(round(s * SECOND), there) for pid, (s, there) in (kernel or {}).items()}
    used = {(each.process.pid, each.process.start_ticks): each for each in strangers}
    return ForeignLook(round(at_s * SECOND), {SERVER: spent}, round(ours_s * SECOND), threads, used)


def a_process(pid: int, name: str, cpu_s: float, parent: int = 1) -> Used:
    return Used(Process(pid, pid, name, parent, 0, 0, False, SERVER), round(cpu_s * SECOND))


def between(before: ForeignLook, after: ForeignLook, *, in_clocks: bool = True) -> ForeignWork:
    found = used_between([3, 4], before, after, interrupts_in_clocks=in_clocks)
    assert found is not None
    return found


def test_what_is_left_after_idle_time_our_own_and_the_kernels_is_of_others() -> None:
    others = [[a_process(os.getpid(), "make", used_s)] for used_s in (3.0, 5.0)]
    before = a_look(0, CpuTimes(0, 0, 0, 0), 5.0, {9: (1.0, True)}, others[0])
    after = a_look(10, CpuTimes(7, 1, 1.5, 0.5), 12.0, {9: (1.25, True)}, others[1])
    found = between(before, after)
    assert found.strangers_ns == 2 * SECOND
    assert (found.slices, found.processors, found.available_ns, found.idle_ns) == ("3+4", 1, 9.5e9, 1.5e9)
    assert (found.ours_ns, found.kernel_ns, found.foreign_ns) == (7e9, 0.25e9, 0.75e9)
    assert found.share == pytest.approx(0.75 / 9.5) and found.is_disturbed


def test_a_quiet_processor_on_which_the_subject_works_and_is_kept_awake_is_not_disturbed() -> None:
    found = between(a_look(0, CpuTimes(0, 0, 0, 0)), a_look(10, CpuTimes(9, 1, 0, 0), 9.85))
    assert found.share == pytest.approx(0.015) and not found.is_disturbed
    assert between(a_look(0, CpuTimes(0, 0, 0, 0)), a_look(10, CpuTimes(9, 1, 0, 0), 10.01)).share == 0.0


def test_what_an_idle_processor_spends_on_interrupts_is_nobodys_work() -> None:
    """Nothing of it is in a clock; a container hides who else is at work, so there what is left is theirs."""
    idle, after = CpuTimes(0, 0, 0, 0), CpuTimes(1, 0.5, 8.5, 0)
    seen = between(a_look(0, idle, 0, {9: (1.0, False)}), a_look(10, after, 1.0, {9: (1.0, False)}))
    assert (seen.strangers_ns, seen.foreign_ns, seen.is_disturbed) == (0, 0, False)
    hidden = between(a_look(0, idle), a_look(10, after, 1.0))
    assert (hidden.strangers_ns, hidden.foreign_ns, hidden.is_disturbed) == (None, 0.5 * SECOND, True)


@pytest.mark.parametrize(("in_clocks", "foreign_s"), [(True, 3.0), (False, 1.0)])
def test_interrupts_are_no_strangers_whether_or_not_they_are_in_the_clocks_of_processes(
    in_clocks: bool, foreign_s: float
) -> None:
    after = a_look(10, CpuTimes(7, 3, 0, 0, interrupts_s=2.0), 7.0)
    assert between(a_look(0, CpuTimes(0, 0, 0, 0)), after, in_clocks=in_clocks).foreign_ns == foreign_s * SECOND


def test_a_thread_of_the_kernel_counts_by_what_it_used_where_it_ran_last() -> None:
    before = a_look(0, CpuTimes(0, 0, 0, 0), 0, {7: (50.0, False), 8: (3.0, True)})
    after = a_look(10, CpuTimes(10, 0, 0, 0), 9.0, {7: (50.5, True), 8: (4.0, False), 9: (0.25, True)})
    assert between(before, after).kernel_ns == 0.75 * SECOND


def test_a_time_too_short_for_the_kernels_ticks_is_not_judged() -> None:
    found = between(a_look(0, CpuTimes(0, 0, 0, 0)), a_look(0.9, CpuTimes(0.9, 0, 0, 0)))
    assert found.foreign_ns == 0.9 * SECOND and found.share is None and not found.is_disturbed


def test_a_kernel_that_does_not_tell_how_processors_spend_their_time_is_not_believed() -> None:
    zeros = CpuTimes(0, 0, 0, 0)
    assert used_between([3], a_look(0, zeros), a_look(10, zeros), interrupts_in_clocks=True) is None
    gone = ForeignLook(10 * SECOND, {}, 0, {}, {})
    assert used_between([3], a_look(0, zeros), gone, interrupts_in_clocks=True) is None


def test_who_used_most_is_named_first_and_ended_children_count_for_who_waited_for_them() -> None:
    this, idle = os.getpid(), CpuTimes(0, 0, 0, 0)  # a process whose processors can be asked for
    cpus = os.sched_getaffinity(this)
    child = a_process(71, "cc1", 4.0, parent=this)
    before = a_look(0, idle, strangers=[a_process(this, "make", 10.0), child])
    after = a_look(10, idle, strangers=[a_process(this, "make", 10.0 + 4.0 + 2.5)])
    (found,) = busiest_strangers([3], before, after, cpus)
    assert (found.process, found.pid, found.cpu_ns) == ("make", this, 2.5 * SECOND)
    assert busiest_strangers([3], before, after, {max(cpus) + 1}) == [], "it cannot run there"
    grandchild = a_process(72, "as", 1.0, parent=71)
    before = a_look(0, idle, strangers=[a_process(this, "make", 10.0), child, grandchild])
    (found,) = busiest_strangers([3], before, a_look(10, idle, strangers=[a_process(this, "make", 17.5)]), cpus)
    assert found.cpu_ns == 2.5 * SECOND, "both ended, and were waited for by way of each other"
    assert busiest_strangers([3], after, after, cpus) == [], "it did nothing meanwhile"


def test_ids_that_came_again_do_not_lead_in_a_circle() -> None:
    circle = {pid: a_process(pid, "odd", 0.0, parent=parent).process for pid, parent in ((5, 6), (6, 5))}
    assert list(ancestors(5, circle)) == [5, 6]
    assert not descends(circle[5], {7}, circle) and descends(circle[5], {6}, circle)


@pytest.mark.parametrize(
    ("place", "line", "expected"),
    [
        ("proc/config.gz", "# CONFIG_IRQ_TIME_ACCOUNTING is not set", True),
        ("proc/config.gz", "CONFIG_IRQ_TIME_ACCOUNTING=y", False),
        ("boot/config-{release}", "# CONFIG_IRQ_TIME_ACCOUNTING is not set", True),
        ("lib/modules/{release}/config", "CONFIG_IRQ_TIME_ACCOUNTING=y", False),
        ("elsewhere", "# CONFIG_IRQ_TIME_ACCOUNTING is not set", False),
    ],
)
def test_the_kernels_configuration_says_whose_time_interrupts_are(
    tmp_path: Path, place: str, line: str, expected: bool
) -> None:
    file = tmp_path / place.format(release=os.uname().release)
    file.parent.mkdir(parents=True, exist_ok=True)
    text = f"CONFIG_A=y\n{line}\n".encode()
    file.write_bytes(gzip.compress(text) if file.suffix == ".gz" else text)
    assert foreign_work.interrupts_in_clocks(tmp_path) is expected


def test_a_damaged_configuration_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "config.gz").write_bytes(b"no gzip")
    assert foreign_work.interrupts_in_clocks(tmp_path) is False


@pytest.fixture
def stranger() -> Iterator[int]:
    """A busy process on the servers' processor that is no descendant of ours: its parent ended."""
    code = f"taskset -c {SERVER} {sys.executable} -c '{LOOP}' >/dev/null 2>&1 & echo $!"
    pid = int(subprocess.run(["sh", "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout)
    time.sleep(0.3)
    yield pid
    os.kill(pid, signal.SIGKILL)


def observed(folder: Path, seconds: float = 2.0) -> ForeignWork:
    with ForeignObserver(folder, [SERVER], [os.getpid()]) as observer:
        before = observer.look()
        time.sleep(seconds)
        observer.record([3], before)
    (row,) = read_foreign(folder / NAME, False)
    return row


def test_a_busy_loop_of_others_on_the_servers_processor_is_found_and_named(tmp_path: Path, stranger: int) -> None:
    row = observed(tmp_path)
    assert row.slices == "3" and row.is_disturbed
    # Others may be at work here too, so it had a fair part of the processor at the least.
    mine = [each for each in read_strangers(tmp_path / STRANGERS, False) if each.pid == stranger]
    assert mine and mine[0].cpu_ns > 0.1 * SECOND and mine[0].process.startswith("python")
    assert row.foreign_ns >= 0.5 * mine[0].cpu_ns  # on a busy machine its own time is read a little later


def test_the_subjects_own_work_and_what_keeps_the_processor_awake_are_no_strangers(tmp_path: Path) -> None:
    quiet = observed(tmp_path)
    with kept_awake(Shares([SERVER], [1], awake=[SERVER])):
        ours = subprocess.Popen(["taskset", "-c", str(SERVER), sys.executable, "-c", LOOP])
        try:
            time.sleep(0.3)
            busy = observed(tmp_path)
        finally:
            ours.kill()
            ours.wait()
    # On a machine where others are at work their part does not grow by ours.
    assert busy.ours_ns > 0.1 * SECOND and busy.ours_ns > 5 * quiet.ours_ns
    assert busy.foreign_ns < max(quiet.foreign_ns, 0) + 0.5 * busy.ours_ns
    assert busy.idle_ns < 0.1 * SECOND


def test_without_processors_to_watch_nothing_is_written(tmp_path: Path) -> None:
    with ForeignObserver(tmp_path, [], [1]) as observer:
        observer.record([3], observer.look())
    assert list(tmp_path.iterdir()) == []


def test_who_lets_others_work_beside_says_so_in_plain_words() -> None:
    assert foreign_work.may_count_strangers({"STEELYARD_STRANGERS": "yes"})
    assert not foreign_work.may_count_strangers({"STEELYARD_STRANGERS": "no"}) and not foreign_work.may_count_strangers(
        {}
    )
    with pytest.raises(ConfigurationError, match="STEELYARD_STRANGERS is 'maybe', but must be yes or no"):
        foreign_work.may_count_strangers({"STEELYARD_STRANGERS": "maybe"})


def test_pairs_are_counted_and_most_disturbed_means_busy(tmp_path: Path) -> None:
    with ForeignObserver(tmp_path, [SERVER], [os.getpid()]) as observer:
        assert not observer.busy
        for foreign_s, is_busy in ((1, True), (0, False), (1, True)):
            observer.begin_pair()
            observer._of_pair.append(
                ForeignWork("1", 0, 10 * SECOND, 1, 10 * SECOND, 0, (10 - foreign_s) * SECOND, 0, None)
            )
            assert observer.pair_is_disturbed() is bool(foreign_s)
            assert observer.busy is is_busy


def test_nonsense_in_the_tables_is_named_with_its_line(tmp_path: Path) -> None:
    head = ",".join(ForeignWork.__dataclass_fields__)
    for line, why in (
        ("3+,1,2,1,1,0,0,0,", "line 2: '3\\+' names no slices"),
        ("3,2,2,1,1,0,0,0,", "line 2: no processor was observed, or for no time"),
        ("3,1,2,1,x,0,0,0,", "line 2: available_ns is 'x', not a whole number"),
        ("3,1,2,1,5,,0,0,9", "line 2: idle_ns is '', not a whole number"),
    ):
        (tmp_path / NAME).write_text(f"{head}\n{line}\n")
        with pytest.raises(StoreError, match=why):
            read_foreign(tmp_path / NAME, False)
    assert read_foreign(tmp_path / "none.csv", False) == () and read_strangers(tmp_path / "none.csv", False) == ()

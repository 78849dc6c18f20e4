"""The machine: shared processors, its lock, and checks for causes of false measurements."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from steelyard.base.errors import ConfigurationError, EngineError, ProvisionError
from steelyard.catalogue import entries
from steelyard.hosts import cpus, doctor, launch, pace, process_table, processes, processors, quota, subject
from steelyard.hosts.executor import HERE, Condition, Executor
from steelyard.hosts.keeper import ProcessUse
from steelyard.hosts.placement import Placement
from steelyard.results import machine_history

TICK = os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(
    ("available", "server", "engine"),
    [([0], [0], [0]), ([0, 1], [0], [1]), ([0, 1, 2, 3], [0, 1, 2], [3]), (list(range(8)), [0, 1, 2, 3, 4, 5], [6, 7])],
)
def test_the_engine_has_processors_of_its_own_where_there_are_two(
    tmp_path: Path, available: list[int], server: list[int], engine: list[int]
) -> None:
    shares = cpus.share(available, tmp_path)
    assert (shares.server, shares.engine) == (server, engine)
    assert shares.is_separate == (len(available) > 1)
    assert shares.companions == []


@pytest.mark.parametrize(
    ("count", "server", "companions", "engine"),
    [(1, [0], [], [0]), (2, [0], [], [1]), (4, [0, 1], [2], [3]), (8, [0, 1, 2, 3], [4, 5], [6, 7])],
)
def test_companions_have_processors_of_their_own_where_there_are_some_else_the_engine_s(
    tmp_path: Path, count: int, server: list[int], companions: list[int], engine: list[int]
) -> None:
    shares = cpus.share(range(count), tmp_path, companions=True)
    assert (shares.server, shares.companions, shares.engine) == (server, companions, engine)
    assert shares.of("server") == server and shares.of("engine") == engine
    assert shares.of(None) == (companions or engine)
    if companions:
        assert shares.of("own") == companions
    else:
        with pytest.raises(ProvisionError, match="none are free") as caught:
            shares.of("own")
        assert "processors" in caught.value.hint


def with_processors(tmp_path: Path, wanted: str) -> subject.Part:
    return subject.Part("server", entries.server("go"), {"cpus": wanted}, tmp_path, True, "server")


def test_a_server_has_as_many_processors_as_its_factor_says_and_all_of_its_share_where_that_says_nothing(
    tmp_path: Path,
) -> None:
    shares = cpus.share(range(8), tmp_path)
    found = [with_processors(tmp_path, wanted).share_of(shares) for wanted in ("", "1", "3", "6")]
    assert found == [shares.server, [0], [0, 1, 2], [0, 1, 2, 3, 4, 5]]


def test_more_processors_than_a_share_has_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ProvisionError, match="go needs 2 processors, but subjects have 1 here") as refused:
        with_processors(tmp_path, "2").share_of(cpus.share(range(2), tmp_path))
    assert "cpus=2" in refused.value.hint


@pytest.mark.parametrize(
    ("cpuinfo", "said", "idle", "whose"),
    [
        ("flags\t\t: fpu hypervisor sse", "", False, "all"),
        ("flags\t\t: fpu hypervisor sse", "", True, "engine"),
        ("flags\t\t: fpu hypervisor sse", "no", False, "none"),
        ("flags\t\t: fpu hypervisor sse", "engine", False, "engine"),
        ("flags\t\t: fpu hypervisor sse", "yes", True, "all"),
        ("model name\t: hypervisor\nflags\t\t: fpu sse", "", False, "none"),
        ("flags\t\t: fpu sse", "yes", False, "all"),
    ],
)
def test_a_virtual_machines_processors_are_kept_awake_but_where_that_delays_who_sleeps_unless_the_user_says_otherwise(
    tmp_path: Path, cpuinfo: str, said: str, idle: bool, whose: str
) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "cpuinfo").write_text(cpuinfo)
    assert cpus.parse_keep_awake(said, idle=idle, root=tmp_path) == whose
    limited = cpus.parse_keep_awake(said, limited=True, idle=idle, root=tmp_path)
    assert limited == (whose if said else "none"), "a quota would be used up"


def test_only_the_engines_processors_are_kept_awake_where_the_load_leaves_servers_idle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STEELYARD_AWAKE", raising=False)
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "cpuinfo").write_text("flags : hypervisor\n")
    assert cpus.share(range(4), tmp_path).awake == [0, 1, 2, 3]
    assert cpus.share(range(4), tmp_path, idle=True).awake == [3]


def cores(root: Path, *siblings: str) -> None:
    """A machine whose processor N has the N-th list of siblings."""
    for number, listed in enumerate(siblings):
        place = root / f"sys/devices/system/cpu/cpu{number}/topology"
        place.mkdir(parents=True)
        (place / "thread_siblings_list").write_text(listed + "\n")


@pytest.mark.parametrize(
    ("siblings", "server", "engine", "same_core"),
    [
        (["0-1", "0-1"], [0], [1], True),
        (["0,2", "1,3", "0,2", "1,3"], [0, 2], [1, 3], False),
        (["0-1", "0-1", "2-3", "2-3"], [0, 1], [2, 3], False),
        (["0-3", "0-3", "0-3", "0-3"], [0, 1, 2], [3], True),
        (["0", "1", "2", "3"], [0, 1, 2], [3], False),
        ([f"{n % 8},{n % 8 + 8}" for n in range(16)], [0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13], [6, 7, 14, 15], False),
    ],
)
def test_the_engine_has_cores_of_its_own_where_there_are_two(
    tmp_path: Path, siblings: list[str], server: list[int], engine: list[int], same_core: bool
) -> None:
    cores(tmp_path, *siblings)
    shares = cpus.share(range(len(siblings)), tmp_path)
    assert (shares.server, shares.engine, shares.same_core) == (server, engine, same_core)
    assert shares.is_separate
    check = doctor._processors(shares)
    assert check.good is not same_core
    assert ("all threads of one core" in check.found) is same_core


def test_no_more_processors_are_shared_than_a_quota_pays_for_and_of_as_many_cores_as_there_are(tmp_path: Path) -> None:
    cores(tmp_path, *(f"{n // 2 * 2}-{n // 2 * 2 + 1}" for n in range(16)))
    for text, server, engine in (("200000", [0], [2]), ("450000", [0, 2, 4], [6]), ("50000", [0], [0])):
        version_2(tmp_path, "/", {"/": f"{text} 100000"})
        shares = cpus.share(range(16), tmp_path)
        assert (shares.server, shares.engine, shares.quota) == (server, engine, int(text) / 100000)
        assert not shares.awake and not shares.same_core
    check = doctor._quota(shares, 16)
    assert (check.found, check.good) == ("the time of 0.5 of 16 processors", False)


def test_what_is_no_choice_of_processors_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_AWAKE", "maybe")
    with pytest.raises(ConfigurationError, match="STEELYARD_AWAKE is 'maybe', but must be yes, no or engine"):
        cpus.share()


def children() -> set[str]:
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def test_processors_kept_awake_are_never_idle_and_what_kept_them_so_is_gone_after() -> None:
    (cpu, *_) = os.sched_getaffinity(0)
    with cpus.kept_awake(cpus.Shares([cpu], [cpu], awake=[cpu])):
        before = processors.machine_times(Path("/proc/stat").read_text())[cpu]
        time.sleep(0.5)
        after = processors.machine_times(Path("/proc/stat").read_text())[cpu]
        kept = children()
    assert after.idle_s - before.idle_s < 0.1
    assert len(kept - children()) == 1


def test_a_processor_that_cannot_be_kept_awake_is_named() -> None:
    with (
        pytest.raises(EngineError, match=r"cannot be kept awake: .*processor 1000"),
        cpus.kept_awake(cpus.Shares([1000], [1000], awake=[1000])),
    ):
        pass


def mounted(root: Path, mount: str, kind: str, options: str, path: str, of: str = "/") -> None:
    """A hierarchy of control groups, of which `of` and what is below it stands at `mount`; we are in `path`."""
    (root / "proc/self").mkdir(parents=True, exist_ok=True)
    (root / "proc/self/mountinfo").write_text(
        f"21 1 0:20 / / rw - ext4 /dev/vda rw\n30 21 0:26 {of} {mount} rw,nosuid shared:9 - {kind} {kind} {options}\n"
    )
    line = f"0::{path}" if kind == "cgroup2" else f"5:memory:/elsewhere\n4:cpu,cpuacct:{path}\n0::/"
    (root / "proc/self/cgroup").write_text(line + "\n")


def version_2(root: Path, path: str, maxima: dict[str, str], of: str = "/") -> None:
    mounted(root, "/sys/fs/cgroup", "cgroup2", "rw,nsdelegate", path, of)
    for number, (group, maximum) in enumerate(maxima.items(), 1):
        place = root / "sys/fs/cgroup" / group.lstrip("/")
        place.mkdir(parents=True, exist_ok=True)
        (place / "cpu.max").write_text(maximum + "\n")
        (place / "cpu.stat").write_text(
            f"usage_usec 9\nnr_periods 7\nnr_throttled {number}\nthrottled_usec {number}500000\n"
        )


def version_1(root: Path, path: str, quotas: dict[str, int], of: str = "/") -> None:
    mounted(root, "/sys/fs/cgroup/cpu,cpuacct", "cgroup", "rw,cpu,cpuacct", path, of)
    for number, (group, granted) in enumerate(quotas.items(), 1):
        place = root / "sys/fs/cgroup/cpu,cpuacct" / group.lstrip("/")
        place.mkdir(parents=True, exist_ok=True)
        (place / "cpu.cfs_quota_us").write_text(f"{granted}\n")
        (place / "cpu.cfs_period_us").write_text("100000\n")
        (place / "cpu.stat").write_text(f"nr_periods 7\nnr_throttled {number}\nthrottled_time {number}500000000\n")


def test_the_smallest_quota_of_any_group_above_us_counts_in_both_versions(tmp_path: Path) -> None:
    version_2(tmp_path / "2", "/a/b", {"/a/b": "max 100000", "/a": "150000 100000", "/": "400000 100000"})
    assert quota.processors(tmp_path / "2") == 1.5
    assert quota.throttling(tmp_path / "2") == quota.Throttling(2 + 3, 2.5 + 3.5), "only of groups with a quota"
    version_1(tmp_path / "1", "/a/b", {"/a/b": 300000, "/a": 250000, "/": -1})
    assert quota.processors(tmp_path / "1") == 2.5
    assert quota.throttling(tmp_path / "1") == quota.Throttling(1 + 2, 1.5 + 2.5)


def test_a_containers_quota_is_found_where_its_own_group_is_the_mounted_root(tmp_path: Path) -> None:
    version_1(tmp_path / "1", "/docker/c0ffee", {"/": 200000}, of="/docker/c0ffee")
    assert quota.processors(tmp_path / "1") == 2.0
    version_2(tmp_path / "2", "/", {"/": "200000 100000"}, of="/docker/c0ffee")
    assert quota.processors(tmp_path / "2") == 2.0
    version_2(tmp_path / "above", "/../..", {"/": "200000 100000"})
    assert quota.processors(tmp_path / "above") == 2.0


def test_where_there_is_no_quota_nothing_is_read_of_it(tmp_path: Path) -> None:
    version_2(tmp_path / "2", "/a", {"/a": "max 100000"})
    version_1(tmp_path / "1", "/a", {"/a": -1})
    for root in (tmp_path / "2", tmp_path / "1", tmp_path / "nothing"):
        assert quota.processors(root) is None and quota.throttling(root) is None
    check = doctor._quota(cpus.share([0, 1], tmp_path), 2)
    assert (check.found, check.good) == ("none", True)


def test_what_a_quota_held_back_during_a_slice_is_stored(tmp_path: Path) -> None:
    looks = [processes.Reading(at, {}, {}, quota.Throttling(*seen)) for at, seen in ((0, (3, 0.5)), (10**9, (5, 0.75)))]
    with processes.Observer(tmp_path) as observer:
        observer.record(7, "go", *looks)
        observer.record(8, "go", replace(looks[0], throttling=None), replace(looks[1], throttling=None))
    assert (tmp_path / "throttling.csv").read_text() == "slice,periods,throttled_s\n7,2,0.250000\n"


def test_a_process_id_used_again_is_another_process_and_no_figure_is_negative(tmp_path: Path) -> None:
    def look(at: int, start_ticks: int, cpu_ns: int) -> processes.Reading:
        return processes.Reading(at, {"web": [ProcessUse(41, start_ticks, "sh", cpu_ns, cpu_ns // 10, 1000)]}, {})

    with processes.Observer(tmp_path) as observer:
        observer.record(0, "go", look(0, 500, 9_000), look(1, 500, 9_500))
        observer.record(1, "go", look(1, 500, 9_500), look(2, 777, 300))
    rows = [line.split(",") for line in (tmp_path / "observations.csv").read_text().splitlines()]
    used = [(row[rows[0].index("cpu_ns")], row[rows[0].index("jit_ns")]) for row in rows[1:]]
    assert used == [("500", "50"), ("300", "30")]


def test_processor_times_are_read_with_steal() -> None:
    times = processors.machine_times("cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 100 50 30 200 10 5 5 7 0 0\nintr 5\n")
    assert list(times) == [0]
    found = times[0]
    assert (found.user_s, found.system_s, found.idle_s, found.steal_s) == pytest.approx((1.5, 0.4, 2.1, 0.07))


@pytest.fixture
def stranger() -> Iterator[int]:
    """A busy process that is no descendant of ours: its parent ended."""
    code = f"{sys.executable} -c 'while True: pass' >/dev/null 2>&1 & echo $!"
    pid = int(subprocess.run(["sh", "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout)
    time.sleep(0.3)
    yield pid
    os.kill(pid, signal.SIGKILL)


def test_a_busy_stranger_is_named(stranger: int) -> None:
    check = {check.name: check for check in doctor.examine(0.5)}["other processes"]
    assert f"(process {stranger})" in check.found
    assert not check.good
    assert doctor.warnings([check]) == [f"other processes: {check.found}; {check.advice}"]


class Elsewhere(Executor):
    """A machine of which these are the texts, looked at for a second: of its two processors the first worked that much, and the
    host took that much of the second."""

    def __init__(self, worked_s: float, stolen_s: float, **texts: str) -> None:
        super().__init__()
        self._seen = Condition(
            "cpu0 500 0 500 9000 0 0 0 0 0 0\ncpu1 500 0 500 9000 0 0 0 70 0 0\n",
            f"cpu0 {500 + worked_s * TICK:.0f} 0 500 {9000 + (1 - worked_s) * TICK:.0f} 0 0 0 0 0 0\n"
            f"cpu1 500 0 500 {9000 + (1 - stolen_s) * TICK:.0f} 0 0 0 {70 + stolen_s * TICK:.0f} 0 0\n",
            texts.get("governors", "performance\nperformance\n"),
            texts.get("memory", "MemTotal: 5 kB\nSwapTotal: 9000 kB\nSwapFree: 9000 kB\n"),
            texts.get("clock_source", "tsc\n"),
        )

    def condition(self, seconds: float) -> Condition | None:
        assert seconds == 1.0
        return self._seen


def found_on(reach: Executor) -> dict[str, tuple[str, bool]]:
    return {
        check.name: (check.found, check.good)
        for check in doctor.examine_host(Placement("rack", "10.0.0.2", reach), 1.0)
    }


def test_a_quiet_machine_of_the_subjects_is_good_in_all_that_it_is_asked() -> None:
    assert found_on(Elsewhere(0.02, 0.0)) == {
        "other processes on rack": ("2% of a processor was used", True),
        "steal on rack": ("0.0% of the processors' time was taken by the host", True),
        "frequency governor on rack": ("performance", True),
        "swap in use on rack": ("0 MiB", True),
        "clock source on rack": ("tsc", True),
    }


def test_what_falsifies_a_measurement_on_the_subjects_machine_is_named_with_it() -> None:
    troubled = Elsewhere(
        0.6,
        0.1,
        governors="powersave\nperformance\n",
        memory="SwapTotal: 9000 kB\nSwapFree: 10 kB\n",
        clock_source="hpet",
    )
    assert found_on(troubled) == {
        "other processes on rack": ("60% of a processor was used", False),
        "steal on rack": ("5.0% of the processors' time was taken by the host", False),
        "frequency governor on rack": ("performance, powersave", False),
        "swap in use on rack": ("9 MiB", False),
        "clock source on rack": ("hpet", False),
    }


def test_a_machine_that_shows_little_is_asked_no_more_and_ours_is_looked_at_once() -> None:
    silent = found_on(Elsewhere(0.0, 0.0, governors="", memory="", clock_source=""))
    assert {name for name, (found, good) in silent.items() if not good} == set()
    assert found_on(HERE) == {}


def test_a_variable_that_servers_read_is_named_without_its_value() -> None:
    quiet = doctor._inherited_variables(["PATH", "HOME", "JAVA_HOME", "STEELYARD_LOCK", "PYTHONPATH"])
    assert (quiet.found, quiet.good) == ("no variable that changes how servers run", True)
    set_ = doctor._inherited_variables(["PATH", "MALLOC_ARENA_MAX", "JAVA_TOOL_OPTIONS"])
    assert (set_.found, set_.good) == ("JAVA_TOOL_OPTIONS, MALLOC_ARENA_MAX", False)


def test_a_look_at_the_machine_sees_what_servers_would_inherit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-Djavax.net.ssl.trustStorePassword=secret")
    (check,) = [check for check in doctor.examine(0.1) if check.name == "environment"]
    assert "JDK_JAVA_OPTIONS" in check.found and "secret" not in check.found + check.advice
    assert not check.good


def test_the_kernels_own_threads_are_told_from_processes(tmp_path: Path) -> None:
    rest = f"0 0 0 0 {3 * TICK} {TICK} {TICK} 0 20 0 1 0 55 " + "0 " * 16 + "1"
    for pid, name, flags in ((15, "rcu_preempt", 0x208040), (77, "(odd) n\x1bame", 0x400000)):
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "stat").write_text(f"{pid} ({name}) S 2 0 0 0 -1 {flags} {rest}")
    kernel, process = (process_table.processes(tmp_path)[pid] for pid in (15, 77))
    assert (kernel.kernel, process.kernel) == (True, False)
    assert (process.pid, process.name, process.parent) == (77, "(odd) n?ame", 2)
    assert (process.cpu_ns, process.children_ns) == (4_000_000_000, 1_000_000_000)
    assert (process.start_ticks, process.last_cpu) == (55, 1)


def test_a_machine_that_its_host_slowed_down_is_found_beside_the_fastest_that_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEELYARD_STATE", str(tmp_path))

    def judged(us: float) -> bool:
        return pace.check(f'{{"least_us": {us}, "median_us": {us + 5}, "rounds": 41}}').good

    assert [judged(us) for us in (195.0, 137.0, 195.0, 873.0, 140.0)] == [True, True, True, False, True]
    said = pace.check('{"least_us": 873, "median_us": 880, "rounds": 41}')
    assert said.found.startswith("873 µs for the reference spin, 6.4 times the fastest seen here (137 µs on ")


@pytest.mark.parametrize("spun", ["", "no JSON", '{"least_us": "fast"}', "[]"])
def test_what_cannot_be_measured_or_kept_is_no_slowness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spun: str
) -> None:
    monkeypatch.setenv("STEELYARD_STATE", str(tmp_path / "a file"))
    assert pace.check(spun).found == "not measured"
    (tmp_path / "a file").write_text("in the way")
    assert pace.check('{"least_us": 873, "median_us": 880}').good
    monkeypatch.setenv("STEELYARD_STATE", str(tmp_path / "state"))
    machine_history.remember_spin(machine_history.Spin(us=137.0, seen="2026-11-22"))
    (machine_history.place() / "pace.json").write_text('{"us": -1}')
    assert pace.check('{"least_us": 873, "median_us": 880}').good


def test_a_busy_process_of_ours_is_not_a_stranger(stranger: int) -> None:
    check = {check.name: check for check in doctor.examine(0.5, ours=[stranger])}["other processes"]
    assert f"(process {stranger})" not in check.found


def test_a_port_that_somebody_listens_on_is_never_given() -> None:
    seed = 5
    [port] = launch.free_ports(random.Random(seed), 1)
    with socket.socket() as somebody:
        somebody.bind(("127.0.0.1", port))
        somebody.listen()
        assert launch.free_ports(random.Random(seed), 1) != [port]
    assert launch.free_ports(random.Random(seed), 1) == [port]


def test_the_parts_of_a_subject_never_draw_the_same_port() -> None:
    class Twice(random.Random):
        """Draws each number twice in a row."""

        last: int | None = None

        def choice(self, numbers: Sequence[int]) -> int:  # type: ignore[override]
            drawn, self.last = self.last, None
            if drawn is None:
                drawn = self.last = super().choice(numbers)
            return drawn

    ports = launch.free_ports(Twice(3), 5)
    assert len(ports) == len(set(ports)) == 5


def test_who_waits_is_frozen_unless_the_user_says_otherwise() -> None:
    assert subject.parse_freeze("") and subject.parse_freeze("yes") and not subject.parse_freeze("no")
    with pytest.raises(ConfigurationError, match="STEELYARD_FREEZE is 'maybe', but must be yes or no"):
        subject.parse_freeze("maybe")

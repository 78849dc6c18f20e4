"""The number of engine threads: by what a pilot showed, at most the engine's processors, and judged by the busiest of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from answering import answering
from command import steelyard
from played import played, study
from session_shop import SESSION, service_folder, session_shop
from steelyard.analyse.engine_use import engine_use
from steelyard.analyse.instrument import ENGINE_SHARE, Level, examine
from steelyard.hosts.cpus import Shares
from steelyard.measure import main_job
from steelyard.measure.load import load
from steelyard.measure.trial import engine_threads
from steelyard.measure.trial.engine_job import JobRequests, JobSettings, LoadSlice, engine_job
from steelyard.measure.trial.engine_pilot import peak_profile
from steelyard.measure.trial.engine_threads import choose_threads, threads_needed
from steelyard.models.job import BigBang, FixedWork, Profile, Ramp, Rate, Stage, Steps, Target
from steelyard.results.stored_run import Run, read_run
from steelyard.results.tables import SliceRow, read_slices
from synthetic import Planted, write_run


@pytest.fixture(scope="module")
def row(tmp_path_factory: pytest.TempPathFactory) -> SliceRow:
    run = read_run(write_run(tmp_path_factory.mktemp("any"), Planted(forks=1, pairs=1)))
    return next(iter(run.trials[0].slices.values()))


def busy(row: SliceRow, need: float, threads: int) -> SliceRow:
    """The row of a slice whose load needs so many processors, of an engine with so many threads, each on its own processor."""
    used = round(min(need, threads) * row.measured_ns)
    return replace(
        row,
        engine_user_ns=used,
        engine_system_ns=0,
        thread_cpu_most_ns=round(min(need / threads, 1.0) * row.measured_ns),
    )


@pytest.mark.parametrize(
    ("need", "processors", "chosen"),
    [
        (0.2, 8, 1),
        (0.5, 8, 1),
        (0.51, 8, 2),
        (0.95, 8, 2),
        (1.4, 8, 3),
        (3.0, 8, 6),
        (3.0, 4, 4),
        (9.0, 4, 4),
        (9.0, 1, 1),
    ],
)
def test_no_thread_is_more_than_half_busy_where_there_are_processors_for_it(
    row: SliceRow, need: float, processors: int, chosen: int
) -> None:
    assert choose_threads(lambda threads: [busy(row, need, threads)], processors) == chosen


def test_the_pilot_ends_with_the_first_number_that_suffices(row: SliceRow) -> None:
    driven: list[int] = []

    def drive(threads: int) -> list[SliceRow]:
        driven.append(threads)
        return [busy(row, 0.1, threads), busy(row, 2.2, threads)]

    assert choose_threads(drive, 16) == 5
    assert driven == [1, 2, 4, 5]


def test_a_full_thread_hides_the_need_so_the_number_is_doubled(row: SliceRow) -> None:
    uneven = replace(busy(row, 1.2, 2), thread_cpu_most_ns=row.measured_ns)
    assert threads_needed(uneven, 2) == 4


def test_a_pilot_has_the_load_at_its_height() -> None:
    assert peak_profile(Ramp(from_users=1, to_users=40, seconds=60), 1.0) == BigBang(users=40, seconds=1.0)
    assert peak_profile(Steps(levels=[2, 64, 8], hold_seconds=5), 1.0) == BigBang(users=64, seconds=1.0)
    stages = [Stage(from_rate=10, to_rate=500, seconds=9), Stage(from_rate=500, to_rate=20, seconds=9)]
    peak = peak_profile(Rate(arrivals="poisson", stages=stages), 1.0)
    assert isinstance(peak, Rate) and peak.arrivals == "poisson"
    assert peak.stages == [Stage(from_rate=500, to_rate=500, seconds=1.0)]


def test_fixed_work_has_no_more_threads_than_users() -> None:
    def threads(*profiles: Profile) -> int:
        loads = [LoadSlice("a", "measure", profile, {"echo": 1}, "deck", lead_in_ms=0) for profile in profiles]
        targets = [Target(subject="a", host="127.0.0.1", port=1)]
        return engine_job(1, JobRequests("corpus", {}), targets, loads, [0], JobSettings(threads=4)).threads

    assert threads(BigBang(users=2, seconds=1)) == 4
    assert threads(BigBang(users=2, seconds=1), FixedWork(users=3, each=5, most_seconds=9)) == 3


def jobs(folder: Path) -> dict[str, int]:
    """The number of threads in each job of the only run in `folder`, by its folder within the run."""
    [run] = (folder / "runs").iterdir()
    threads = {}
    for path in sorted(run.rglob("job.json")):
        threads[str(path.parent.relative_to(run))] = json.loads(path.read_text())["threads"]
    return threads


def test_every_trial_has_the_threads_that_the_pilot_showed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main_job, "share_processors", lambda *_: Shares([0], [0, 1]))
    ran = played(tmp_path, monkeypatch)("run", study(tmp_path), need=1.6)
    assert "the load engine has 2 threads on its 2 processors, as a pilot showed" in ran.err
    assert jobs(tmp_path) == {
        "pilot/a/threads-1": 1,
        "pilot/b/threads-1": 1,
        "trials/01": 2,
        "trials/02": 2,
    }
    [run] = (tmp_path / "runs").iterdir()
    assert json.loads((run / "schedule.json").read_text())["engine_threads"] == 2


def test_one_processor_needs_no_pilot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main_job, "share_processors", lambda *_: Shares([0], [1]))
    played(tmp_path, monkeypatch)("run", study(tmp_path), need=1.6)
    assert jobs(tmp_path) == {"trials/01": 1, "trials/02": 1}


def findings(folder: Path, need: float, threads: int, cpus: list[int]) -> tuple[Level, str, str]:
    """Level, reading and reason of the engine's share where the load needs so many processors."""
    stored = read_run(write_run(folder, Planted(forks=1, pairs=4)))
    trials = []
    for trial in stored.trials:
        record = trial.record_or_empty.model_copy(update={"engine_cpus": cpus})
        slices = {number: busy(row, need, threads) for number, row in trial.slices.items()}
        trials.append(replace(trial, record=record, slices=slices, engine_threads=threads))
    seen: Run = replace(stored, trials=trials)
    first = next(finding for finding in examine(seen) if finding.check == ENGINE_SHARE)
    return first.level, first.reading, first.reason


def test_the_share_is_that_of_the_busiest_thread(tmp_path: Path) -> None:
    assert findings(tmp_path, 1.2, 2, [2, 3])[:2] == (Level.OK, "60% busy in the busiest of 2 threads")


def test_the_engine_is_the_limit_only_where_all_its_processors_are_busy(tmp_path: Path) -> None:
    level, reading, reason = findings(tmp_path / "all", 2.0, 2, [2, 3])
    assert (level, reading) == (Level.INVALID, "100% busy in the busiest of 2 threads")
    assert reason.endswith("it, not the server, may be the limit")
    level, _, reason = findings(tmp_path / "one", 1.0, 1, [2, 3, 4, 5])
    assert level is Level.INVALID
    assert reason.endswith("one of its threads was full, and its 4 processors were 25% busy")


def test_threads_that_share_a_processor_are_reported(tmp_path: Path) -> None:
    level, reading, reason = findings(tmp_path, 0.96, 2, [1])
    assert (level, reading) == (Level.INVALID, "96% busy, 2 threads on 1 processor")
    assert reason.endswith("it, not the server, may be the limit")


def test_the_driver_of_rmi_is_the_limit_only_where_its_processors_are_busy(tmp_path: Path, row: SliceRow) -> None:
    trial = read_run(write_run(tmp_path, Planted(forks=1, pairs=1))).trials[0]
    on_four = replace(trial, record=trial.record_or_empty.model_copy(update={"engine_cpus": [4, 5, 6, 7]}))
    by_rmi = replace(busy(row, 2.0, 2), thread_cpu_most_ns=0, thread_sent_most=0, sent=10)
    use = engine_use([(on_four, by_rmi)])
    assert (use.share, use.threads_text) == (0.5, "")


def test_each_of_two_engines_has_its_own_part_of_the_engines_processors(tmp_path: Path, row: SliceRow) -> None:
    trial = read_run(write_run(tmp_path, Planted(forks=1, pairs=1))).trials[0]
    record = trial.record_or_empty.model_copy(update={"engine_cpus": [4, 5, 6, 7], "engines": 2})
    use = engine_use([(replace(trial, record=record, engine_threads=2), busy(row, 2.0, 2))])
    assert (use.whole, use.processors) == (1.0, 2)


def test_a_load_of_a_running_service_has_a_pilot_and_counts_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "share", lambda: Shares([0], [0, 1]))
    monkeypatch.setattr(engine_threads, "MOST_BUSY", 1e-9)  # so that a server of Python needs more than one thread
    served: list[int] = []

    def answer(_: object, __: bytes) -> tuple[int, dict[str, str], bytes]:
        served.append(1)
        return 200, {}, b"right"

    environment = {"STEELYARD_AWAKE": "no"}
    with answering(answer) as address:
        ran = steelyard(
            "load", address, "--users", "3", "--for", "2s", "--json", folder=tmp_path, environment=environment
        )
    assert ran.code == 0, ran.err
    output = json.loads(ran.out)
    run = tmp_path / output["run"]
    threads = {path.parent.name: json.loads(path.read_text())["threads"] for path in run.rglob("job.json")}
    assert threads == {"verification": 1, "threads-1": 1, "01": 2}
    [pilot] = read_slices(run / "pilot" / "threads-1" / "slices.csv", False).values()
    assert len(served) == output["sent"] + pilot.sent
    [row] = read_slices(run / "trials" / "01" / "slices.csv", False).values()
    assert 0 < row.thread_sent_most < row.sent


# Each session logs in with a row of its own, after which there is no other.
SPENDS_ROWS = (
    SESSION.replace('data_each = "user"', 'data_each = "session"\ndata_end = "stop"')
    .replace("once = true\n", "")
    .replace("again_on = [401]\n", "")
)


@pytest.mark.parametrize(("session", "piloted"), [(SESSION, True), (SPENDS_ROWS, False)])
def test_a_load_of_sessions_has_a_pilot_unless_it_would_use_up_their_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, session: str, piloted: bool
) -> None:
    monkeypatch.setattr(load, "share", lambda: Shares([0], [0, 1]))
    monkeypatch.setattr(engine_threads, "MOST_BUSY", 1e-9)
    with session_shop(expires=60) as shop:
        made = service_folder(tmp_path, shop.address, session, users=500)
        words = ("load", str(made), "--users", "5", "--for", "2s", "--json", "--out", "runs")
        ran = steelyard(*words, folder=tmp_path, environment={"STEELYARD_STRANGERS": "yes", "STEELYARD_AWAKE": "no"})
    assert shop.counted["violations"] == []
    run = tmp_path / ran.outcome["run"]
    threads = {path.parent.name: json.loads(path.read_text())["threads"] for path in run.rglob("job.json")}
    assert threads == {"verification": 1, "01": 2, "threads-1": 1} if piloted else {"verification": 1, "01": 1}

"""Files that travel between the machines of a cluster, and the folder that receives them."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from command import steelyard
from rich.console import Console
from steelyard.base.errors import ConfigurationError, StoreError, ToolchainError
from steelyard.base.progress import Progress
from steelyard.cluster import dask_workers
from steelyard.cluster.cluster_run import ClusterHome
from steelyard.cluster.dask_workers import Where, open_port_warning, parse_where
from steelyard.cluster.packing import files_of, pack_trial, unpacked_trial, write_files
from steelyard.models.cluster import ClusterRun, Machine
from steelyard.models.records import Failure, Schedule
from steelyard.plan.schedule import on_machines
from steelyard.results.cluster_folder import read_cluster
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

SETUP = {"machine": {"kernel": "6.1", "processors": 2}}


@pytest.mark.parametrize(
    ("words", "where"),
    [
        ("local:2", Where(local=2)),
        ("tcp://10.0.0.5:8786", Where(address="tcp://10.0.0.5:8786")),
        ("tls://scheduler:8786", Where(address="tls://scheduler:8786")),
        ("scheduler.example:8786", Where(address="scheduler.example:8786")),
        ("tcp://[fe80::1]:8786", Where(address="tcp://[fe80::1]:8786")),
    ],
)
def test_where_the_workers_are_is_read(words: str, where: Where) -> None:
    assert parse_where(words) == where


@pytest.mark.parametrize(
    ("words", "warned"),
    [
        ("local:2", False),
        ("tcp://127.0.0.1:8786", False),
        ("localhost:8786", False),
        ("tcp://[::1]:8786", False),
        ("tls://10.0.0.5:8786", False),
        ("wss://10.0.0.5:8786", False),
        ("tcp://10.0.0.5:8786", True),
        ("scheduler.example:8786", True),
        ("ws://[fe80::1]:8786", True),
    ],
)
def test_a_scheduler_on_a_network_without_tls_is_warned_of(words: str, warned: bool) -> None:
    assert ("without TLS" in open_port_warning(parse_where(words))) == warned


@pytest.mark.parametrize(
    "words", ["local:0", "local:", "local:x", "local:65", "nowhere", "http://a:1/b", "tcp://a", ""]
)
def test_other_words_are_refused_with_what_can_be_said(words: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        parse_where(words)
    assert "local:" in refused.value.message + refused.value.hint


def test_without_its_library_a_cluster_is_refused_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ToolchainError) as refused:
        dask_workers.import_distributed()
    assert "not installed here" in refused.value.message and "steelyard[cluster]" in refused.value.hint


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("wstest", "--dry-run"), "a dry run plans for one machine"),
        (("wstest", "--as-published"), "each subject is measured once"),
        (("wstest", "--only", "go,null", "--set", "Agents=auto"), "runs on one machine"),
    ],
)
def test_what_several_machines_cannot_be_asked_is_refused_before_any_worker(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    ran = steelyard("run", *words, "--cluster", "local:2", folder=tmp_path)
    assert ran.code == 64 and said in ran.err, ran.err
    assert list(tmp_path.glob("runs/*")) == []


def test_every_machine_has_as_many_trials_each_with_a_seed_of_its_own(tmp_path: Path) -> None:
    groups = ("a", "b"), ("a", "c")
    rates = {"a": 9e3, "b": 9e3, "c": 9e3}
    run = write_run(tmp_path / "run", Planted(rates=rates, reference="a", groups=groups, forks=3, pairs=1, looks=(3,)))
    planned = read_run(run).schedule
    whole, numbers = on_machines(planned, 4)
    assert [len(own) for own in numbers] == [6] * 4 and [n for own in numbers for n in own] == list(range(1, 25))
    assert whole.trials[:6] == planned.trials and whole.looks == []
    assert len({trial.seed for trial in whole.trials[6:]}) == 18
    assert {frozenset(trial.start_order) for trial in whole.trials} == {frozenset(group) for group in groups}
    assert on_machines(planned, 4) == (whole, numbers), "of the seed alone"
    fewer, numbers = on_machines(planned, 2, forks_each=1)
    assert [len(own) for own in numbers] == [2, 2] and len(fewer.trials) == 4, "a fork is a trial of each group"


def driven(folder: Path, **planted: object) -> bytes:
    """What a worker sends of the first trial of a run."""
    run = write_run(folder, Planted(forks=1, pairs=1, environment=SETUP, **planted))  # type: ignore[arg-type]
    (run / "corpus").mkdir()
    (run / "corpus" / "graph.xml").write_text("<graph/>")
    (run / "corpus" / "corpus.bin").write_text("requests")
    return pack_trial(run, run / "trials" / "01")


def home(folder: Path, machines: int = 2, forks: int = 2) -> ClusterHome:
    """A cluster's folder to which nothing came yet."""
    (folder / "machines").mkdir(parents=True)
    (folder / "study.toml").write_text("")
    planned = write_run(folder.with_name("planned"), Planted(forks=forks, pairs=1))
    whole, numbers = on_machines(Schedule.model_validate_json((planned / "schedule.json").read_text()), machines)
    known = [
        Machine(name=f"machine-{place}", identity=f"mark{place}", trials=own) for place, own in enumerate(numbers, 1)
    ]
    made = ClusterHome(folder, ClusterRun(schedule=whole, machines=known), Progress(Console(file=io.StringIO())))
    made.begin()
    return made


def test_a_trial_travels_whole_and_without_what_the_seed_makes(tmp_path: Path) -> None:
    packed = driven(tmp_path / "run")
    sent = {path.name: path.read_bytes() for path in (tmp_path / "run/trials/01").iterdir() if path.is_file()}
    with unpacked_trial(packed, tmp_path) as arrived:
        assert sorted(path.name for path in arrived.iterdir()) == ["corpus", "environment.json", "trial"]
        assert [path.name for path in (arrived / "corpus").iterdir()] == ["graph.xml"]
        assert {path.name: path.read_bytes() for path in (arrived / "trial").iterdir() if path.is_file()} == sent
    assert not arrived.exists()


def test_what_is_cut_or_leads_out_of_its_folder_is_not_unpacked(tmp_path: Path) -> None:
    whole = driven(tmp_path / "run")
    outside = io.BytesIO()
    with tarfile.open(fileobj=outside, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("../outside"), io.BytesIO())
    place = tmp_path / "home"
    place.mkdir()
    for sent in (whole[: len(whole) // 2], b"", b"no archive", outside.getvalue()):
        with pytest.raises(StoreError, match="the archive"), unpacked_trial(sent, place):
            pass
    assert list(place.iterdir()) == [] and not (tmp_path / "outside").exists()


def test_a_trial_that_comes_home_is_in_its_machines_folder_and_no_longer_owed(tmp_path: Path) -> None:
    at_home = home(tmp_path / "run")
    assert at_home.missing_trials() == {1: "mark1", 2: "mark1", 3: "mark2", 4: "mark2"}
    kept = at_home.keep("mark1", 1, driven(tmp_path / "sent"))
    assert kept.taken and not kept.unfit
    run = read_run(tmp_path / "run/machines/machine-1")
    assert [trial.number for trial in run.trials] == [1] and [plan.number for plan in run.schedule.trials] == [1, 2]
    assert run.environment == SETUP and (run.folder / "corpus/graph.xml").is_file()
    assert at_home.missing_trials() == {2: "mark1", 3: "mark2", 4: "mark2"}
    again = ClusterHome(tmp_path / "run", read_cluster(tmp_path / "run"), at_home.progress)
    assert again.missing_trials() == at_home.missing_trials(), "a resumed run has the same missing trials"


def test_a_machines_later_trials_have_the_engine_threads_of_its_first(tmp_path: Path) -> None:
    at_home = home(tmp_path / "run")
    assert at_home.engine_threads_of("mark1") == 0, "a pilot has to show it"
    at_home.keep("mark1", 1, driven(tmp_path / "sent"))
    job = tmp_path / "run/machines/machine-1/trials/01/job.json"
    job.write_text(json.dumps(json.loads(job.read_text()) | {"threads": 3}))
    assert (at_home.engine_threads_of("mark1"), at_home.engine_threads_of("mark2")) == (3, 0)


def test_a_trial_that_another_machine_drove_is_that_machines(tmp_path: Path) -> None:
    at_home = home(tmp_path / "run")
    assert at_home.keep("mark9", 1, driven(tmp_path / "sent")).taken
    at_home.end()
    assert [machine.name for machine in read_cluster(tmp_path / "run").machines] == [f"machine-{n}" for n in (1, 2, 3)]
    planned = {
        name: [plan.number for plan in read_run(tmp_path / "run/machines" / name).schedule.trials]
        for name in ("machine-1", "machine-3")
    }
    assert planned == {"machine-1": [2], "machine-3": [1]}


def test_what_is_damaged_or_another_trial_is_not_taken(tmp_path: Path) -> None:
    at_home = home(tmp_path / "run")
    whole = driven(tmp_path / "sent")
    assert not at_home.keep("mark1", 1, whole[:-200]).taken
    other = at_home.keep("mark1", 2, whole)
    assert not other.taken and other.message == "it sent trial 1 instead of trial 2"
    (tmp_path / "sent/trials/01/trial.json").write_text("{}")
    nonsense = at_home.keep("mark1", 1, pack_trial(tmp_path / "sent", tmp_path / "sent/trials/01"))
    assert not nonsense.taken and "unreadable" in nonsense.message
    assert len(at_home.missing_trials()) == 4
    assert [path.name for path in (tmp_path / "run/machines/machine-1").iterdir() if path.name.startswith(".")] == []


def test_a_machine_whose_setup_has_changed_is_given_no_more(tmp_path: Path) -> None:
    at_home = home(tmp_path / "run", machines=1, forks=2)
    assert at_home.keep("mark1", 1, driven(tmp_path / "sent")).taken
    (tmp_path / "sent/environment.json").write_text(json.dumps({"machine": {"kernel": "6.18", "processors": 2}}))
    record = tmp_path / "sent/trials/01/trial.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "number": 2}))
    kept = at_home.keep("mark1", 2, pack_trial(tmp_path / "sent", record.parent))
    assert not kept.taken and kept.unfit == "its setup has changed: machine.kernel was 6.1 and is 6.18"


def test_a_failed_trial_is_a_result_and_a_subject_that_never_came_up_ends_its_machine(tmp_path: Path) -> None:
    at_home = home(tmp_path / "run")
    died = driven(tmp_path / "died", failures={1: Failure(kind="died", subject="go", message="go died")})
    never = driven(tmp_path / "never", failures={1: Failure(kind="not-ready", subject="go", message="go is not ready")})
    kept = at_home.keep("mark1", 1, died)
    assert kept.taken and not kept.unfit
    kept = at_home.keep("mark2", 1, never)
    assert kept.taken and kept.unfit == "go is not ready"


def test_a_run_of_several_machines_is_resumed_on_a_cluster_and_one_of_one_is_not(tmp_path: Path) -> None:
    home(tmp_path / "run")
    alone = write_run(tmp_path / "alone", Planted(forks=1, pairs=1))
    ran = steelyard("run", "--resume", str(tmp_path / "run"), folder=tmp_path)
    assert ran.code == 64 and "is a run on several machines" in ran.err and "--cluster" in ran.err
    ran = steelyard("run", "--resume", str(alone), "--cluster", "local:2", folder=tmp_path)
    assert ran.code == 64 and "is a run on one machine" in ran.err


LOCAL_WORKER = """
import os, signal, subprocess, sys, time
from steelyard.cluster.dask_workers import Where, workers_of

CHILD = "import signal; print(signal.getsignal(2) is signal.default_int_handler, signal.pthread_sigmask(0, []))"

def started():
    return subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True).stdout.strip()

if __name__ == "__main__":
    with workers_of(Where(local=1), lambda *_: None) as workers:
        [pid] = workers.client.run(os.getpid).values()
        os.kill(pid, signal.SIGINT)
        time.sleep(0.5)
        print([pid] == list(workers.client.run(os.getpid).values()), *workers.client.run(started).values())
"""


def test_ctrl_c_is_for_the_lab_and_not_for_its_workers_which_leave_nothing_behind(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="Dask's distributed is not installed: steelyard[cluster]")
    (tmp_path / "script.py").write_text(LOCAL_WORKER)
    (tmp_path / "tmp").mkdir()
    own = {"TMPDIR": str(tmp_path / "tmp"), "STEELYARD_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, str(tmp_path / "script.py")]
    done = subprocess.run(command, env={**os.environ, **own}, capture_output=True, text=True, check=True, timeout=120)
    assert (done.stdout.strip(), done.stderr) == ("True True set()", ""), (
        "it lives, and what it starts has SIGINT as usual"
    )
    assert list((tmp_path / "tmp").iterdir()) == []


# The process that drives a trial makes a folder for control sockets, and then waits.
DRIVER = """
import os, sys, tempfile, time
if "steelyard.cluster.one_trial" in sys.orig_argv:
    tempfile.mkdtemp(prefix="steelyard-")
    with open({file!r} + ".part", "w") as file:
        file.write(str(os.getpid()))
    os.rename(file.name, {file!r})
    time.sleep(600)
"""
LAB_ELSEWHERE = """
import json, pathlib, sys, time
from steelyard.cluster.dask_workers import Where, workers_of
from steelyard.cluster.worker import Order

file = pathlib.Path(sys.argv[1])
while not file.is_file():
    time.sleep(0.1)
with workers_of(Where(address=json.loads(file.read_text())["address"]), lambda *_: None) as workers:
    workers.order_of = lambda trial, worker: Order(trial, "", "{}", "{}", (), False, {})
    while not (present := workers.present()):
        time.sleep(0.1)
    workers.begin(present[0], 1)
    time.sleep(600)
"""


@contextmanager
def machines_of_a_cluster(folder: Path) -> Iterator[dict[str, int]]:
    """A scheduler, a worker and a lab that has given it a trial, as on three machines: the process group of each."""
    for name in ("site", "tmp"):
        (folder / name).mkdir()
    (folder / "site" / "sitecustomize.py").write_text(DRIVER.format(file=str(folder / "driver")))
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(folder / "site"), os.environ.get("PYTHONPATH")])),
        "STEELYARD_CACHE": str(folder / "cache"),
        "TMPDIR": str(folder / "tmp"),
    }
    known = ["--scheduler-file", str(folder / "scheduler.json"), "--host", "127.0.0.1", "--no-dashboard"]
    commands = {
        "scheduler": ["-m", "dask", "scheduler", *known, "--port", "0"],
        "worker": ["-m", "dask", "worker", *known, "--nthreads", "1", "--local-directory", str(folder / "worker")],
        "lab": ["-c", LAB_ELSEWHERE, known[1]],
    }
    with ExitStack() as stack, (folder / "log").open("wb") as log:
        groups = {}
        for name, words in commands.items():
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, *words], env=environment, stdout=log, stderr=log, start_new_session=True
                )
            )
            stack.callback(strike, process.pid, signal.SIGKILL)
            groups[name] = process.pid
        yield groups


def strike(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("machine", "number"),
    [("worker", signal.SIGINT), ("worker", signal.SIGKILL), ("scheduler", signal.SIGKILL)],
    ids=["Ctrl-C", "a killed worker", "a lost scheduler"],
)
def test_a_worker_elsewhere_ends_its_trial_and_removes_its_temporary_files(
    tmp_path: Path, machine: str, number: signal.Signals
) -> None:
    pytest.importorskip("distributed", reason="Dask's distributed is not installed: steelyard[cluster]")
    end = time.monotonic() + 120
    with machines_of_a_cluster(tmp_path) as groups:
        while not (tmp_path / "driver").is_file():
            assert time.monotonic() < end, (tmp_path / "log").read_text()[-4000:]
            time.sleep(0.1)
        driver = int((tmp_path / "driver").read_text())
        assert lives(driver) and list((tmp_path / "tmp").glob(".steelyard-*"))
        strike(groups[machine], number)
        while lives(driver) or list((tmp_path / "tmp").glob(".steelyard-*")):
            assert time.monotonic() < end, (tmp_path / "log").read_text()[-4000:]
            time.sleep(0.1)


def test_the_users_own_requests_go_with_the_orders_and_are_kept_for_each_machine(tmp_path: Path) -> None:
    requests = tmp_path / "run" / "requests"
    (requests / "samples").mkdir(parents=True)
    (requests / "service.toml").write_text("name = 'mine'")
    (requests / "samples" / "a").write_bytes(b"\x00")
    (tmp_path / "run" / "study.toml").touch()
    write_files(files_of(requests), tmp_path / "there")
    assert files_of(tmp_path / "there") == {"service.toml": b"name = 'mine'", "samples/a": b"\x00"}
    assert files_of(tmp_path / "nowhere") == {}
    schedule = read_run(write_run(tmp_path / "planted", Planted(forks=1, pairs=1))).schedule
    cluster = ClusterRun(schedule=schedule, machines=[Machine(name="machine-1", identity="x", trials=[1])])
    ClusterHome(tmp_path / "run", cluster, Progress(Console(quiet=True))).begin()
    assert files_of(tmp_path / "run" / "machines" / "machine-1" / "requests") == files_of(requests)

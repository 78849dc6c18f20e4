"""`make test` prints the time of each part and the skipped tests, and fails where a part fails."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from programs import program

ROOT = Path(__file__).parents[2]
MAKE = ["python3", "-c"]


@pytest.fixture
def parts() -> ModuleType:
    """tools/parts.py."""
    return program("parts")


def test_every_part_is_a_target_of_the_makefile(parts: ModuleType) -> None:
    targets = re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.M)
    named = [name for stage in parts.STAGES for lane in stage for name in lane]
    assert set(named) <= set(targets)
    assert set(parts.AGAIN) <= set(named) and set(parts.AGAIN.values()) <= set(targets)
    beside = {"test-servers", "test-long", "test-packages", *parts.AGAIN.values()} - set(named)
    assert {target for target in targets if target.startswith("test-")} - set(named) == beside
    assert (("test-alone",),) in parts.STAGES, "what measures has the machine for itself"


def test_every_service_and_every_test_in_java_is_built_once() -> None:
    by_any_jdk = re.findall(r"<module>../(.*)</module>", (ROOT / "tools" / "java.xml").read_text())
    by_jdk_25 = re.findall(r"^JAVA_25 := (.*)$", (ROOT / "Makefile").read_text(), re.M)[0].split()
    rooms = [ROOT / room for room in ("services", "servers", "monitor", "engine/rmi")]
    tested = {path.parents[2] for room in rooms for path in room.rglob("src/test/java")}
    # What is made of a schema of the user's own cannot be built without it.
    poms = (path for path in (ROOT / "services").glob("*/*/pom.xml") if "${schema.folder}" not in path.read_text())
    services = {path.parent for path in poms}
    assert sorted(by_any_jdk + by_jdk_25) == sorted(str(path.relative_to(ROOT)) for path in tested | services)


def test_every_service_in_python_is_tested_with_the_packages_of_its_server() -> None:
    pairs = re.findall(r"^PYTHON_SERVICES := (.*)$", (ROOT / "Makefile").read_text(), re.M)[0].split()
    named = {f"services/{service}/{server}" for server, service in (pair.split(":") for pair in pairs)}
    found = {path.parent for path in (ROOT / "services").glob("*/python-*/test_*.py")}
    assert named == {str(folder.relative_to(ROOT)) for folder in found}


def test_a_part_is_timed_and_what_it_skipped_is_found(parts: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    said = [
        "SKIPPED [1] test_servers.py:51: no gsoap here",
        "test a ... ok",
        "test b ... ignored, too slow",
        "test c ... ignored, not a test: a process",
        "# skipped 0",
        "# skipped 2",
        "2 of 5 were disturbed by the host; too many",
    ]
    spin = "import time; e = time.process_time() + 0.3\nwhile time.process_time() < e: pass"
    found = parts.run("\n".join(f"print({line!r})" for line in said) + f"\n{spin}", MAKE)
    assert found.code == 0
    assert found.cpu_seconds >= 0.3
    assert found.skipped == (said[0], said[2], said[5], said[6])
    assert said[1] in capsys.readouterr().out


def test_what_is_at_work_is_said_while_it_is(
    parts: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "AGAIN_SECONDS", 0.05)
    monkeypatch.setattr(
        parts, "run_lane", lambda names: [parts.run(f"import time; time.sleep({name})", MAKE) for name in names]
    )
    monkeypatch.setattr(parts, "STAGES", ((("1.0",),),))
    assert parts.main() == 0
    said = capsys.readouterr().err
    assert "running: import time; time.sleep(1.0) (0 s)\n" in said
    assert not parts._at_work


def test_the_summary_names_what_failed_and_what_was_skipped(parts: ModuleType) -> None:
    good, bad = parts.run("pass", MAKE), parts.run("raise SystemExit(3)", MAKE)
    assert (good.code, bad.code) == (0, 3)
    text = parts.summary([good, bad], 7.0)
    assert text.count(" ok") == text.count(" FAILED") == 1 and "nothing was skipped" in text
    skipping = parts.Part("test-e2e", 0, 1.0, 1.0, ("SKIPPED one",))
    assert "skipped:\ntest-e2e: SKIPPED one" in parts.summary([skipping], 1.0)


def test_the_summary_says_which_test_failed_and_why(parts: ModuleType) -> None:
    said = [
        "E       AssertionError: still running: ['17 java']",
        "E         a line of what differs",
        "ERROR tests/test_layers.py::test_a - AssertionError: st...",
        "FAILED tests/test_b.py::test_c - assert 1 == 2",
        "test keeper::a ... FAILED",
        "test keeper::b ... ok",
        "no ERROR here",
        "[ERROR]   SettingsTest.a:12 expected: <1> but was: <2>",
        "[ERROR] Failed to execute goal spotless:check on project petstore: format violations",
        "[ERROR] Re-run Maven with the -e switch.",
    ]
    bad = parts.run("\n".join(f"print({line!r})" for line in said) + "\nraise SystemExit(1)", MAKE)
    assert bad.failed == (said[0], said[1].rstrip(), said[2], said[3], said[4], said[7], said[8])
    assert parts.summary([bad], 1.0).endswith(said[8])
    assert "failed:" not in parts.summary([parts.run("pass", MAKE)], 1.0)


@pytest.mark.parametrize(("second", "code"), [(0, 0), (1, 1)])
def test_a_few_failed_tests_run_again_without_a_time_limit_and_decide(
    parts: ModuleType, monkeypatch: pytest.MonkeyPatch, second: int, code: int
) -> None:
    begun: list[tuple[str, float]] = []

    def run(name: str, ends: float = 0.0) -> object:
        begun.append((name, ends))
        return parts.Part(name, second, 2.0, 1.0, ())

    monkeypatch.setattr(parts, "run", run)
    one = ("E       AssertionError", "FAILED tests/test_b.py::test_c - assert 1 == 2")
    first = [parts.Part("test-e2e", 1, 1.0, 1.0, (), one), parts.Part("check", 1, 1.0, 1.0, (), one)]
    again, check = parts.run_again(first)
    assert begun == [("test-e2e-again", float("inf"))]
    assert (again.code, again.seconds, check) == (code, 3.0, first[1])
    text = parts.summary([again], 1.0)
    assert text.endswith(one[1]) and ("failed once" in text) == (code == 0) and ("\nfailed:" in text) == (code == 1)


def test_many_failed_tests_and_parts_without_one_do_not_run_again(
    parts: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "run", lambda name, **_: pytest.fail(f"{name} ran again"))
    many = tuple(f"FAILED tests/test_b.py::test_{number} - no" for number in range(parts.MOST_AGAIN + 1))
    for failed in (many, ("ERROR tests/test_b.py - ImportError",), ()):
        part = parts.Part("test-python", 1, 1.0, 1.0, (), failed)
        assert parts.run_again([part]) == [part]


def test_a_part_that_failed_and_named_nothing_is_told_by_its_last_lines(parts: ModuleType) -> None:
    lines = "for number in range(9): print('line', number)"
    assert parts.run(f"{lines}\nraise SystemExit(1)", MAKE).failed == tuple(f"line {number}" for number in range(4, 9))
    assert parts.run(lines, MAKE).failed == ()


def test_a_time_that_is_given_is_shared_by_the_parts_and_each_has_some(
    parts: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seconds(name: str, left: float) -> dict[str, str]:
        return parts.until(name, left, now=lambda: 1000.0)

    assert seconds("test-e2e", float("inf")) == {}
    assert seconds("test-e2e", 4000.0) == {"STEELYARD_TESTS_UNTIL": "5000"}
    assert seconds("test-alone", 4000.0) == {"STEELYARD_TESTS_UNTIL": "3000"}
    assert seconds("test-e2e", -100.0) == {"STEELYARD_TESTS_UNTIL": "1180"}
    monkeypatch.setenv("STEELYARD_TEST_MINUTES", "an hour")
    with pytest.raises(SystemExit, match="not a number of minutes"):
        parts.minutes()
    monkeypatch.setenv("STEELYARD_TEST_MINUTES", "")
    assert parts.minutes() == float("inf")


def test_a_test_whose_time_is_over_is_not_begun_and_says_so(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = request.config.hook.pytest_runtest_setup
    ours = next(hook for hook in begin.get_hookimpls() if hook.plugin_name == str(ROOT / "conftest.py"))
    assert ours.tryfirst, "before fixtures, which may start servers"
    monkeypatch.setenv("STEELYARD_TESTS_UNTIL", "0")
    with pytest.raises(pytest.skip.Exception, match="STEELYARD_TEST_MINUTES were over"):
        ours.function()
    monkeypatch.delenv("STEELYARD_TESTS_UNTIL")
    ours.function()


def test_a_part_that_fails_stops_nothing_and_a_build_that_fails_stops_all_lanes(
    parts: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    def run(name: str) -> object:
        begun.append(name)
        return parts.Part(name, int(name in {"bad", "build"}), 0.0, 0.0, ())

    monkeypatch.setattr(parts, "run", run)
    monkeypatch.setattr(parts, "STAGES", ((("good", "bad", "next"), ("beside",)), (("later",),)))
    assert parts.main() == 1
    assert sorted(begun) == ["bad", "beside", "good", "later", "next"]
    begun.clear()
    monkeypatch.setattr(parts, "STAGES", ((("build", "never"), ("beside", "provide")), (("never",),)))
    assert parts.main() == 1
    assert "build" in begun and set(begun) <= {"build", "beside"}
    monkeypatch.setattr(parts, "STAGES", ((("good",),), (("later",),)))
    assert parts.main() == 0


def test_what_needs_the_build_begins_after_it_and_other_parts_do_not_wait(
    parts: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    beside = threading.Event()

    def run(name: str) -> object:
        if name == "build":
            assert beside.wait(60), "the other lane has to begin meanwhile"
        begun.append(name)
        if name == "test-java":
            beside.set()
        return parts.Part(name, 0, 0.0, 0.0, ())

    monkeypatch.setattr(parts, "run", run)
    monkeypatch.setattr(parts, "STAGES", ((("build",), ("test-java", "provide")),))
    assert parts.main() == 0
    assert begun == ["test-java", "build", "provide"]


def test_a_lane_that_has_ended_takes_the_last_part_of_the_other_once_the_build_is_there(
    parts: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[str, int]] = []
    taken = threading.Event()

    def run(name: str) -> object:
        begun.append((name, threading.get_ident()))
        if name == "check":
            taken.set()
        if name == "build":
            time.sleep(0.2)
        if name == "test-python":
            assert taken.wait(60), "the other lane has nothing of its own left"
        return parts.Part(name, 0, 0.0, 0.0, ())

    monkeypatch.setattr(parts, "run", run)
    monkeypatch.setattr(parts, "STAGES", ((("build", "test-python", "check"), ("test-go",)),))
    assert parts.main() == 0
    order, lane = [name for name, _ in begun], dict(begun)
    assert set(order[:2]) == {"build", "test-go"} and set(order[2:]) == {"test-python", "check"}
    assert lane["build"] == lane["test-python"] and lane["test-go"] == lane["check"]


LANE = """\
one:
	@sleep 300 & setsid sleep 301 & echo begun > one; wait
two:
	@trap '' INT TERM; echo begun > two; while :; do sleep 0.2; done
never:
	@echo begun > never
"""
DRIVER = """\
import pathlib, signal, sys
from programs import program
parts = program("parts")
parts.ROOT = pathlib.Path(sys.argv[1])
parts.STAGES = ((("one", "never"), ("two",)), (("never",),))
parts.ENDINGS = ((signal.SIGINT, 1.0), (signal.SIGTERM, 1.0), (signal.SIGKILL, 10.0))
for number in parts.STOPS:
    signal.signal(number, parts.stop)
sys.exit(parts.main())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_that_the_parts_started_and_begins_no_more(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(LANE)
    with subprocess.Popen(
        [sys.executable, "-c", DRIVER, tmp_path],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent), "PARTS_TEST": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as driver:
        await_true(lambda: (tmp_path / "one").exists() and (tmp_path / "two").exists())
        assert {"make", "sleep", "sh"} <= set(marked(tmp_path).values())
        driver.send_signal(number)
        out, err = driver.communicate(timeout=60)
    assert driver.returncode == 128 + number, err
    assert f"{number.name}: ending active parts" in err and out.count("FAILED") == 2, out
    assert marked(tmp_path) == {}
    assert not (tmp_path / "never").exists()


def marked(folder: Path) -> dict[int, str]:
    """The live processes of a test, each with the name of its program: they inherited the folder in their environment."""
    names = {}
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            name, _, state = (place / "stat").read_text().partition("(")[2].rpartition(")")
            if state.split()[0] != "Z" and f"PARTS_TEST={folder}\0".encode() in (place / "environ").read_bytes():
                names[int(place.name)] = name
    return names


def await_true(true: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"did not come true within {seconds} s"
        time.sleep(0.05)

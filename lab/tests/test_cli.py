"""The command line before any command: its version, and no slow imports."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from steelyard import __version__
from steelyard.base import paths
from steelyard.base.errors import ConfigurationError, outside_cause, what_failed
from steelyard.cli import VERBS, program, whole_program

RESULTS = Path(__file__).parents[2] / "docs" / "results"
# What takes longest to load, and runs no command that only reads a few small files.
SLOW = {"starlette", "uvicorn", "numpy", "scipy", "vl_convert", "xmlschema", "lxml", "hdrh", "jinja2", "ssl"}
LOADED = """
import sys
from steelyard.cli import main
sys.argv[0] = "steelyard"
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


def loaded(*words: str | Path, folder: Path | None = None, code: int = 0) -> set[str]:
    """The modules that a command has loaded by its end, with an exit code."""
    command = [sys.executable, "-c", LOADED, *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert ran.returncode == code or words[0] == "doctor", ran.stderr  # which complains of most machines
    return set(ran.stderr.split())


def test_the_version_is_printed() -> None:
    steelyard = Path(sys.executable).with_name("steelyard")
    ran = subprocess.run([steelyard, "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"steelyard {__version__}\n"


def test_a_current_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    steelyard = Path(sys.executable).with_name("steelyard")
    gone = ["sh", "-c", 'rmdir "$PWD" && exec "$0" "$@"', str(steelyard), "run", "small.toml"]
    ran = subprocess.run(gone, capture_output=True, text=True, check=False, cwd=tmp_path / "away")
    assert ran.returncode == 1
    assert ran.stderr == "error: the current folder no longer exists\nhint: change to another folder\n"


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
WAIT = "print('here', flush=True); import time; time.sleep(60)"
AFTER_ITS_END = f"""
import atexit, sys
def wait():
    {WAIT}
atexit.register(wait)
from steelyard.__main__ import main
sys.argv[1:] = ["completion", "nosuchshell"]
main()
"""


def interrupted(number: signal.Signals, *words: str, folder: Path) -> tuple[int, list[str]]:
    """The exit code and the lines on standard error of Python, which gets a signal as soon as it has printed a line."""
    inherited = signal.signal(number, signal.SIG_DFL)  # under nohup it is ignored, by all descendants
    try:
        begun = subprocess.Popen(
            [sys.executable, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    finally:
        signal.signal(number, inherited)
    assert begun.stdout is not None and begun.stdout.readline() == "here\n"
    begun.send_signal(number)
    _, errors = begun.communicate(timeout=30)
    return begun.returncode, errors.splitlines()


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_an_interrupt_while_the_command_line_loads_prints_nothing(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text(WAIT)  # the first library that it loads, and the folder is searched first
    assert interrupted(number, "-m", "steelyard", "--version", folder=tmp_path) == (130, [])


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_an_interrupt_after_the_end_of_a_command_adds_nothing(number: signal.Signals, tmp_path: Path) -> None:
    code, errors = interrupted(number, "-c", AFTER_ITS_END, folder=tmp_path)
    assert code == 130 and [line.partition(":")[0] for line in errors] == ["error", "hint"]


def test_an_interrupt_that_the_starter_ignored_stays_ignored(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("print('here', flush=True); import time; time.sleep(0.3); raise SystemExit(7)")
    script = f"trap '' INT; exec {sys.executable} -m steelyard --version"
    begun = subprocess.Popen(["sh", "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert begun.stdout is not None and begun.stdout.readline() == "here\n"
    begun.send_signal(signal.SIGINT)
    begun.communicate(timeout=30)
    assert begun.returncode == 7


def in_a_shell(redirections: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """A command that a shell starts with its streams redirected."""
    script = f'exec "$0" -m steelyard "$@" {redirections}'
    return subprocess.run(["bash", "-c", script, sys.executable, *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("words", ["--version", "services"])
def test_output_that_a_full_disk_does_not_take_is_an_error(words: str) -> None:
    ran = in_a_shell(">/dev/full", words)
    assert ran.returncode == 1 and "No space left on device\n" in ran.stderr and "Exception" not in ran.stderr
    assert in_a_shell(">/dev/full 2>/dev/full", words).returncode == 1


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_command_ends_well_where_standard_streams_are_closed(closed: str) -> None:
    ran = in_a_shell(closed, "services")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_link_that_leads_to_itself_is_named(tmp_path: Path) -> None:
    loop = tmp_path / "loop.toml"
    loop.symlink_to(loop.name)
    ran = in_a_shell("", "run", loop)
    assert ran.returncode in (1, 64) and str(loop) in ran.stderr and "defect" not in ran.stderr, ran.stderr


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "there is not enough memory"),
        (ImportError("a.so: failed to map segment from shared object"), "there is not enough memory"),
        (RuntimeError("can't start new thread"), "no further thread can be started"),
        (RuntimeError("Symlink loop from '/a'"), "'/a' is a symbolic link that leads to itself"),
    ],
)
def test_what_the_machine_causes_is_no_defect(error: Exception, said: str) -> None:
    cause = outside_cause(error)
    assert cause is not None and said in cause[0] and cause[1]
    assert outside_cause(RuntimeError("dictionary changed size")) is None


def test_a_folder_that_cannot_be_copied_is_told_by_its_first_such_file(tmp_path: Path) -> None:
    folder = tmp_path / "requests"
    folder.mkdir()
    loop = folder / "work.json"
    loop.symlink_to(loop.name)
    with pytest.raises(OSError) as caught:
        shutil.copytree(folder, tmp_path / "copy")
    assert what_failed(caught.value) == f"{loop}: Too many levels of symbolic links"
    assert what_failed(FileNotFoundError(2, "No such file or directory", "a")) == "a: No such file or directory"
    assert what_failed(OSError("no room")) == "no room"


def test_a_user_without_a_home_folder_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    for variable in ("STEELYARD_CACHE", "XDG_CACHE_HOME", "STEELYARD_STATE"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(ConfigurationError, match="there is no home folder"):
        paths.state()


@pytest.mark.parametrize(
    "words",
    [
        "--version",
        "--help",
        "servers",
        "servers --json",
        "studies",
        "services",
        "run wstest --dry-run",
        "run --help",
        "doctor",
    ],
)
def test_a_command_that_measures_nothing_loads_nothing_slow(words: str) -> None:
    assert loaded(*words.split()) & SLOW == set()


def test_each_command_is_in_the_module_that_the_table_names() -> None:
    assert list(commands_of(whole_program())) == list(VERBS)
    for name, verb in VERBS.items():
        beside = {other for other, its in VERBS.items() if its.module == verb.module}
        for words in ((name, "--help"), ["--", name]):
            assert set(commands_of(program(words))) == beside


def test_the_list_of_commands_is_the_same_whether_they_are_loaded_or_not() -> None:
    assert help_of(program(["--help"])) == help_of(whole_program())


def commands_of(app: typer.Typer) -> dict[str, object]:
    """The commands of a program by name."""
    found: dict[str, object] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return found


def help_of(app: typer.Typer) -> str:
    """The help of a program."""
    command = typer.main.get_command(app)
    text: str = command.get_help(command.context_class(command, info_name="steelyard"))
    return text


@pytest.mark.parametrize("words", ["", "--help", "-h", "rnu", "--version", "completion bash", "report --help"])
def test_a_command_loads_no_other_command_and_no_model(words: str) -> None:
    found = loaded(*words.split(), code=64 if words == "rnu" else 0)
    mine = {VERBS[word].module for word in words.split() if word in VERBS}
    assert found & (modules_beside(mine) | {"steelyard.models.study", "steelyard.catalogue.entries"}) == set()


@pytest.mark.parametrize(
    ("typed", "mine"), [("steelyard ", set()), ("steelyard rep", set()), ("steelyard report --mark", {"report"})]
)
def test_a_shell_that_completes_words_loads_no_other_command(
    typed: str, mine: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = typed.split(" ")
    for name, value in {"": "complete_bash", "WORDS": "\n".join(words), "CWORD": f"{len(words) - 1}"}.items():
        monkeypatch.setenv(f"COMP_{name}" if name else "_STEELYARD_COMPLETE", value)
    assert loaded() & modules_beside(mine) == set()


def modules_beside(mine: set[str]) -> set[str]:
    """The modules of all commands but these, as Python names them; that of `completion` serves the shells."""
    return {f"steelyard.commands.{verb.module}" for verb in VERBS.values()} - {
        f"steelyard.commands.{module}" for module in (*mine, "completing")
    }


def test_a_report_loads_what_it_draws_with_and_nothing_that_starts_servers_or_reads_xml(tmp_path: Path) -> None:
    found = loaded("report", RESULTS / "demo", RESULTS / "demo", folder=tmp_path)
    assert "numpy" in found
    assert found & {"scipy.stats", "scipy.optimize", "xmlschema", "steelyard.measure.trial.trial"} == set()


def test_an_option_that_resembles_none_suggests_none_and_a_dry_run_promises_no_more_trials_than_its_budget() -> None:
    steelyard = Path(sys.executable).with_name("steelyard")
    unknown = [steelyard, "load", "http://127.0.0.1:9/", "--gatling"]
    ran = subprocess.run(unknown, capture_output=True, text=True, check=False)
    assert ran.returncode == 64 and "No such option: --gatling\n" in ran.stderr
    planned = [steelyard, "run", "demo", "--budget", "10s", "--dry-run"]
    ran = subprocess.run(planned, capture_output=True, text=True, check=True)
    assert "up to 6 trials" in ran.stdout

"""The command line: data goes to standard output, everything else to standard error; errors are a sentence and a hint."""

from __future__ import annotations

import difflib
import errno
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Annotated, NamedTuple, NoReturn, TextIO

import typer
from typer.exceptions import TyperException

from . import __version__
from .base import children, paths
from .base.errors import (
    COULD_NOT,
    DEFECT,
    EXIT_CODES,
    INTERRUPTED,
    USED_WRONGLY,
    SteelyardError,
    outside_cause,
    what_failed,
)
from .commands import completing
from .commands.examples import examples
from .commands.once import once


class Verb(NamedTuple):
    """A command: its module in commands/, and its line in the list of commands."""

    module: str
    summary: str


# The commands in the order of the help. Only the module of the command that a user names is loaded: all of them, with their
# models, take a second. A test compares the table with the modules.
VERBS = {
    "demo": Verb("demo", "Compare two real servers in about five minutes."),
    "run": Verb("run", "Run a study: provide, verify, warm up, measure, report."),
    "report": Verb("report", "Rebuild the report of a stored run, or of several."),
    "serve": Verb("serve", "Serve a page over stored and active runs."),
    "layers": Verb("layers", "Print the requests that a run recorded, layer by layer."),
    "why": Verb("why", "Show which layer causes the difference of two subjects."),
    "keep": Verb("keep", "Copy a stored run, small enough to send."),
    "compare": Verb("compare", "Compare servers or settings until it is decided."),
    "check": Verb("check", "Gate a change: is NEW slower than OLD? For CI."),
    "calibrate": Verb("calibrate", "Measure which differences this machine can detect."),
    "servers": Verb("servers", "List the servers, show one, or check some."),
    "try": Verb("try_", "Start one server to inspect it by hand."),
    "studies": Verb("lists", "List the studies."),
    "services": Verb("lists", "List the services with their operations and implementations."),
    "add": Verb("add", "Add a WAR, a jar or a command of your own, to compare servers with it."),
    "import": Verb("import_", "Make a service folder from a description or requests."),
    "load": Verb("load", "Load a running service: figures, no verdict."),
    "find-limit": Verb("find_limit", "Find the greatest load at which a service meets a goal."),
    "mock": Verb("mock", "Mock a service on this machine."),
    "record": Verb("record", "Record clients' requests through a proxy as a service folder."),
    "export": Verb("export", "Write a service's load, or a run, for other programs."),
    "judge": Verb("judge", "Judge results that other load tools wrote."),
    "doctor": Verb("doctor", "Check this machine for settings that falsify measurements."),
    "completion": Verb("completing", "Print the shell completion script."),
}
EPILOG = examples(
    "steelyard doctor",
    "steelyard demo",
    "steelyard compare tomcat-metro go --operation echoStruct --budget 10m",
    "steelyard run wstest --dry-run",
    more="\b\nEnvironment:\n"
    "  STEELYARD_CACHE      folder for fetched and built files\n"
    "  STEELYARD_STATE      folder for data about this machine\n"
    "  STEELYARD_PATH       more folders with servers, services, studies\n"
    "  STEELYARD_JDK_17     home of JDK 17; likewise other versions\n"
    "  STEELYARD_LOCK       file that allows one measurement at a time\n"
    "  STEELYARD_AWAKE      no: processors may halt; yes: all stay awake\n"
    "  STEELYARD_STRANGERS  yes: count pairs that other work disturbed\n"
    "  STEELYARD_FREEZE     no: idle servers run on"
    f"\n\n{EXIT_CODES}",
)


def program(words: Sequence[str]) -> typer.Typer:
    """The command line for a user's words: with the command that they begin with, or else with the list of all commands."""
    first = words[1] if words[:1] == ["--"] and len(words) > 1 else words[0] if words else ""
    if first in VERBS:
        return _with_modules([VERBS[first].module])
    listed = _without_commands()
    for name, verb in VERBS.items():
        listed.command(name, short_help=verb.summary)(_do_nothing)
    return listed


def whole_program() -> typer.Typer:
    """The command line with every command."""
    return _with_modules(list(dict.fromkeys(verb.module for verb in VERBS.values())))


def _with_modules(modules: Sequence[str]) -> typer.Typer:
    made = _without_commands()
    for module in modules:
        made.add_typer(once(import_module(f".commands.{module}", __package__).commands))
    return made


def _without_commands() -> typer.Typer:
    return typer.Typer(
        name="steelyard",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog=EPILOG,
        callback=root_command,
    )


def _do_nothing() -> None:
    """Stands for a command that is only listed."""


def _version(wanted: bool) -> None:
    if wanted:
        print(f"steelyard {__version__}")
        raise typer.Exit


def root_command(
    _: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    """Compare web services: the same service on real servers, the same load, and a verdict with its certainty."""


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def main() -> None:
    """Run the command of this process: every end is an exit code and, for an error, a sentence on standard error."""
    _open_closed_streams()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where our starter ignored it, every program would seem to succeed
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # as a shell ignores it for what runs in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)
    completing.answer_shells()
    try:
        words = sys.argv[1:] or ["--help"]
        code = program(completing.words_to_complete() or words)(args=words, standalone_mode=False)
    except SteelyardError as error:
        _print_error(error.message, error.hint)
        code = error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except TyperException as error:
        _print_error(*_usage_problem(error))
        code = USED_WRONGLY
    except BrokenPipeError:
        code = 0
    except OSError as error:
        _print_os_error(error)
        code = COULD_NOT
    except Exception as error:
        code = _print_unexpected(error)
    finally:
        with suppress(KeyboardInterrupt):
            children.end_all()
    sys.exit(_flush_output(code or 0))


def _print_os_error(error: OSError) -> None:
    if error.errno == errno.ENOENT and not error.filename and not _has_current_folder():
        _print_error("the current folder no longer exists", "change to another folder")
    else:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        _print_error(what_failed(error), "free some space on the disk, then run it again" if full else "")


def _has_current_folder() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def _print_unexpected(error: Exception) -> int:
    """Report what the machine causes, or else a defect of ours with its trace in a file; returns the exit code."""
    if (cause := outside_cause(error)) is not None:
        _print_error(*cause)
        return COULD_NOT
    hint = "please report it"
    with suppress(OSError, SteelyardError, MemoryError):  # where it cannot be kept, the sentence must do
        place = paths.cache() / "defect.log"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(traceback.format_exc(), encoding="utf-8")
        hint += f" with {place}"
    _print_error(f"this is a defect of Steelyard: {type(error).__name__}: {error}", hint)
    return DEFECT


def _open_closed_streams() -> None:
    """Open /dev/null for each standard stream that is closed: otherwise the next opened file would take its place."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end


def _flush_output(code: int) -> int:
    """Write what is still to be printed; returns the exit code, which is not 0 where the output could not be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # its reader wanted no more
        _discard(sys.stdout)
    except OSError as error:
        _discard(sys.stdout)
        _print_error(f"the output cannot be written: {error.strerror}", "")
        code = code or COULD_NOT
    return code


def _discard(stream: TextIO) -> None:
    """Send the rest of a stream nowhere: Python would try to write it again at its end, and fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _usage_problem(error: TyperException) -> tuple[str, str]:
    """The problem of a command line, and a hint to the help of the command that it names."""
    from pydantic import ValidationError

    from .base.validation import problem_text

    reached: list[str] = []
    context = getattr(error, "ctx", None)
    while context is not None and context.parent is not None:  # the last is the program, by whatever name it was begun
        reached.insert(0, context.info_name)
        context = context.parent
    reached = reached or [word for word in sys.argv[1:2] if word in VERBS]  # where typer does not say how far it came
    cause = error.__cause__
    if isinstance(error, typer.BadParameter) and isinstance(cause, ValidationError) and error.param is not None:
        message = f"{' or '.join(error.param.opts)} {problem_text(cause.errors()[0])}"
    else:
        _keep_near_options(error)
        message = " ".join(error.format_message().split())
    return message, f"`{' '.join(('steelyard', *reached, '--help'))}` shows the usage"


def _keep_near_options(error: TyperException) -> None:
    """Of the options that an unknown one may have meant, keep those whose word is about as similar as the most similar one. The
    dashes are alike in all."""
    meant, possible = getattr(error, "option_name", ""), getattr(error, "possibilities", None)
    if possible:
        asked = meant.lstrip("-")
        alike = {option: difflib.SequenceMatcher(None, asked, option.lstrip("-")).ratio() for option in possible}
        least = max(0.6, max(alike.values()) - 0.15)
        near = sorted((option for option in alike if alike[option] >= least), key=alike.__getitem__, reverse=True)
        error.possibilities = near  # type: ignore[attr-defined]  # of click's NoSuchOption


def _print_error(message: str, hint: str) -> None:
    try:
        from rich.console import Console

        console = Console(stderr=True, soft_wrap=True)
        console.print(f"error: {message}", highlight=False, markup=False, style="red")
        if hint:
            console.print(f"hint: {hint}", highlight=False, markup=False)
    except OSError:  # nobody can read it
        _discard(sys.stderr)
    except (MemoryError, ImportError):  # there may be no memory for colours
        sys.stderr.write(f"error: {message}\n" + (f"hint: {hint}\n" if hint else ""))

"""The command line. Data goes to standard output, everything else to standard error; errors are a sentence and a hint."""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console
from rich.table import Table
from typer.exceptions import TyperException

from . import __version__, catalogue, design, doctor, house
from .errors import ConfigurationError, SteelyardError
from .lock import machine_lock
from .models.outputs import ServerRow, ServersOutput
from .progress import Progress

if TYPE_CHECKING:  # what measures and analyses is imported by the commands that do so: it takes seconds to load
    from . import run as running

app = typer.Typer(
    name="steelyard",
    help="Weighs web services: the same service on several real servers, the same load, and a verdict that one can trust.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
servers_app = typer.Typer(help="List the servers, or check one.", invoke_without_command=True, rich_markup_mode=None)
app.add_typer(servers_app, name="servers")

ServiceName = Annotated[str, typer.Option(help="The service to call.")]
OperationName = Annotated[str, typer.Option(help="The operation to call.")]
Users = Annotated[int | None, typer.Option(min=1, max=100_000, help="Closed load: concurrent users (default 8).")]
Rate = Annotated[float | None, typer.Option(min=0.1, help="Open load: Poisson arrivals per second; p99 is judged.")]
BudgetTime = Annotated[str, typer.Option(help="Time that the comparison should keep to: 90s, 10m, 1h.")]
Pairs = Annotated[int | None, typer.Option(min=1, max=10_000, help="Pairs of slices a fork and operation.")]
SliceSeconds = Annotated[float | None, typer.Option(min=0.2, max=3600, help="Measured seconds of a slice.")]
WarmUp = Annotated[
    float | None, typer.Option(min=0.2, max=3600, help="Most seconds of warm-up a subject and operation.")
]
Seed = Annotated[int, typer.Option(min=0, max=2**31, help="Feeds every random choice.")]
Out = Annotated[Path | None, typer.Option(help="Folder that the run's folder is made in (default: runs).")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else there.")]


def _console(*, stderr: bool = True) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    # In a pipe or a file nothing is folded: a table's row stays a line.
    return Console(stderr=stderr) if stream.isatty() else Console(stderr=stderr, width=240)


@app.command(epilog="Example: steelyard demo")
def demo(
    json: Json = False,
    out: Annotated[Path | None, typer.Option(help="Folder that the run's folder is made in.")] = None,
) -> None:
    """Weigh two real servers in under five minutes (the study `demo`): one operation judged, one beside it."""
    _require_verdict(_run("demo", design.Request(), out, json))


@app.command(
    epilog="Examples: steelyard run wstest --dry-run; steelyard run wstest --only tomcat-metro,go --operation echoStruct; "
    "steelyard run wstest --config WSTest.ini --as-published; steelyard run wstest --budget 40m; "
    "steelyard run --resume runs/wstest-2026-01-31-120000"
)
def run(
    study: Annotated[
        str | None, typer.Argument(help="Name of a study (`steelyard studies`), or path of a study file.")
    ] = None,
    only: Annotated[
        str, typer.Option(help="Subjects or servers (SERVER@FACTOR=VALUE too) to compare, separated by commas.")
    ] = "",
    operation: Annotated[
        str,
        typer.Option(
            help="Operations to run, separated by commas; the first is judged unless the study's own is among them."
        ),
    ] = "",
    users: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="Concurrent users (the study's own number otherwise).")
    ] = None,
    forks: Annotated[int | None, typer.Option(min=1, max=1000, help="Fresh starts of each subject.")] = None,
    pairs: Pairs = None,
    slice_seconds: SliceSeconds = None,
    warm_up: WarmUp = None,
    config: Annotated[
        Path | None, typer.Option(help="The paper's own initialization file (Name = value lines).")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE: a parameter under the paper's name; repeatable.")
    ] = None,
    as_published: Annotated[
        bool, typer.Option(help="Unbroken, one server after the other, as the paper ran it: no interval, no verdict.")
    ] = False,
    tests: Annotated[str, typer.Option(help="Of a study with tests, those to run: 1-6,12.")] = "",
    scale: Annotated[
        float, typer.Option(min=0.01, max=1, help="Shortens the times of a study's tests, and says so everywhere.")
    ] = 1.0,
    budget: Annotated[
        str | None, typer.Option(help="Time for all: 90s, 40m, 1.5h. What does not fit is left out, and said.")
    ] = None,
    seed: Seed = 1,
    out: Out = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Go on with a stopped run's folder, instead of a study.")
    ] = None,
    dry_run: Annotated[bool, typer.Option(help="Print the schedule and stop.")] = False,
    json: Json = False,
) -> None:
    """Run a study: fetch, build, start, verify, warm up, measure, analyse, report."""
    from . import comparison

    if resume is not None:
        _resume(resume, study, json)
        return
    if study is None:
        raise typer.BadParameter("a study is missing; `steelyard studies` lists them")
    request = design.Request(
        only=_words(only),
        operations=_words(operation),
        users=users,
        forks=forks,
        pairs=pairs,
        slice_seconds=slice_seconds,
        warm_up_seconds=warm_up,
        budget_seconds=None if budget is None else comparison.seconds_of(budget),
        config=config,
        settings=_settings(set_ or []),
        as_published=as_published,
        tests=tests,
        scale=scale,
        seed=seed,
    )
    if dry_run:
        from . import printing

        schedule = design.schedule_only(catalogue.study(study).model, request)
        print(schedule.model_dump_json()) if json else printing.schedule(schedule, _console(stderr=False))
    else:
        _require_verdict(_run(study, request, out, json))


@app.command(
    epilog="Examples: steelyard compare tomcat-metro tomcat-cxf --operation echoStruct --budget 10m; "
    "steelyard compare tomcat-metro@heap=128m tomcat-metro@heap=512m; steelyard compare go go"
)
def compare(
    subjects: Annotated[
        list[str], typer.Argument(metavar="A B [C ...]", help="Servers, each with settings: SERVER@FACTOR=VALUE.")
    ],
    service: ServiceName = "wstest",
    operation: OperationName = "echoStruct",
    users: Users = None,
    rate: Rate = None,
    budget: BudgetTime = "15m",
    margin: Annotated[str, typer.Option(help="The difference that counts as none.")] = "3%",
    pairs: Pairs = None,
    slice_seconds: SliceSeconds = None,
    warm_up: WarmUp = None,
    seed: Seed = 1,
    out: Out = None,
    json: Json = False,
) -> None:
    """Compare servers, or one server with itself under other settings, until it is decided or the budget is used."""
    request = design.Request(users=users, pairs=pairs, slice_seconds=slice_seconds, warm_up_seconds=warm_up, seed=seed)
    _require_verdict(_compare(subjects, service, operation, rate, budget, margin, request, out, json))


@app.command(
    epilog="Example: steelyard check tomcat-metro tomcat-metro@heap=128m --margin 5% --budget 15m. "
    "Exit codes: 0 no regression, 1 regression, 2 cannot tell."
)
def check(
    old: Annotated[str, typer.Argument(metavar="OLD", help="What was: SERVER or SERVER@FACTOR=VALUE.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="What is to be no slower.")],
    service: ServiceName = "wstest",
    operation: OperationName = "echoStruct",
    users: Users = None,
    rate: Rate = None,
    budget: BudgetTime = "15m",
    margin: Annotated[str, typer.Option(help="The slow-down that is still accepted.")] = "5%",
    pairs: Pairs = None,
    slice_seconds: SliceSeconds = None,
    warm_up: WarmUp = None,
    seed: Seed = 1,
    out: Out = None,
    json: Json = False,
) -> None:
    """A gate for continuous integration: both are built and run now, paired; junit.xml and summary.md go into the run's folder."""
    from . import gate

    try:
        request = design.Request(
            users=users, pairs=pairs, slice_seconds=slice_seconds, warm_up_seconds=warm_up, seed=seed
        )
        outcome = _compare([new, old], service, operation, rate, budget, margin, request, out, json)
    except SteelyardError as error:
        raise SteelyardError(f"cannot tell: {error.message}", error.hint, exit_code=gate.Gate.CANNOT_TELL) from None
    if outcome.verdicts is None:
        raise SteelyardError(f"cannot tell: {'; '.join(outcome.failures)}", exit_code=gate.Gate.CANNOT_TELL)
    (outcome.folder / "junit.xml").write_text(gate.junit(outcome.verdicts), encoding="utf-8")
    (outcome.folder / "summary.md").write_text(gate.summary(outcome.verdicts), encoding="utf-8")
    found = gate.judged(outcome.verdicts)
    _console().print(
        f"{found.meaning}; junit.xml and summary.md are in {outcome.folder}", highlight=False, markup=False
    )
    raise typer.Exit(found)


@app.command(epilog="Examples: steelyard calibrate; steelyard calibrate --server go --operation echoList --budget 30m")
def calibrate(
    server: Annotated[
        str | None,
        typer.Option(help="The server to measure against itself (default: that of the study `calibration`)."),
    ] = None,
    service: ServiceName = "wstest",
    operation: OperationName = "echoStruct",
    budget: BudgetTime = "15m",
    pairs: Annotated[
        int, typer.Option(min=3, max=1000, help="Rounds a fork; each measures every planted slow-down.")
    ] = 12,
    slice_seconds: Annotated[float, typer.Option(min=0.2, max=60, help="Measured seconds of a slice.")] = 1.0,
    seed: Seed = 1,
    out: Out = None,
    json: Json = False,
) -> None:
    """Find out what this machine can tell apart: a server against itself, and against itself slowed down by 2, 5 and 20%.

    What is found is kept for this machine, and reports of later runs cite it. Ctrl-C keeps the forks that ended.
    """
    from . import comparison, printing
    from .calibration.calibrating import Wish, calibrate

    wish = Wish(
        server=server or catalogue.study("calibration").model.first_server(),
        service=service,
        operation=operation,
        budget_seconds=comparison.seconds_of(budget),
        pairs=pairs,
        slice_seconds=slice_seconds,
        seed=seed,
        out=(out or Path("runs")).resolve(),
        command=["steelyard", *sys.argv[1:]],
    )
    with Progress(_console(), quiet=json) as progress:
        found = calibrate(wish, progress)
    if json:
        print(found.model_dump_json())
    else:
        printing.calibration(found, _console(stderr=False))
    if found.stopped:
        raise KeyboardInterrupt


@app.command(name="report", epilog="Example: steelyard report runs/wstest-2026-01-31-120000")
def report_command(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder.")], json: Json = False
) -> None:
    """Rebuild results.csv, verdicts.json and report.html of a run from its stored files alone."""
    from . import analyse, report
    from . import run as running

    verdicts = analyse.analyse(run_folder)
    page = report.write_report(run_folder)
    _print_outcome(running.Outcome(run_folder, verdicts, page, []), json)


@app.command()
def studies() -> None:
    """List the studies."""
    table = Table("study", "question", "paper", box=None, pad_edge=False)
    for name in catalogue.study_files():
        model = catalogue.study(name).model
        table.add_row(name, model.question, f"{model.paper.authors} {model.paper.year}" if model.paper else "")
    _console(stderr=False).print(table)


@app.command()
def services() -> None:
    """List the services with their operations and implementations."""
    table = Table("service", "operations", "implementations", box=None, pad_edge=False)
    for name in catalogue.service_files():
        entry = catalogue.service(name)
        folders = sorted(
            path.name
            for path in entry.folder.iterdir()
            if path.is_dir() and path.name != "contract" and not path.name.startswith(".")
        )
        table.add_row(name, ", ".join(entry.model.operations), ", ".join(folders))
    _console(stderr=False).print(table)


@servers_app.callback(
    epilog="Examples: steelyard servers; steelyard servers --json; steelyard servers check tomcat-metro"
)
def servers_list(context: typer.Context, json: Json = False) -> None:
    """List the servers, or check one."""
    from . import printing, servers

    if context.invoked_subcommand is not None:
        return
    rows = [servers.row(catalogue.server(name)) for name in catalogue.server_files()]
    if json:
        print(ServersOutput(servers=rows).model_dump_json())
        return
    _console(stderr=False).print(printing.servers(rows))


@servers_app.command(name="check", epilog="Examples: steelyard servers check go; steelyard servers check --all --json")
def servers_check(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Servers to check: SERVER or SERVER@FACTOR=VALUE.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Check every server.")] = False,
    service: Annotated[str, typer.Option(help="The service to deploy.")] = "wstest",
    quick: Annotated[bool, typer.Option("--quick", help="Without the freeze, two at once and redeployment.")] = False,
    save: Annotated[Path | None, typer.Option(help="File that the JSON object is written to as well.")] = None,
    json: Json = False,
) -> None:
    """Fetch, start, deploy, verify every exchange in every spelling, send bad requests, keep a connection over a freeze, look
    at the sockets, run two at once, redeploy, stop."""
    from . import comparison, printing, servers

    wanted = sorted(catalogue.server_files()) if all_ else names or []
    if not wanted:
        raise ConfigurationError("no server was named", hint="`steelyard servers check NAME`, or `--all`")
    for name in wanted:
        catalogue.server(comparison.subject_of(name).parts[0].server)
    rows: list[ServerRow] = []
    with machine_lock("steelyard servers check"), Progress(_console(), quiet=json) as progress:
        for name in wanted:
            rows.append(servers.check(name, service, progress, quick=quick))
            if not json:
                with progress.aside():
                    _console(stderr=False).print(printing.checked(rows[-1]), highlight=False, markup=False)
    found = ServersOutput(servers=rows, checked=servers.checked())
    if save is not None:
        save.write_text(found.model_dump_json(indent=1) + "\n", encoding="utf-8")
    if json:
        print(found.model_dump_json())
    else:
        _console(stderr=False).print(printing.hall(rows))
    if any(row.contract is False for row in rows) or (
        not all_ and any(row.contract is None and row.kind == "server" for row in rows)
    ):
        raise typer.Exit(1)


@app.command(name="doctor", epilog="Example: steelyard doctor")
def doctor_command() -> None:
    """Look for what could falsify a measurement on this machine, and say what to switch off."""
    checks = doctor.examine()
    table = Table("", "check", "found", "what to do", box=None, pad_edge=False)
    for check in checks:
        table.add_row("ok" if check.good else "!!", check.name, check.found, "" if check.good else check.advice)
    _console(stderr=False).print(table)
    if not all(check.good for check in checks):
        raise typer.Exit(1)


@app.callback()
def version(
    show: Annotated[bool, typer.Option("--version", help="Print the version and stop.", is_eager=True)] = False,
) -> None:
    """Weighs web services: the same service on several real servers, the same load, and a verdict that one can trust."""
    if show:
        print(f"steelyard {__version__}")
        raise typer.Exit


def _run(study: str, request: design.Request, out: Path | None, json: bool) -> running.Outcome:
    """Run a study and print what it came to."""
    from . import run as running

    entry = catalogue.study(study)
    with Progress(_console(), quiet=json) as progress:
        outcome = running.run(entry, request, out=out, command=["steelyard", *sys.argv[1:]], progress=progress)
    _print_outcome(outcome, json)
    return outcome


def _resume(folder: Path, study: str | None, json: bool) -> None:
    """Go on with a stopped run, with everything as it was asked for then."""
    from . import run as running

    if study is not None:
        raise ConfigurationError("--resume goes on with a run as it was asked for", hint="leave the study's name out")
    if not folder.is_dir():
        raise ConfigurationError(f"there is no run {folder}", hint="name the folder that `steelyard run` made")
    with Progress(_console(), quiet=json) as progress:
        outcome = running.resume(folder, command=["steelyard", *sys.argv[1:]], progress=progress)
    _print_outcome(outcome, json)
    _require_verdict(outcome)


def _compare(
    subjects: list[str],
    service: str,
    operation: str,
    rate: float | None,
    budget: str,
    margin: str,
    request: design.Request,
    out: Path | None,
    json: bool,
) -> running.Outcome:
    """Run the comparison that the words of `compare` and `check` ask for; one of a server with itself is remembered."""
    from . import comparison
    from .calibration import history

    if request.users is not None and rate is not None:
        raise ConfigurationError("--users and --rate exclude each other", hint="a load is closed or open")
    study = comparison.study_of(
        subjects,
        service,
        operation,
        rate=rate,
        budget_seconds=comparison.seconds_of(budget),
        margin=comparison.share_of(margin),
    )
    with TemporaryDirectory(prefix="steelyard-compare-") as folder:
        file = Path(folder) / "compare.toml"
        file.write_text(comparison.text_of(study), encoding="utf-8")
        outcome = _run(str(file), request, out, json)
    history.remember_run(study, outcome.verdicts)
    return outcome


def _require_verdict(outcome: running.Outcome) -> None:
    """Raise where trials failed or the instrument was not valid: what was measured is stored and printed by then."""
    if outcome.failures or outcome.verdicts is None:
        raise SteelyardError(
            f"{len(outcome.failures)} of the run's trials failed: {outcome.failures[0].splitlines()[0]}",
            hint=f"everything that was measured is in {outcome.folder}",
        )
    if not outcome.verdicts.valid:
        raise SteelyardError(
            f"there is no verdict: {'; '.join(outcome.verdicts.why_not)}", hint=f"see {outcome.report}"
        )


def _print_outcome(outcome: running.Outcome, json: bool) -> None:
    from . import printing

    if json:
        print(printing.run_output(outcome).model_dump_json())
    else:
        printing.outcome(outcome, _console(stderr=False))


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _settings(pairs: list[str]) -> dict[str, design.Value]:
    settings: dict[str, design.Value] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise ConfigurationError(f"--set takes NAME=VALUE, not '{pair}'")
        settings[name.strip()] = value.strip()
    return settings


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def main() -> None:
    """The entry point: every way to end is an exit code and, where it is an error, a sentence on standard error."""
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)
    try:
        code = app(standalone_mode=False)
    except SteelyardError as error:
        _complain(error.message, error.hint)
        code = error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except TyperException as error:
        _complain(error.format_message(), "`steelyard --help` shows what can be said")
        code = 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        _complain(str(error), "free some space on the disk, then run it again" if full else "")
        code = 1
    except Exception as error:  # a defect of ours: say so, keep the trace where it can be sent from
        place = house.cache() / "defect.log"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(traceback.format_exc(), encoding="utf-8")
        _complain(
            f"this is a defect of Steelyard: {type(error).__name__}: {error}",
            f"please report it with {place}",
        )
        code = 70
    sys.exit(code or 0)


def _complain(message: str, hint: str) -> None:
    console = Console(stderr=True, soft_wrap=True)
    console.print(f"error: {message}", highlight=False, markup=False, style="red")
    if hint:
        console.print(f"hint: {hint}", highlight=False, markup=False)


if __name__ == "__main__":
    main()

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

from . import __version__, catalogue, design, doctor
from .errors import ConfigurationError, SteelyardError
from .lock import machine_lock
from .models.outputs import RunOutput, ServerRow, ServersOutput
from .models.verdict import Verdicts
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
    _run("demo", design.Request(), out, json)


@app.command(
    epilog="Examples: steelyard run wstest --dry-run; steelyard run wstest --only tomcat-metro,go --operation echoStruct; "
    "steelyard run wstest --config WSTest.ini --as-published"
)
def run(
    study: Annotated[str, typer.Argument(help="Name of a study (`steelyard studies`), or path of a study file.")],
    only: Annotated[str, typer.Option(help="Subjects or servers to compare, separated by commas.")] = "",
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
    pairs: Annotated[int | None, typer.Option(min=1, max=10_000, help="Pairs of slices a fork and operation.")] = None,
    slice_seconds: Annotated[float | None, typer.Option(min=0.2, max=3600, help="Measured seconds of a slice.")] = None,
    config: Annotated[
        Path | None, typer.Option(help="The paper's own initialization file (Name = value lines).")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE: a parameter under the paper's name; repeatable.")
    ] = None,
    as_published: Annotated[
        bool, typer.Option(help="Unbroken, one server after the other, as the paper ran it: no interval, no verdict.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, max=2**31, help="Feeds every random choice.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder that the run's folder is made in (default: runs).")] = None,
    dry_run: Annotated[bool, typer.Option(help="Print the schedule and stop.")] = False,
    json: Json = False,
) -> None:
    """Run a study: fetch, build, start, verify, warm up, measure, analyse, report."""
    request = design.Request(
        only=_words(only),
        operations=_words(operation),
        users=users,
        forks=forks,
        pairs=pairs,
        slice_seconds=slice_seconds,
        config=config,
        settings=_settings(set_ or []),
        as_published=as_published,
        seed=seed,
    )
    if dry_run:
        _print_schedule(study, request, json)
    else:
        _run(study, request, out, json)


@app.command(
    epilog="Examples: steelyard compare tomcat-metro tomcat-cxf --operation echoStruct --budget 10m; "
    "steelyard compare tomcat-metro@heap=128m tomcat-metro@heap=512m; steelyard compare go go"
)
def compare(
    subjects: Annotated[
        list[str], typer.Argument(metavar="A B [C ...]", help="Servers, each with settings: SERVER@FACTOR=VALUE.")
    ],
    service: Annotated[str, typer.Option(help="The service to call.")] = "wstest",
    operation: Annotated[str, typer.Option(help="The operation to call.")] = "echoStruct",
    users: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="Closed load: concurrent users (default 8).")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(min=0.1, help="Open load instead: Poisson arrivals per second; p99 is judged.")
    ] = None,
    budget: Annotated[str, typer.Option(help="Time that the comparison should keep to: 90s, 10m, 1h.")] = "15m",
    margin: Annotated[str, typer.Option(help="The difference that counts as none.")] = "3%",
    seed: Annotated[int, typer.Option(min=0, max=2**31, help="Feeds every random choice.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder that the run's folder is made in (default: runs).")] = None,
    json: Json = False,
) -> None:
    """Compare servers, or one server with itself under other settings, until it is decided or the budget is used."""
    from . import comparison

    if users is not None and rate is not None:
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
        _run(str(file), design.Request(users=users, seed=seed), out, json)


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
        folders = sorted(path.name for path in entry.folder.iterdir() if path.is_dir() and path.name != "contract")
        table.add_row(name, ", ".join(entry.model.operations), ", ".join(folders))
    _console(stderr=False).print(table)


@servers_app.callback(
    epilog="Examples: steelyard servers; steelyard servers --json; steelyard servers check tomcat-metro"
)
def servers_list(context: typer.Context, json: Json = False) -> None:
    """List the servers, or check one."""
    from . import servers

    if context.invoked_subcommand is not None:
        return
    rows = [servers.row(catalogue.server(name)) for name in catalogue.server_files()]
    if json:
        print(ServersOutput(servers=rows).model_dump_json())
        return
    table = Table(
        "name", "server", "version", "stack", "language", "JDK", "fetched", "to fetch", box=None, pad_edge=False
    )
    for row in rows:
        size = "" if row.bytes is None or row.fetched else f"{row.bytes / 1e6:.0f} MB"
        jdk = str(row.jdk or "")
        table.add_row(
            row.name, row.title, row.version, row.stack, row.language, jdk, "yes" if row.fetched else "no", size
        )
    _console(stderr=False).print(table)


@servers_app.command(name="check", epilog="Examples: steelyard servers check go; steelyard servers check --all --json")
def servers_check(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Servers to check.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Check every server.")] = False,
    service: Annotated[str, typer.Option(help="The service to deploy.")] = "wstest",
    json: Json = False,
) -> None:
    """Fetch, build, start, verify every exchange in every spelling, send bad requests, stop."""
    from . import servers

    wanted = sorted(catalogue.server_files()) if all_ else names or []
    if not wanted:
        raise ConfigurationError("no server was named", hint="`steelyard servers check NAME`, or `--all`")
    for name in wanted:
        catalogue.server(name)
    rows: list[ServerRow] = []
    with machine_lock("steelyard servers check"), Progress(_console(), quiet=json) as progress:
        for name in wanted:
            rows.append(servers.check(name, service, progress))
            if not json:
                _console(stderr=False).print(_checked(rows[-1]), highlight=False, markup=False)
    if json:
        print(ServersOutput(servers=rows).model_dump_json())
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


def _run(study: str, request: design.Request, out: Path | None, json: bool) -> None:
    from . import run as running

    entry = catalogue.study(study)
    with Progress(_console(), quiet=json) as progress:
        outcome = running.run(entry, request, out=out, command=["steelyard", *sys.argv[1:]], progress=progress)
    _print_outcome(outcome, json)
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
    from . import analyse

    verdicts = outcome.verdicts
    if json:
        print(_output(outcome, verdicts).model_dump_json())
        return
    console = _console(stderr=False)
    if verdicts is None:
        return
    console.print()
    console.print(verdicts.sentence, highlight=False, markup=False, style="bold")
    console.print()
    console.print(analyse.table(verdicts))
    console.print()
    console.print(f"report: {outcome.report}", highlight=False, markup=False)


def _output(outcome: running.Outcome, verdicts: Verdicts | None) -> RunOutput:
    return RunOutput(
        valid=verdicts is not None and verdicts.valid,
        why_not=verdicts.why_not if verdicts else outcome.failures,
        sentence=verdicts.sentence if verdicts else "nothing was measured",
        comparisons=verdicts.comparisons if verdicts else [],
        failures=outcome.failures,
        run=str(outcome.folder),
        report=str(outcome.report) if outcome.report else None,
    )


def _print_schedule(study: str, request: design.Request, json: bool) -> None:
    schedule = design.schedule_only(catalogue.study(study).model, request)
    if json:
        print(schedule.model_dump_json())
        return
    console = _console(stderr=False)
    minutes = design.planned_seconds(schedule) / 60
    cells = ", ".join(cell.name + (" (judged)" if cell.primary else "") for cell in schedule.cells)
    console.print(
        f"{schedule.study}: {', '.join(schedule.subjects)}; {schedule.cells[0].users} users; {cells}", highlight=False
    )
    pairs = f"{schedule.pairs_per_cell} pairs of slices of {schedule.slice_seconds:g} s an operation"
    warm_up = f"a warm-up of up to {schedule.warm_up_limit_seconds:g} s"
    console.print(
        f"{schedule.design}: {len(schedule.trials)} trials, each {warm_up} and {pairs}; about {minutes:.0f} minutes in all",
        highlight=False,
    )
    table = Table("trial", "seed", "started in this order", box=None, pad_edge=False)
    for trial in schedule.trials:
        table.add_row(str(trial.number), str(trial.seed), ", ".join(trial.start_order))
    console.print(table)


def _checked(row: ServerRow) -> str:
    if row.contract is None:
        return f"{row.name}: cannot be checked here: {row.reason}"
    if not row.contract:
        return f"{row.name}: FAILED: {row.reason}"
    memory = (row.memory_bytes or 0) / 1e6
    return f"{row.name}: ok; {row.exchanges} requests answered rightly, ready after {row.start_seconds:g} s, {memory:.0f} MB"


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
        place = Path("steelyard-defect.log")
        place.write_text(traceback.format_exc(), encoding="utf-8")
        _complain(
            f"this is a defect of Steelyard: {type(error).__name__}: {error}",
            f"please report it with {place.resolve()}",
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

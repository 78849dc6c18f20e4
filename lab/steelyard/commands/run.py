"""`steelyard run`: runs a study, from its file to a report, or resumes a stopped run."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

import typer

from ..base.errors import ConfigurationError
from ..base.progress import Progress
from ..base.terminal import console
from ..catalogue import entries
from ..models.server import PROCESSORS
from ..plan.run_parameters import Request, Value
from . import completing
from .examples import examples
from .options import (
    REST_SECONDS,
    Apart,
    DryRun,
    HostsFile,
    Json,
    Out,
    Pairs,
    Rest,
    Seed,
    Sessions,
    SliceSeconds,
    WarmUp,
    command_line,
    end_on_machines,
    print_outcome,
    require_default,
    require_rest,
    require_verdict,
    run_sessions,
    run_study,
    takes,
)

commands = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The arguments and options of `run`: a study with changes to its file, or a stopped run."""

    study: Annotated[
        str | None,
        typer.Argument(
            help="Name of a study (`steelyard studies`), or path of a study file.", autocompletion=completing.studies
        ),
    ] = None
    only: Annotated[
        str | None,
        typer.Option(
            help="Subjects or servers to compare (SERVER or SERVER@FACTOR=VALUE), separated by commas.",
            autocompletion=completing.server_lists,
        ),
    ] = None
    with_: Annotated[
        str | None,
        typer.Option("--with", metavar="SET", help="Set of factors from the study, for all subjects."),
    ] = None
    across: Annotated[
        list[str] | None,
        typer.Option(
            "--across",
            metavar="FACTOR=VALUE,VALUE",
            help="Run each subject once per value of a factor, such as jdk=17,25; repeatable.",
        ),
    ] = None
    cpus: Annotated[
        str | None,
        typer.Option(
            metavar="N,N", help="Run each subject on each number of processors: the same as --across cpus=N,N."
        ),
    ] = None
    operation: Annotated[
        str | None,
        typer.Option(
            "--operation",
            "--use-case",
            help="Operations to run, separated by commas. The first is judged, unless the study's primary one is among them.",
        ),
    ] = None
    users: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="Concurrent users (the study's own number otherwise).")
    ] = None
    forks: Annotated[int | None, typer.Option(min=1, max=1000, help="Fresh starts of each subject.")] = None
    pairs: Pairs = None
    slice_seconds: SliceSeconds = None
    warm_up: WarmUp = None
    config: Annotated[Path | None, typer.Option(help="The paper's initialization file (lines of Name = value).")] = None
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE: a parameter under the paper's name; repeatable.")
    ] = None
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published",
            help="Run one server after the other without breaks, as the paper did: no interval, no verdict.",
        ),
    ] = False
    tests: Annotated[str | None, typer.Option(help="Tests of the study to run: 1-6,12.")] = None
    variations: Annotated[
        bool,
        typer.Option("--variations", help="Run everything that the paper varied: each subject in its own tests."),
    ] = False
    scale: Annotated[
        float,
        typer.Option(min=0.01, max=1, help="Factor that shortens the times of a study's tests; reports state it."),
    ] = 1.0
    whole_grid: Annotated[
        bool, typer.Option("--whole-grid", help="Run every cell of a grid, not only its corners and centre.")
    ] = False
    grid: Annotated[
        str | None,
        typer.Option(help="Names of the study's grids to run instead of the usual ones, separated by commas."),
    ] = None
    push: Annotated[
        bool,
        typer.Option(
            "--push",
            help="Reliability grids: double users and payload until each subject breaks or a bound is reached.",
        ),
    ] = False
    at_once: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=64,
            help="Trials to run at a time in tests with faults (default: as many as fit on the machine).",
        ),
    ] = None
    budget: Annotated[
        str | None,
        typer.Option(help="Time limit of the whole run: 90s, 40m, 1.5h. The output lists what does not fit."),
    ] = None
    seed: Seed = 1
    apart: Apart = False
    out: Out = None
    resume: Annotated[Path | None, typer.Option(metavar="RUN", help="Resume the stopped run in this folder.")] = None
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="Run the study on every machine of a cluster: local:N workers, or a Dask scheduler's address.",
        ),
    ] = None
    sessions: Sessions = None
    rest: Rest = REST_SECONDS
    hosts: HostsFile = None
    dry_run: DryRun = False
    json: Json = False


@commands.command(
    short_help="Run a study: provide, verify, warm up, measure, report.",
    epilog=examples(
        "steelyard run wstest --dry-run",
        "steelyard run wstest --only tomcat-metro,go --operation echoStruct",
        "steelyard run wstest --config WSTest.ini --as-published",
        "steelyard run wstest --budget 40m",
        "steelyard run wstest --only tomcat-metro,go --apart",
        "steelyard run flight --variations --dry-run",
        "steelyard run petstore --tests faults --at-once 4 --dry-run",
        "steelyard run wstest --only tomcat-metro,go --hosts hosts.toml",
        "steelyard run wstest --only tomcat-metro,wildfly --across heap=128m,256m --dry-run",
        "steelyard run --resume runs/wstest-2026-01-31-120000",
        "steelyard run wstest --operation echoStruct --forks 4 --cluster tcp://10.0.0.5:8786",
        "steelyard run wstest --only tomcat-metro,go --operation echoStruct --forks 4 --sessions 3 --rest 600",
    ),
)
@takes(RunOptions)
def run(options: RunOptions) -> None:
    """Run a study: fetch, build, start, verify, warm up, measure, analyse, report."""
    if options.resume is not None:
        _resume(options.resume, options)
        return
    if options.study is None:
        raise ConfigurationError("a study is missing", hint="`steelyard studies` lists them")
    request = request_of(options)
    if options.hosts is not None and (options.cluster is not None or options.dry_run):
        raise ConfigurationError(
            f"--hosts and {'--dry-run' if options.cluster is None else '--cluster'} cannot be combined",
            hint="the schedule is the same wherever subjects run"
            if options.cluster is None
            else "leave one of them out",
        )
    if options.hosts is not None and options.at_once is not None:
        raise ConfigurationError(
            "--hosts and --at-once cannot be combined: a host has one trial at a time", hint="leave one of them out"
        )
    require_rest(options.sessions, options.rest)
    if options.sessions is not None and (options.cluster is not None or options.dry_run):
        other = "--dry-run" if options.cluster is None else "--cluster"
        raise ConfigurationError(f"--sessions and {other} cannot be combined", hint="leave one of them out")
    if options.cluster is not None:
        _on_machines(options, request)
    elif options.sessions is not None:
        run_sessions(options.study, request, options.sessions, options.rest, options.out, options.json, options.hosts)
    elif options.dry_run:
        from .dry_run import print_schedule

        print_schedule(entries.study(options.study).model, request, options.json)
    else:
        require_verdict(run_study(options.study, request, options.out, options.json, options.hosts))


def request_of(options: RunOptions) -> Request:
    """The run request that the options mean; raises ConfigurationError where an option is empty."""
    from ..catalogue import subject_syntax
    from ..hosts.halves import divide

    _require_combinable(options)
    shares = divide(apart=options.apart).half(0)
    return Request(
        only=_words("--only", options.only),
        set_of_factors=options.with_ or "",
        across=_factor_values(options),
        operations=_words("--operation", options.operation),
        users=options.users,
        forks=options.forks,
        pairs=options.pairs,
        slice_seconds=options.slice_seconds,
        warm_up_seconds=options.warm_up,
        budget_seconds=None if options.budget is None else subject_syntax.seconds_of(options.budget),
        config=options.config,
        settings=_settings(options.set_ or []),
        as_published=options.as_published,
        tests=",".join(_words("--tests", options.tests)),
        variations=options.variations,
        scale=options.scale,
        seed=options.seed,
        whole_grid=options.whole_grid,
        grids=_words("--grid", options.grid),
        push=options.push,
        at_once=options.at_once,
        apart=options.apart,
        server_processors=len(shares.server),
        engine_processors=len(shares.engine),
    )


def _require_combinable(options: RunOptions) -> None:
    """Raise ConfigurationError where options exclude each other."""
    if options.as_published:
        once = ("forks", "pairs", "slice_seconds", "budget")
        require_default(
            options,
            {field.name for field in fields(options)} - set(once),
            "and --as-published cannot be combined: the paper measured one unbroken stretch per server, with a fixed length",
            hint="leave one of them out",
        )
    if options.variations:
        require_default(
            options,
            {field.name for field in fields(options)}
            - {"only", "with_", "across", "cpus", "operation", "tests", "grid"},
            "and --variations cannot be combined: the study sets the tests of each subject",
            hint="leave one of them out",
        )


def _on_machines(options: RunOptions, request: Request) -> None:
    """Run the study on every machine of a cluster, and print the joint result."""
    from ..cluster import cluster_run, dask_workers

    if options.dry_run:
        raise ConfigurationError(
            "a dry run plans for one machine, and all machines of a cluster have the same plan",
            hint="leave --cluster out",
        )
    assert options.study is not None and options.cluster is not None
    where = dask_workers.parse_where(options.cluster)
    study = entries.study(options.study)
    with Progress(console()) as progress:
        folder = cluster_run.run(study, request, where, out=options.out, command=command_line(), progress=progress)
    end_on_machines(folder, options.json)


def _resume_on_machines(folder: Path, options: RunOptions) -> None:
    from ..cluster import cluster_run, dask_workers

    if options.cluster is None:
        raise ConfigurationError(f"{folder} is a run on several machines", hint="name their workers with --cluster")
    where = dask_workers.parse_where(options.cluster)
    with Progress(console()) as progress:
        cluster_run.resume(folder, where, command=command_line(), progress=progress)
    end_on_machines(folder, options.json)


def _resume_sessions(folder: Path, options: RunOptions) -> None:
    from ..measure import sessions

    if options.cluster is not None:
        raise ConfigurationError(f"{folder} is a run on one machine", hint="leave --cluster out")
    with Progress(console()) as progress:
        sessions.resume(folder, command=command_line(), progress=progress)
    end_on_machines(folder, options.json)


def _resume(folder: Path, options: RunOptions) -> None:
    """Resume a stopped run with its original options."""
    from ..results.cluster_folder import is_cluster, read_cluster

    if options.study is not None:
        raise ConfigurationError("--resume keeps the run's original options", hint="leave the study's name out")
    require_default(
        options,
        ("resume", "cluster", "json"),
        "and --resume cannot be combined: a run is resumed with its original options",
        hint="leave one of them out",
    )
    if not folder.is_dir():
        raise ConfigurationError(f"there is no run {folder}", hint="name the folder that `steelyard run` made")
    if is_cluster(folder):
        if read_cluster(folder).level == "session":
            _resume_sessions(folder, options)
        else:
            _resume_on_machines(folder, options)
        return
    if options.cluster is not None:
        raise ConfigurationError(f"{folder} is a run on one machine", hint="leave --cluster out")
    from ..measure import main_job as running  # imported late: wrong options are reported without the wait

    with Progress(console()) as progress:
        outcome = running.resume(folder, command=command_line(), progress=progress)
    print_outcome(outcome, options.json)
    require_verdict(outcome)


def _words(option: str, text: str | None) -> list[str]:
    """The words of a comma-separated list; empty where the option was not given. Raises ConfigurationError for an empty value."""
    words = [word.strip() for word in (text or "").split(",") if word.strip()]
    if text is not None and not words:
        raise ConfigurationError(f"{option} is empty", hint="leave it out, or give a value")
    twice = next((word for word in words if words.count(word) > 1), None)
    if twice is not None:
        raise ConfigurationError(f"{option} names '{twice}' twice", hint="once is enough")
    return words


def _factor_values(options: RunOptions) -> dict[str, list[str]]:
    """The values of each varied factor; raises ConfigurationError where an option is malformed."""
    across = {} if options.cpus is None else {PROCESSORS: _words("--cpus", options.cpus)}
    for words in options.across or []:
        name, equals, values = (part.strip() for part in words.partition("="))
        if not equals or not name:
            raise ConfigurationError(f"--across takes FACTOR=VALUE,VALUE, not '{words}'")
        if name in across:
            raise ConfigurationError(f"--across gives {name} twice", hint="one list holds all its values")
        across[name] = _words(f"--across {name}", values)
    return across


def _settings(pairs: list[str]) -> dict[str, Value]:
    settings: dict[str, Value] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise ConfigurationError(f"--set takes NAME=VALUE, not '{pair}'")
        if name.strip() in settings:
            raise ConfigurationError(f"--set gives {name.strip()} twice", hint="leave one of them out")
        settings[name.strip()] = value.strip()
    return settings

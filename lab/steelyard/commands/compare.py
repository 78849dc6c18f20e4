"""`steelyard compare`: compares servers, or one server under several settings, until it is decided or the budget is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigurationError
from ..base.text import plural
from ..catalogue import entries
from ..catalogue.own_subjects import is_own
from ..models.server import AGENT, MONITOR, PROCESSORS
from ..plan.run_parameters import Request
from . import completing
from .compare_own import own_study, print_design, require_programs
from .compare_urls import compared_running, is_running
from .examples import examples
from .options import (
    REST_SECONDS,
    ComparisonOptions,
    HostsFile,
    Rest,
    Sessions,
    drive_study,
    print_outcome,
    require_rest,
    require_verdict,
    run_sessions,
    takes,
)

if TYPE_CHECKING:
    from ..measure.outcome import Outcome
    from ..models.study import PartSpec, Study

commands = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class CompareOptions(ComparisonOptions):
    """The arguments and options of `compare`."""

    subjects: Annotated[
        list[str],
        typer.Argument(
            metavar="A B [C ...]",
            help="Servers, each with settings: SERVER@FACTOR=VALUE; your own: folders as ./shop, command lines, jars; or URLs.",
            autocompletion=completing.servers,
        ),
    ]
    margin: Annotated[str, typer.Option(help="Differences up to this size count as none.")] = "3%"
    cpus: Annotated[
        str | None,
        typer.Option(metavar="N,N", help="Compare them on each of these numbers of processors, such as 1,2,4,8."),
    ] = None
    sessions: Sessions = None
    rest: Rest = REST_SECONDS
    hosts: HostsFile = None


@commands.command(
    short_help="Compare servers or settings until it is decided.",
    epilog=examples(
        "steelyard compare tomcat-metro tomcat-cxf --operation echoStruct --budget 10m",
        "steelyard compare tomcat-metro@heap=128m tomcat-metro@heap=512m",
        "steelyard compare tomcat-metro go --cpus 1,2,4,8",
        "steelyard compare tomcat-metro go --apart",
        "steelyard compare tomcat-metro go --budget 10m --dry-run",
        "steelyard compare go go",
        "steelyard compare ./shop ./shop-next --budget 10m",
        "steelyard compare 'java -jar a.jar' 'java -jar b.jar' --request 'GET /items/7'",
        "steelyard compare 'java -jar a.jar' 'java -jar b.jar' --request 'GET /items/7' --layers",
        "steelyard compare spring-boot quarkus --service shop-api --operation item --warm-up 120 --layers --budget 40m",
        "steelyard compare http://127.0.0.1:8080/shop http://127.0.0.1:8081/shop --service shop",
    ),
)
@takes(CompareOptions)
def compare(options: CompareOptions) -> None:
    """Compare servers, or one server with itself under other settings, until it is decided or the budget is used."""
    require_rest(options.sessions, options.rest)
    subjects = subjects_on_processors(options)
    own = any(is_own(subject) for subject in subjects)
    if not own and any(is_running(subject) for subject in options.subjects):
        if options.hosts is not None:
            raise ConfigurationError("running services stay where they are", hint="leave --hosts out")
        if options.sessions is not None:
            raise ConfigurationError("running services are not restarted", hint="leave --sessions out")
        if options.apart:
            raise ConfigurationError("running services keep their processors", hint="leave --apart out")
        if options.dry_run:
            raise ConfigurationError("--dry-run is for servers that Steelyard starts", hint="leave it out")
        compared_running(options.subjects, options)
        return
    if options.dry_run:
        if options.hosts is not None or options.sessions is not None:
            other = "--sessions" if options.hosts is None else "--hosts"
            raise ConfigurationError(f"{other} and --dry-run cannot be combined", hint=f"leave {other} out")
        print_planned(subjects, options)
        return
    if options.sessions is None:
        outcome = run_comparison(subjects, options, options.hosts)
        print_outcome(outcome, options.json)
        require_verdict(outcome)
        return
    require_programs(options.subjects, None)
    with study_file(options.subjects, options) as (file, study):
        print_design(study)
        request = _request(options)
        run_sessions(file, request, options.sessions, options.rest, options.out, options.json, options.hosts)


def subjects_on_processors(options: CompareOptions) -> list[str]:
    """The subjects as typed, each once for every number of processors of --cpus; raises ConfigurationError for a wrong number, and
    for more processors than servers can have on this machine."""
    if options.cpus is None:
        return list(options.subjects)
    from ..hosts import cpus

    if any(is_own(subject) or is_running(subject) for subject in options.subjects):
        raise ConfigurationError("--cpus is for Steelyard's own servers", hint="leave it out")
    numbers = [word.strip() for word in options.cpus.split(",")]
    if not all(number.isdecimal() and int(number) for number in numbers) or len(set(numbers)) < len(numbers):
        raise ConfigurationError(
            f"--cpus takes different whole numbers, not '{options.cpus}'", hint="write --cpus 1,2,4,8"
        )
    available = len(cpus.share().server)
    fitting = [number for number in numbers if int(number) <= available]
    if options.hosts is None and len(fitting) < len(numbers):
        raise ConfigurationError(
            f"servers can have {plural(available, 'processor')} on this machine, and --cpus names up to "
            f"{max(map(int, numbers))}; the load engine has the rest",
            hint=f"--cpus {','.join(fitting)} fits" if fitting else "take a machine with more processors",
        )
    return [f"{subject}@{PROCESSORS}={number}" for subject in options.subjects for number in numbers]


def run_comparison(
    subjects: Sequence[str],
    options: ComparisonOptions,
    hosts: Path | None = None,
    labels: Mapping[str, str] | None = None,
) -> Outcome:
    """Run the comparison of `compare` or `check`; a comparison of a server with itself is added to this machine's history.

    `subjects` are as typed: SERVER or SERVER@FACTOR=VALUE. Raises ConfigurationError where options exclude each other, and
    SteelyardError where the run fails.
    """
    from ..results import machine_history

    require_programs(subjects, labels)
    with study_file(subjects, options, labels) as (file, study):
        print_design(study)
        outcome = drive_study(file, _request(options), options.out, hosts)
    if hosts is None:  # the history of this machine holds runs over its loopback only
        machine_history.remember_run(study, outcome.verdicts)
    return outcome


def print_planned(subjects: Sequence[str], options: ComparisonOptions) -> None:
    """Print the schedule of a comparison; raises ConfigurationError where it cannot run here."""
    from .dry_run import print_schedule

    require_programs(subjects, None)
    with study_file(subjects, options) as (file, study):
        print_design(study)
        print_schedule(entries.study(file).model, _request(options), options.json)


def require_budget(subjects: Sequence[str], options: ComparisonOptions, labels: Mapping[str, str]) -> None:
    """Raises ConfigurationError where the budget does not hold a fork of these subjects, which need not be built yet."""
    from ..plan.fitting import fitted_schedule

    with study_file(subjects, options, labels) as (file, _):
        fitted_schedule(entries.study(file).model, _request(options))


def _study(
    subjects: Sequence[str], options: ComparisonOptions, folder: Path, labels: Mapping[str, str] | None
) -> Study:
    """The study of a comparison, for a file in `folder`; raises ConfigurationError where options exclude each other."""
    from ..catalogue import subject_syntax
    from ..catalogue.usual import resolve_operation, resolve_service

    if options.users is not None and options.rate is not None:
        raise ConfigurationError("--users and --rate exclude each other", hint="a load is closed or open")
    if any(is_own(subject) for subject in subjects):
        return own_study(subjects, options, folder, labels)
    for name in ("request", "body", "writes"):
        if getattr(options, name):
            raise ConfigurationError(f"--{name} is for servers of your own", hint="leave it out")
    study = subject_syntax.study_of(
        list(subjects),
        resolve_service(options.service),
        resolve_operation(resolve_service(options.service), options.operation),
        rate=options.rate,
        budget_seconds=subject_syntax.seconds_of(options.budget),
        margin=subject_syntax.share_of(options.margin),
    )
    return _with_layers(study) if options.layers else study


def _with_layers(study: Study) -> Study:
    """The study with layers observed: by the monitor that its service links, else by the agent.

    Raises ConfigurationError where a server cannot have the agent.
    """
    from ..models.study import SubjectSpec

    specs = [spec for spec in study.subjects if isinstance(spec, SubjectSpec)]
    if not entries.service(study.service).model.layers:
        specs = [spec.model_copy(update={"parts": [_with_agent(part) for part in spec.parts]}) for spec in specs]
    return study.model_copy(update={"observe": [*study.observe, "layers"], "subjects": specs})


def _with_agent(part: PartSpec) -> PartSpec:
    if MONITOR not in entries.server_of(part).model.factors:
        raise ConfigurationError(
            f"--layers needs a Java server that the agent knows, and {part.server} is none",
            hint="`steelyard servers NAME` lists a server's factors: those with `monitor` can have the agent",
        )
    return part.model_copy(update={"factors": part.factors | {MONITOR: AGENT}})


def _request(options: ComparisonOptions) -> Request:
    from ..hosts.halves import divide

    shares = divide(apart=options.apart).half(0)
    return Request(
        users=options.users,
        pairs=options.pairs,
        slice_seconds=options.slice_seconds,
        warm_up_seconds=options.warm_up,
        seed=options.seed,
        apart=options.apart,
        server_processors=len(shares.server),
        engine_processors=len(shares.engine),
    )


@contextmanager
def study_file(
    subjects: Sequence[str], options: ComparisonOptions, labels: Mapping[str, str] | None = None
) -> Iterator[tuple[str, Study]]:
    """The study of a comparison and its file; the file lasts as long as the context, and a run's folder keeps a copy."""
    from ..catalogue import subject_syntax

    with TemporaryDirectory(prefix="steelyard-compare-") as folder:
        study = _study(subjects, options, Path(folder), labels)
        file = Path(folder) / "compare.toml"
        file.write_text(subject_syntax.text_of(study), encoding="utf-8")
        yield str(file), study

"""Options that several commands share, and the printing of a run's outcome."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from ..base.errors import CANNOT_TELL, ConfigurationError, SteelyardError
from ..base.progress import Progress
from ..base.terminal import console
from ..base.text import label_names

if TYPE_CHECKING:  # modules that measure and analyse take seconds to load, so commands import them when they run
    from ..measure.outcome import Outcome
    from ..models.cluster import MachinesVerdict
    from ..models.verdict import Verdicts
    from ..plan.run_parameters import Request

ServiceName = Annotated[str | None, typer.Option(help="The service to call (default: the demonstration's).")]
OperationName = Annotated[
    str | None, typer.Option(help="The operation to call (default: the demonstration's, or the service's first).")
]
Users = Annotated[
    int | None,
    typer.Option(
        min=1, max=100_000, help="Closed load: concurrent users (default: 4 per server processor, at least 8)."
    ),
]
Rate = Annotated[float | None, typer.Option(min=0.1, help="Open load: Poisson arrivals per second; p99 is judged.")]
BudgetTime = Annotated[str, typer.Option(help="Time limit of the comparison: 90s, 10m, 1h.")]
Pairs = Annotated[int | None, typer.Option(min=1, max=10_000, help="Pairs of slices per fork and operation.")]
SliceSeconds = Annotated[float | None, typer.Option(min=0.2, max=3600, help="Length of a slice, in seconds.")]
WarmUp = Annotated[
    float | None, typer.Option(min=0.2, max=3600, help="Longest warm-up per subject and operation, in seconds.")
]
Apart = Annotated[
    bool,
    typer.Option(
        "--apart", help="Load both subjects at once, each on its own half of the processors, instead of in turns."
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the schedule and stop.")]
Seed = Annotated[int, typer.Option(min=0, max=2**31, help="Seed of every random choice.")]

OwnRequest = Annotated[
    list[str] | None,
    typer.Option(metavar="'GET /PATH'", help="Your own servers: a request to send; repeatable."),
]


def folder_of_option(words: str) -> Path:
    """The folder that an option names; raises ConfigurationError where an empty shell variable made it blank."""
    require_value("--out", words.strip())
    return Path(words)


Out = Annotated[
    Path | None,
    typer.Option(
        parser=folder_of_option, metavar="FOLDER", help="Folder in which the run folder is created (default: runs)."
    ),
]
HostsFile = Annotated[
    Path | None,
    typer.Option(
        "--hosts", metavar="FILE", help="File that lists your hosts and what runs on which (default: loopback)."
    ),
]
REST_SECONDS = 60.0
Sessions = Annotated[
    int | None,
    typer.Option(
        min=2,
        max=100,
        help="Repeat the comparison in this many sessions with rests between them; --budget covers all of them.",
    ),
]
Rest = Annotated[
    float,
    typer.Option(min=0, max=86_400, help="Rest between two sessions, in seconds; no server runs then (default 60)."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else, on standard output.")]


Options = TypeVar("Options")


def takes(options: type[Options]) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Decorate a command so that it takes its options as one object. Each field of the dataclass `options` becomes an argument or
    option, with the field's name, its `Annotated` typer type and its default.

    Fields are keywords, so a subclass may add fields or change defaults.
    """
    hints = get_type_hints(options, include_extras=True)
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=parameter.default, annotation=hints[name])
        for name, parameter in inspect.signature(options).parameters.items()
    ]
    parameters_by_name = {parameter.name: parameter for parameter in parameters}

    def decorate(command: Callable[[Options], None]) -> Callable[..., None]:
        @functools.wraps(command)
        def of_words(**words: object) -> None:
            for name, word in words.items():
                require_value(flag_of(options, name), word, parameters_by_name[name].default)
            command(options(**words))

        # typer reads both the signature and the annotations
        of_words.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        of_words.__annotations__ = hints
        return of_words

    return decorate


def flag_of(options: type[object], name: str) -> str:
    """The field `name` of an options class as a user types it: its first flag, or an argument's metavar."""
    hint_type = get_type_hints(options, include_extras=True)[name]
    infos = [info for info in getattr(hint_type, "__metadata__", ()) if isinstance(info, ArgumentInfo | OptionInfo)]
    words = [
        word for info in infos for word in (info.default, *(info.param_decls or ()))
    ]  # typer takes a bare default first
    declared = [word for word in words if isinstance(word, str) and word.startswith("--")]
    if declared:
        return declared[0]
    if any(isinstance(info, ArgumentInfo) for info in infos):
        return next((info.metavar for info in infos if info.metavar), name.upper())
    return "--" + name.strip("_").replace("_", "-")


def require_value(flag: str, word: object, default: object = None) -> None:
    """Raise ConfigurationError for an option that an empty shell variable left blank, and for numbers that are not finite."""
    if word == "" and default != "":
        needed = default is inspect.Parameter.empty
        raise ConfigurationError(f"{flag} is empty", hint=f"{'' if needed else 'leave it out, or '}give a value")
    if isinstance(word, float) and not math.isfinite(word):
        raise ConfigurationError(f"{flag} must be a finite number, not '{word}'")


def require_default(options: object, beside: Collection[str], why: str, hint: str = "") -> None:
    """Raise ConfigurationError where a field other than `beside` has no default value: `why` follows its flag in the message."""
    for field in dataclasses.fields(options):  # type: ignore[arg-type]
        if field.name not in beside and getattr(options, field.name) != field.default:
            raise ConfigurationError(f"{flag_of(type(options), field.name)} {why}", hint=hint)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ComparisonOptions:
    """The options that `compare` and `check` share: the load, the budget, and the size of the measurement."""

    service: ServiceName = None
    operation: OperationName = None
    users: Users = None
    rate: Rate = None
    budget: BudgetTime = "15m"
    margin: str
    pairs: Pairs = None
    slice_seconds: SliceSeconds = None
    warm_up: WarmUp = None
    seed: Seed = 1
    request: OwnRequest = None
    body: Annotated[
        str | None,
        typer.Option(metavar="@FILE|TEXT", help="With --request: its body, or @FILE."),
    ] = None
    writes: Annotated[
        bool, typer.Option("--writes", help="Your own servers: load operations that change data, too.")
    ] = False
    layers: Annotated[
        bool,
        typer.Option(
            "--layers",
            help="Java servers: record the time of requests by layer, by an agent; `steelyard why RUN` splits it.",
        ),
    ] = False
    apart: Apart = False
    out: Out = None
    dry_run: DryRun = False
    json: Json = False


def command_line() -> list[str]:
    """The command as the user typed it."""
    return ["steelyard", *sys.argv[1:]]


def run_study(study: str, request: Request, out: Path | None, json: bool, hosts: Path | None = None) -> Outcome:
    """Run a study with `drive_study` and print its outcome."""
    outcome = drive_study(study, request, out, hosts)
    print_outcome(outcome, json)
    return outcome


def drive_study(study: str, request: Request, out: Path | None, hosts: Path | None = None) -> Outcome:
    """Run the study of this name or file, on the hosts of a file if given; raises SteelyardError where that fails."""
    from ..catalogue import entries

    entry = entries.study(study)
    from ..measure import main_job as running  # imported late: an unknown name is reported without the wait

    with Progress(console()) as progress:
        return running.run(entry, request, out=out, command=command_line(), progress=progress, hosts=hosts)


def run_sessions(
    study: str, request: Request, sessions: int, rest: float, out: Path | None, json: bool, hosts: Path | None = None
) -> None:
    """Run a study in several sessions and print their joint result; raises as `end_on_machines` does."""
    from ..catalogue import entries

    entry = entries.study(study)
    from ..measure import sessions as running

    with Progress(console()) as progress:
        folder = running.run(
            *(entry, request, sessions),
            rest_seconds=rest,
            out=out,
            command=command_line(),
            progress=progress,
            hosts=hosts,
        )
    end_on_machines(folder, json)


def require_rest(sessions: int | None, rest: float) -> None:
    """Raise ConfigurationError where --rest is given without --sessions."""
    if sessions is None and rest != REST_SECONDS:
        raise ConfigurationError("--rest needs --sessions", hint="add --sessions NUMBER")


def require_verdict(outcome: Outcome) -> None:
    """Raise where trials failed or the instrument was not valid; by then the measurements are stored and printed."""
    if outcome.failures or outcome.verdicts is None:
        first, _, step = outcome.failures[0].partition("\nhint: ")
        raise SteelyardError(
            f"{len(outcome.failures)} of the run's trials failed: {first.splitlines()[0]}",
            hint=f"{f'{step}; ' if step else ''}all measurements are in {outcome.folder}",
        )
    if not outcome.verdicts.valid:
        longer = "JIT compilers were still at work: allow a longer --warm-up and a larger --budget, or name one --operation; "
        raise SteelyardError(
            f"there is no verdict: {'; '.join(outcome.verdicts.why_not)}",
            hint=f"{longer if _lost_to_compilers(outcome.verdicts) else ''}see {outcome.report}",
            exit_code=CANNOT_TELL,
        )


def _lost_to_compilers(verdicts: Verdicts) -> bool:
    """Whether some comparison has no pairs because JIT compilers voided them."""
    from ..analyse.pairing import Void

    return any(
        compared.primary and compared.ratio is None and compared.voided.get(Void.COMPILING, 0)
        for compared in verdicts.comparisons
    )


def print_outcome(outcome: Outcome, json: bool) -> None:
    """Print the outcome of a run: one object with `json`, else a sentence and tables."""
    from . import printing

    if json:
        print(printing.run_output(outcome).model_dump_json())
    else:
        printing.show_outcome(outcome, console(stderr=False))


def end_on_machines(folder: Path, json: bool) -> None:
    """Write and print the joint result of all machines of a run; raises where a trial was not completed or nothing is valid."""
    verdict = print_machines(folder, json)
    cluster = " --cluster ..." if verdict.level == "machine" else ""
    if verdict.missing:
        raise SteelyardError(
            f"{len(verdict.missing)} of the trials were not completed: {label_names('trial', verdict.missing)[:200]}",
            hint=f"all measurements are in {folder}; `steelyard run --resume {folder}{cluster}` continues the run",
        )
    if not verdict.valid:
        raise SteelyardError(f"there is no verdict: {'; '.join(verdict.why_not)}", exit_code=CANNOT_TELL)


def print_machines(folder: Path, json: bool) -> MachinesVerdict:
    """Analyse a run on several machines, write its page and the page of each machine, and print the joint result."""
    from ..analyse.machines import analyse_cluster
    from ..report.machines_page import write_machines_page
    from . import printing

    analysis = analyse_cluster(folder)
    verdict = analysis.verdict.model_copy(update={"report": str(write_machines_page(analysis))})
    if json:
        print(verdict.model_dump_json())
    else:
        printing.show_machines(verdict, console(stderr=False))
    return verdict

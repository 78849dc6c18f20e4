"""What the commands share: the options that several take, and how a run's outcome is printed."""

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
from rich.console import Console
from typer.models import ArgumentInfo, OptionInfo

from ..base.errors import CANNOT_TELL, ConfigurationError, SteelyardError
from ..base.progress import Progress
from ..base.text import label_names
from ..catalogue import entries
from ..plan.run_parameters import Request

if TYPE_CHECKING:  # what measures and analyses is imported by the commands that do so: it takes seconds to load
    from ..measure.outcome import Outcome
    from ..models.cluster import MachinesVerdict
    from ..models.verdict import Verdicts

ServiceName = Annotated[str | None, typer.Option(help="The service to call (default: the demonstration's).")]
OperationName = Annotated[
    str | None, typer.Option(help="The operation to call (default: the demonstration's, or the service's first).")
]
Users = Annotated[int | None, typer.Option(min=1, max=100_000, help="Closed load: concurrent users (default 8).")]
Rate = Annotated[float | None, typer.Option(min=0.1, help="Open load: Poisson arrivals per second; p99 is judged.")]
BudgetTime = Annotated[str, typer.Option(help="Time limit of the comparison: 90s, 10m, 1h.")]
Pairs = Annotated[int | None, typer.Option(min=1, max=10_000, help="Pairs of slices per fork and operation.")]
SliceSeconds = Annotated[float | None, typer.Option(min=0.2, max=3600, help="Length of a slice, in seconds.")]
WarmUp = Annotated[
    float | None, typer.Option(min=0.2, max=3600, help="Longest warm-up per subject and operation, in seconds.")
]
Seed = Annotated[int, typer.Option(min=0, max=2**31, help="Seed of every random choice.")]

OwnRequest = Annotated[
    list[str] | None,
    typer.Option(metavar="'GET /PATH'", help="Your own servers: what they are asked for; repeatable."),
]


def folder_of_option(words: str) -> Path:
    """The folder that an option names; raises ConfigurationError where an empty variable of a shell did."""
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
    """Give a command its options as one object: each field of the dataclass `options` becomes an argument or option of the
    command line, with the field's name, its `Annotated` typer type and its default.

    Fields are keywords, so a subclass may add to those of its base or give one another default.
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

        # typer reads both: the parameters and, apart from them, their types.
        of_words.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        of_words.__annotations__ = hints
        return of_words

    return decorate


def flag_of(options: type[object], name: str) -> str:
    """How a user says the field `name` of an options class: its first flag, or an argument's name as its help has it."""
    said = get_type_hints(options, include_extras=True)[name]
    infos = [info for info in getattr(said, "__metadata__", ()) if isinstance(info, ArgumentInfo | OptionInfo)]
    words = [
        word for info in infos for word in (info.default, *(info.param_decls or ()))
    ]  # typer takes the first for a default
    declared = [word for word in words if isinstance(word, str) and word.startswith("--")]
    if declared:
        return declared[0]
    if any(isinstance(info, ArgumentInfo) for info in infos):
        return next((info.metavar for info in infos if info.metavar), name.upper())
    return "--" + name.strip("_").replace("_", "-")


def require_value(flag: str, word: object, default: object = None) -> None:
    """Raise ConfigurationError for what a shell's empty variable makes of an option, and for numbers that are none."""
    if word == "" and default != "":
        needed = default is inspect.Parameter.empty
        raise ConfigurationError(
            f"{flag} names nothing", hint=f"{'' if needed else 'leave it out, or '}name what is meant"
        )
    if isinstance(word, float) and not math.isfinite(word):
        raise ConfigurationError(f"{flag} must be a number that is not infinite, not '{word}'")


def require_default(options: object, beside: Collection[str], why: str, hint: str = "") -> None:
    """Raise ConfigurationError where a field but those `beside` has another value than its default: `why` follows its flag."""
    for field in dataclasses.fields(options):  # type: ignore[arg-type]
        if field.name not in beside and getattr(options, field.name) != field.default:
            raise ConfigurationError(f"{flag_of(type(options), field.name)} {why}", hint=hint)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ComparisonOptions:
    """What `compare` and `check` have in common: the load, the budget, and how finely it is measured."""

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
        typer.Option(metavar="@FILE|TEXT", help="With --request: its body, or @ and the file that holds it."),
    ] = None
    writes: Annotated[
        bool, typer.Option("--writes", help="Your own servers: load operations that change data, too.")
    ] = False
    out: Out = None
    json: Json = False


def console(*, stderr: bool = True) -> Console:
    """The terminal: standard error, where progress and complaints go, or standard output, where data goes."""
    stream = sys.stderr if stderr else sys.stdout
    # In a pipe or a file nothing is folded: a table's row stays a line.
    return Console(stderr=stderr) if stream.isatty() else Console(stderr=stderr, width=240)


def run_study(study: str, request: Request, out: Path | None, json: bool, hosts: Path | None = None) -> Outcome:
    """Run a study as `drive_study` does, and print its outcome."""
    outcome = drive_study(study, request, out, hosts)
    print_outcome(outcome, json)
    return outcome


def drive_study(study: str, request: Request, out: Path | None, hosts: Path | None = None) -> Outcome:
    """Run the study of this name or file, perhaps on the hosts of a file; raises SteelyardError where that cannot be done."""
    entry = entries.study(study)
    from ..measure import main_job as running  # only now: a name that is not known needs no wait

    with Progress(console()) as progress:
        command = ["steelyard", *sys.argv[1:]]
        return running.run(entry, request, out=out, command=command, progress=progress, hosts=hosts)


def run_sessions(
    study: str, request: Request, sessions: int, rest: float, out: Path | None, json: bool, hosts: Path | None = None
) -> None:
    """Run a study in several sessions and print what they say together; raises as `end_on_machines` does."""
    entry = entries.study(study)
    from ..measure import sessions as running

    with Progress(console()) as progress:
        folder = running.run(
            *(entry, request, sessions),
            rest_seconds=rest,
            out=out,
            command=["steelyard", *sys.argv[1:]],
            progress=progress,
            hosts=hosts,
        )
    end_on_machines(folder, json)


def require_rest(sessions: int | None, rest: float) -> None:
    """Raise ConfigurationError where there is a rest, and no sessions that it could be between."""
    if sessions is None and rest != REST_SECONDS:
        raise ConfigurationError("--rest is between sessions", hint="--sessions says how many")


def require_verdict(outcome: Outcome) -> None:
    """Raise where trials failed or the instrument was not valid: what was measured is stored and printed by then."""
    if outcome.failures or outcome.verdicts is None:
        first, _, step = outcome.failures[0].partition("\nhint: ")
        raise SteelyardError(
            f"{len(outcome.failures)} of the run's trials failed: {first.splitlines()[0]}",
            hint=f"{f'{step}; ' if step else ''}everything that was measured is in {outcome.folder}",
        )
    if not outcome.verdicts.valid:
        longer = (
            "compilers were still at work: more time may do, as by --warm-up 200 and --budget 20m of `steelyard run`; "
        )
        raise SteelyardError(
            f"there is no verdict: {'; '.join(outcome.verdicts.why_not)}",
            hint=f"{longer if _lost_to_compilers(outcome.verdicts) else ''}see {outcome.report}",
            exit_code=CANNOT_TELL,
        )


def _lost_to_compilers(verdicts: Verdicts) -> bool:
    """Whether something was not compared at all and compilers took pairs of it."""
    from ..analyse.pairing import Void

    return any(
        compared.primary and compared.ratio is None and compared.voided.get(Void.COMPILING, 0)
        for compared in verdicts.comparisons
    )


def print_outcome(outcome: Outcome, json: bool) -> None:
    """Print what a run came to: one object with `json`, else a sentence and tables for a person."""
    from . import printing

    if json:
        print(printing.run_output(outcome).model_dump_json())
    else:
        printing.show_outcome(outcome, console(stderr=False))


def end_on_machines(folder: Path, json: bool) -> None:
    """Write and print what all machines of a run say; raises where some trial was not driven to its end, or nothing counts."""
    verdict = print_machines(folder, json)
    cluster = " --cluster ..." if verdict.level == "machine" else ""
    if verdict.missing:
        raise SteelyardError(
            f"{len(verdict.missing)} of the trials were not driven to their end: {label_names('trial', verdict.missing)[:200]}",
            hint=f"everything that was measured is in {folder}; `steelyard run --resume {folder}{cluster}` goes on",
        )
    if not verdict.valid:
        raise SteelyardError(f"there is no verdict: {'; '.join(verdict.why_not)}", exit_code=CANNOT_TELL)


def print_machines(folder: Path, json: bool) -> MachinesVerdict:
    """Analyse a run on several machines, write its page and those of each, and print what they say."""
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

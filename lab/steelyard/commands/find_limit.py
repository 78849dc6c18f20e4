"""`steelyard find-limit`: the greatest load at which a running service meets a goal, and how it fails beyond."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigurationError, SteelyardError
from ..base.progress import Progress
from ..base.terminal import console
from ..base.text import range_text, value_text
from ..models.outputs.loading import LimitOutput, LimitStage
from .examples import examples
from .options import (
    command_line,
    takes,
)
from .tables import rows_table
from .targets import StartedOptions, load_of, require_usable, started_or_running

if TYPE_CHECKING:
    from ..measure.load.limits import LimitWords
    from ..measure.load.stages import LimitGoal
    from ..workload.load_spec import Goals

commands = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class LimitOptions(StartedOptions):
    """The arguments and options of `find-limit`; the goals (--p95, --errors) define the limit."""

    arrivals: Annotated[
        str,
        typer.Option(
            help="poisson (at random, as independent users come) or constant: a rate; users: how many at once."
        ),
    ] = "poisson"
    within: Annotated[str, typer.Option(help="Time limit of the search: 3m.")] = "3m"


@commands.command(
    name="find-limit",
    short_help="Find the greatest load at which a service meets a goal.",
    epilog=examples(
        "steelyard find-limit shop --p95 200ms --errors 1%",
        "steelyard find-limit shop --arrivals users --p99 1s",
        "steelyard find-limit 'java -jar a.jar --port {port}' --request 'GET /items/7' --p95 200ms",
        "steelyard find-limit http://127.0.0.1:8080/orders --method POST --body @order.json --p95 200ms",
    ),
)
@takes(LimitOptions)
def find_limit(options: LimitOptions) -> None:
    """Find the greatest rate or number of users at which a service meets a goal such as --p95 200ms, with an interval; your own is
    started where it does not run."""
    from ..measure.load import limits
    from ..measure.load.run_folder import Invocation
    from ..workload import load_spec

    wanted = search_of(options)
    limits.require_words(wanted)
    target = started_or_running(options, wanted.load)
    with Progress(console()) as progress:
        outcome = limits.find_limit(
            target,
            wanted,
            Invocation(command_line(), progress, options.out, load_spec.headers_of(options.secret_header or [])),
        )
    print(outcome.model_dump_json()) if options.json else _print_outcome(outcome)
    require_usable(outcome, "search", "limit is")
    if outcome.limit.value is None:
        raise SteelyardError(f"no limit was found: {outcome.limit.why_not}", hint=f"see {outcome.run}")


def search_of(options: LimitOptions) -> LimitWords:
    """The search that the options ask for; raises ConfigurationError."""
    from ..measure.load.limits import LimitWords
    from ..workload import load_spec

    load = load_of(options)
    return LimitWords(goal_of(load.goals), options.arrivals, load_spec.seconds_of(options.within), load)


def goal_of(goals: Goals) -> LimitGoal:
    """The goal of a search; raises ConfigurationError where there are two percentiles."""
    from ..measure.load.stages import LimitGoal

    if goals.named:
        raise ConfigurationError("a limit has a goal of all requests", hint="write --p95 200ms")
    if len(goals.percentiles) > 1:
        raise ConfigurationError("a limit has one percentile", hint="give one of --p50, --p95 and --p99")
    share, most_ms = next(iter(goals.percentiles.items()), (None, None))
    return LimitGoal(share, None if most_ms is None else most_ms / 1000, goals.errors)


def _print_outcome(outcome: LimitOutput) -> None:
    to = console(stderr=False)
    headings = ("stage", "answered/s", "slow", "failed", "unanswered", "kept")
    to.print(rows_table(headings, list(map(_cells, outcome.stages)), numbers=0))
    interval = outcome.limit
    where = "none"
    if interval.value is not None and interval.low is not None and interval.high is not None:
        where = f"{value_text(interval.value)} {outcome.unit}, 95% interval {range_text((interval.low, interval.high))}"
    lines = [
        f"{outcome.service} at {outcome.target} meets {' and '.join(outcome.promise)} up to: {where}",
        f"by {outcome.how}",
        f"beyond: {outcome.beyond}",
        *(f"not loaded: {left.what}: {left.why}" for left in outcome.not_loaded),
        *outcome.notes,
        f"run: {outcome.run}",
    ]
    for line in lines:
        to.print(line)


def _cells(stage: LimitStage) -> list[str]:
    shares = [f"{share:.2%}" for share in (stage.slow, stage.failed)]
    kept = "left out" if stage.left_out else "yes" if stage.kept else "no"
    return [stage.load, value_text(stage.answered_per_s), *shares, f"{stage.unanswered:,}", kept]

"""`steelyard compare` for running services: two URLs, or two service folders that name their targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import ConfigurationError, SteelyardError
from ..base.progress import Progress
from ..base.terminal import console
from ..base.text import range_text, value_text
from ..catalogue import entries, subject_syntax
from ..models.outputs.loading import ComparedSide, RunningComparison
from ..models.service import Expect
from ..plan.run_parameters import default_users
from ..results.failure_text import failures_text
from .options import (
    ComparisonOptions,
    command_line,
)
from .tables import rows_table
from .targets import require_usable

if TYPE_CHECKING:
    from ..measure.load.running_pair import RunningSide
    from ..workload.load_spec import LoadSpec

_SLICE_SECONDS, _WARM_UP_SECONDS = 2.0, 10.0


def is_running(subject: str) -> bool:
    """Whether a subject is a URL or a folder, and not a server of Steelyard's."""
    return "/" in subject.partition("@")[0]


def compared_running(subjects: Sequence[str], options: ComparisonOptions) -> None:
    """Compare two running targets and print the result; raises SteelyardError where requests failed or nothing is valid."""
    from ..hosts import cpus
    from ..measure.load import running_pair
    from ..measure.load.run_folder import Invocation
    from ..workload.load_spec import LoadSpec

    if len(subjects) != 2:
        raise ConfigurationError("running targets are compared two at a time", hint="steelyard compare URL URL")
    for subject in subjects:
        if (
            not is_running(subject)
            and not Path(subject).exists()
            and subject.partition("@")[0] in entries.server_files()
        ):
            raise ConfigurationError(
                f"{subject} would be started, but the other subject is already running",
                hint="compare two URLs or folders, or servers alone",
            )
    users = options.users or default_users(len(cpus.share().server))
    load = LoadSpec(
        users=(users, users),
        rates=None if options.rate is None else (options.rate, options.rate),
        poisson=options.rate is not None,
        seconds=options.slice_seconds or _SLICE_SECONDS,
        warm_up_seconds=options.warm_up or _WARM_UP_SECONDS,
        operations=[] if options.operation is None else [options.operation],
        seed=options.seed or 1,
    )
    first, second = (_side(subject, options.service, load) for subject in subjects)
    subject_syntax.share_of(
        options.margin
    )  # without a verdict the margin is unused, but a wrong value is still an error
    wanted = running_pair.PairSpec(load, options.pairs, subject_syntax.seconds_of(options.budget))
    with Progress(console()) as progress:
        invocation = Invocation(command_line(), progress, options.out)
        outcome = running_pair.compare_running((first, second), wanted, invocation)
    print(outcome.model_dump_json()) if options.json else _print_outcome(outcome)
    require_usable(outcome, "comparison", "figures are")
    failing = [side for side in outcome.subjects if side.failed or (side.requests and side.requests.unanswered)]
    if failing:
        listed = "; ".join(f"{side.label}: {_no_right_answer(side)}" for side in failing)
        raise SteelyardError(f"requests had no right answer: {listed}", hint=f"see {outcome.run}")


def _no_right_answer(side: ComparedSide) -> str:
    """The requests of a side that had no right answer, by kind."""
    unanswered = side.requests.unanswered if side.requests else 0
    return failures_text({**side.failures, **({"unanswered": unanswered} if unanswered else {})})


def _side(subject: str, service: str | None, load: LoadSpec) -> RunningSide:
    """The target of a subject: a folder with its own requests, or a URL that gets the requests of `service`, or a GET."""
    from ..measure.load.running_pair import RunningSide
    from ..workload import load_target

    if not subject.lower().startswith(("http://", "https://")):
        return RunningSide(subject, load_target.of_service(entries.service_at(subject), load.seed, Expect()))
    url = load_target.of_url(subject, None, b"", {}, Expect())
    if service is None:
        return RunningSide(subject, url)
    entry = entries.service_at(service)
    # The file's permissions hold for the target in it; any other target must be this machine.
    same = entry.model.target == url.address
    own = load_target.of_service(entry, load.seed, Expect())
    named = replace(own, name=url.name)
    return RunningSide(subject, named if same else replace(named, address=url.address, declared=False))


def _print_outcome(outcome: RunningComparison) -> None:
    to = console(stderr=False)
    if outcome.failures_differ is not None:
        to.print(outcome.failures_differ)
    rows = []
    for side in outcome.subjects:
        mean = "-" if side.response_mean_ms is None else value_text(side.response_mean_ms)
        unanswered = side.requests.unanswered if side.requests else 0
        rows.append([side.label, value_text(side.throughput_per_s), mean, f"{side.failed:,}", f"{unanswered:,}"])
    to.print(rows_table(("target", "answered/s", "mean, ms", "failed", "unanswered"), rows, numbers=4))
    first, second = (side.label for side in outcome.subjects)
    ratio = outcome.ratio
    if ratio.value is None or ratio.low is None or ratio.high is None:
        first_line = f"{outcome.measure}: no ratio: {ratio.why_not}"
    else:
        interval = f"{value_text(ratio.value)}, 95% interval {range_text((ratio.low, ratio.high))}"
        first_line = f"{outcome.measure} of {first} over {second}: {interval}"
    lines = [
        f"{outcome.load}; {outcome.pairs} pairs of slices, for these two processes only",
        first_line,
        *(f"these figures do not show {question}" for question in outcome.cannot_say),
        *(f"not loaded: {left.what}: {left.why}" for left in outcome.not_loaded),
        f"run: {outcome.run}",
    ]
    for line in lines:
        to.print(line)

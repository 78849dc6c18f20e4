"""`steelyard check`: a gate for continuous integration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.csvfiles import write_text
from ..base.errors import ConfigurationError, SteelyardError
from ..base.terminal import console
from ..catalogue import entries, own_subjects
from ..catalogue.own_subjects import is_own
from ..models.outputs.run import CheckOutput
from .compare import print_planned, require_budget, run_comparison
from .compare_urls import is_running
from .examples import examples
from .options import ComparisonOptions, takes

if TYPE_CHECKING:
    from ..measure.outcome import Outcome
    from .gate import GateReport

commands = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class CheckOptions(ComparisonOptions):
    """The arguments and options of `check`."""

    old: Annotated[
        str,
        typer.Argument(
            metavar="OLD",
            help="SERVER or SERVER@FACTOR=VALUE; or your own: a folder, a command line, a jar, docker:IMAGE or podman:IMAGE. "
            "With --git: the folder alone.",
        ),
    ]
    new: Annotated[str | None, typer.Argument(metavar="NEW", help="The changed subject, in the same form.")] = None
    margin: Annotated[str, typer.Option(help="The largest accepted slow-down.")] = "5%"
    git: Annotated[
        str | None,
        typer.Option(
            metavar="OLD..NEW", help="Compare two revisions of the folder's git repository, such as main..HEAD."
        ),
    ] = None
    build: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND", help="With --git: the shell command that builds a revision, run in its folder."
        ),
    ] = None


@commands.command(
    short_help="Gate a change: is NEW slower than OLD? For CI.",
    epilog=examples(
        "steelyard check tomcat-metro tomcat-metro@heap=128m --margin 5% --budget 15m",
        "steelyard check ./shop ./shop-next --budget 10m",
        "steelyard check --git main..HEAD --build 'mvn -q package' ./shop",
        more="Exit codes: 0 no regression, 1 regression, 2 cannot tell, 64 usage error. Container images follow the "
        "documentation of docker and podman; we never ran one.",
    ),
)
@takes(CheckOptions)
def check(options: CheckOptions) -> None:
    """Build and run OLD and NEW now, in pairs, and gate a change in continuous integration. The run's folder gets junit.xml and
    summary.md."""
    from . import gate, gate_files

    roles: dict[str, str] = {}
    try:
        subjects, labels = _subjects(options)
        roles = _roles(subjects, labels)
        if options.dry_run:
            print_planned([*reversed(subjects)], options)
            return
        outcome = run_comparison([*reversed(subjects)], options, labels=labels)
    except ConfigurationError:
        raise
    except SteelyardError as error:
        message = _with_roles(error.message, roles)
        raise SteelyardError(f"cannot tell: {message}", error.hint, exit_code=gate.Gate.CANNOT_TELL) from None
    report = None if outcome.verdicts is None else gate.report_of(outcome.verdicts, _margin(options))
    _print(outcome, report, json=options.json)
    if report is None:
        failures = "; ".join(_with_roles(failure, roles) for failure in outcome.failures)
        raise SteelyardError(f"cannot tell: {failures}", exit_code=gate.Gate.CANNOT_TELL)
    write_text(outcome.folder / "junit.xml", gate_files.junit(report))
    write_text(outcome.folder / "summary.md", gate_files.summary(report))
    console().print(f"{report.answer.meaning}; junit.xml and summary.md are in {outcome.folder}")
    raise typer.Exit(report.answer)


def _subjects(options: CheckOptions) -> tuple[list[str], dict[str, str]]:
    """OLD and NEW, and a label for each that has none of its own; revisions are built here."""
    from ..catalogue import subject_syntax
    from . import git_range

    subject_syntax.seconds_of(options.budget)  # report a wrong option before the build starts
    _margin(options)
    if options.git is not None and options.dry_run:
        raise ConfigurationError(
            "--dry-run builds nothing, and --git builds two revisions",
            hint=f"`steelyard check {options.old} {options.old} --dry-run` prints the schedule of both",
        )
    if options.git is None:
        if options.build is not None:
            raise ConfigurationError("--build needs --git", hint="build both before you compare them")
        if options.new is None:
            raise ConfigurationError(
                "check compares OLD with NEW, and NEW is missing", hint="name it, or compare revisions with --git"
            )
        for role, subject in (("OLD", options.old), ("NEW", options.new)):
            _require_startable(role, subject)
        return [options.old, options.new], {}
    if options.new is not None:
        raise ConfigurationError("--git compares revisions of one folder", hint=f"leave out {options.new}")
    labels = git_range.folders_of(options.git, options.old, options.build, lambda: _require_budget_of_range(options))
    return list(labels), labels


def _require_budget_of_range(options: CheckOptions) -> None:
    """Raises ConfigurationError where the budget holds no fork of two revisions, by the service.toml of the user's folder."""
    if Path(options.old, entries.SERVICE_FILE).is_file():
        require_budget([options.old, options.old], options, {})


def _require_startable(role: str, subject: str) -> None:
    """Raises ConfigurationError where a subject is nothing that can be started, or its program is not here."""
    if is_own(subject):
        own_subjects.require_program(own_subjects.server_of(subject), f"{role} ({subject})")
    elif is_running(subject):
        raise ConfigurationError(
            f"check cannot start {subject}",
            hint="`steelyard compare URL URL` compares two running services; for a folder, set `start` in its service.toml",
        )


def _roles(subjects: Sequence[str], labels: Mapping[str, str]) -> dict[str, str]:
    """What each of the user's own subjects is called in messages, by its label: `OLD (./shop)`."""
    if not all(map(is_own, subjects)):
        return {}
    specs = own_subjects.specs_of([*reversed(subjects)], labels)[::-1]
    return {
        spec.label: f"{role} ({labels.get(words, words)})"
        for role, words, spec in zip(("OLD", "NEW"), subjects, specs, strict=True)
    }


def _with_roles(message: str, roles: Mapping[str, str]) -> str:
    """A message that begins with a subject's label, with its role and the user's words in the label's place."""
    label, colon, rest = message.partition(": ")
    return f"{roles.get(label, label)}{colon}{rest}"


def _margin(options: CheckOptions) -> float:
    from ..catalogue import subject_syntax

    return subject_syntax.share_of(options.margin)


def _print(outcome: Outcome, report: GateReport | None, *, json: bool) -> None:
    """Print the outcome as `compare` does, with the gate's sentence instead of the verdict's."""
    from . import printing
    from .gate import Gate

    if report is not None:
        outcome = replace(outcome, verdicts=report.verdicts.model_copy(update={"sentence": report.sentence}))
    if not json:
        printing.show_outcome(outcome, console(stderr=False))
        return
    answer = Gate.CANNOT_TELL if report is None else report.answer
    changes = [] if report is None else [change.record() for change in report.changes]
    print(CheckOutput(**dict(printing.run_output(outcome)), answer=answer.meaning, changes=changes).model_dump_json())

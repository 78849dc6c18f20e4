"""What the commands print of what was measured: tables, sentences, and the objects of --json."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..analyse import analysis
from ..base.text import counted, range_text, ratio_text, value_text
from ..models.calibration import Calibration
from ..models.outputs import BesideOutput, Question, RunOutput
from ..run.outcome import Outcome
from ..store import machine_history


def outcome(found: Outcome, console: Console) -> None:
    """The verdict in a sentence, the table, and where the report is; nothing where nothing was measured."""
    if found.verdicts is None:
        return
    console.print()
    console.print(found.verdicts.sentence, highlight=False, markup=False, style="bold")
    console.print()
    console.print(analysis.table(found.verdicts))
    console.print()
    if found.verdicts.decisions:
        console.print(analysis.decision_table(found.verdicts))
        console.print()
    if found.verdicts.layers:
        console.print(analysis.layer_table(found.verdicts))
        for slow in found.verdicts.slow_layers:
            console.print(slow.sentence, highlight=False, markup=False)
        console.print()
    console.print(f"report: {found.report}", highlight=False, markup=False)


def beside(found: BesideOutput, console: Console) -> None:
    """Runs side by side: what differs in how they were made, how far they agree, their figures, why no verdict comes of them."""
    for difference in found.differences:
        console.print(f"differs: {difference}", highlight=False, markup=False)
    for question in found.questions:
        console.print()
        console.print(agreement(question), highlight=False, markup=False)
    numbers = range(1, len(found.runs) + 1)
    table = Table("operation", "subject", "measure", box=None, pad_edge=False)
    for number in numbers:
        table.add_column(f"run {number}", justify="right")
        table.add_column("interval", justify="right")
    for number in numbers[1:]:
        table.add_column(f"{number} / 1", justify="right")
    for figure in found.figures:
        name = figure.cell if figure.cell.startswith(figure.operation) else f"{figure.cell}: {figure.operation}"
        values = (
            text
            for value, interval in zip(figure.values, figure.intervals, strict=True)
            for text in ("-" if value is None else value_text(value), range_text(interval))
        )
        table.add_row(
            *(
                Text(text)
                for text in (
                    name,
                    figure.subject,
                    f"{figure.measure}, {figure.unit}" if figure.unit else figure.measure,
                )
            ),
            *values,
            *("-" if ratio is None else ratio_text(ratio) for ratio in figure.ratios[1:]),
        )
    console.print()
    for number, run in zip(numbers, found.runs, strict=True):
        console.print(f"run {number}: {run}", highlight=False, markup=False)
    console.print(table)
    console.print(found.why_not_paired, highlight=False, markup=False, style="bold")


def agreement(question: Question) -> str:
    """What several campaigns found of one question, and what one more would: a sentence each."""
    each = "; ".join(
        f"{ratio_text(campaign.ratio, campaign.interval)} ({_to(campaign.interval)})" for campaign in question.campaigns
    )
    count = counted(len(question.campaigns), "campaign")
    said = (
        f"{question.a} against {question.b} on {question.cell}, {question.measure}: {each}. "
        f"Between {count} the ratio varies by {question.spread:.1%} beyond what their intervals explain; "
        f"their mean is {ratio_text(question.mean, question.mean_interval)} (95% interval {_to(question.mean_interval)})"
    )
    if question.prediction is not None:
        said += f", and one more would find {_to(question.prediction)} (95% prediction interval)"
    return (
        said
        + "."
        + (
            " Some of them exclude each other: each holds for its hour and machine alone."
            if question.contradict
            else ""
        )
    )


def _to(interval: tuple[float, float]) -> str:
    return " to ".join(ratio_text(bound, interval) for bound in interval)


def run_output(found: Outcome) -> RunOutput:
    """The object of `run --json`, `demo --json`, `compare --json` and `report --json`."""
    verdicts = found.verdicts
    return RunOutput(
        valid=verdicts is not None and verdicts.valid,
        why_not=verdicts.why_not if verdicts else found.failures,
        sentence=verdicts.sentence if verdicts else "nothing was measured",
        comparisons=verdicts.comparisons if verdicts else [],
        failures=found.failures,
        figures=verdicts.figures if verdicts else [],
        counts=verdicts.counts if verdicts else {},
        run=str(found.folder),
        report=str(found.report) if found.report else None,
        layers=verdicts.layers if verdicts else [],
        layers_by_kind=verdicts.layers_by_kind if verdicts else [],
        slow_layers=verdicts.slow_layers if verdicts else [],
        recorded=verdicts.recorded if verdicts else [],
        grid=list(found.grid),
    )


def calibration(found: Calibration, console: Console) -> None:
    """What a machine can tell apart, for a person."""

    def percent(ratio: float) -> str:
        return f"{ratio - 1:+.1%}"

    low, high = found.server_interval
    lines = [
        f"{found.server} on {found.operation}, {found.users} users: {counted(found.forks, 'fork')} in "
        f"{found.seconds / 60:.0f} minutes{', then stopped' if found.stopped else ''}",
        f"against itself: {percent(found.server_ratio)} (95% interval {percent(low)} to {percent(high)})",
        f"forks vary by {found.fork_deviation:.1%}, and one of a comparison costs {found.fork_seconds:.0f} s",
    ]
    for difference in found.smallest:
        what = (
            "not even the first look"
            if difference.difference is None
            else f"{difference.difference:.1%}, with {counted(difference.forks, 'fork')}"
        )
        lines.append(f"smallest difference found with 90% power in {difference.minutes:g} minutes: {what}")
    for level in found.planted:
        low, high = level.interval
        seen = "called" if level.called else "not called"
        lines.append(f"slowed by {level.level:.0%}: {percent(level.ratio)} ({percent(low)} to {percent(high)}), {seen}")
    if found.alarms is not None:
        lines.append(
            f"a server against itself came out different on this machine {machine_history.alarms_text(found.alarms)}"
        )
    if found.headroom is None:
        lines.append(f"headroom of the engine: not measured: {found.headroom_why_not}")
    else:
        least = machine_history.LEAST_HEADROOM
        enough = "enough" if found.headroom >= least else f"too little: at least {least:g} is asked"
        lines.append(f"headroom of the engine: {found.headroom:.1f} times the measured rate, {enough}")
    lines += [f"{'ok' if check.good else '!!'} {check.name}: {check.found}" for check in found.checks]
    for line in lines:
        console.print(line, highlight=False, markup=False)

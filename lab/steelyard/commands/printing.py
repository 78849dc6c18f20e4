"""Prints measurements: tables, sentences, and the objects of --json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..analyse import analysis
from ..analyse.sentences import place_text
from ..base.text import plural, range_text, ratio_text, rough_duration, value_text
from ..measure.outcome import Outcome
from ..models.calibration import Calibration
from ..models.cluster import MachinesVerdict
from ..models.outputs.beside import BesideOutput
from ..models.outputs.run import Orders, RunOrders, RunOutput
from ..report.beside import agreement
from ..report.sections.faults import fault_table
from ..results import machine_history
from .tables import fit

MOST_IN_SENTENCES = 4  # up to so many subjects the verdicts come before the table


def show_outcome(outcome: Outcome, console: Console) -> None:
    """Print the verdict in a sentence, the table, and the path of the report; nothing where nothing was measured.

    With many subjects the table comes first, and one sentence gives their places instead of one sentence each.
    """
    if outcome.verdicts is None:
        return
    if outcome.verdicts.faults:
        _show_faults(outcome, console)
        return
    many = len(outcome.verdicts.ranks) > MOST_IN_SENTENCES
    console.print()
    if not many:
        console.print(outcome.verdicts.sentence, style="bold")
        console.print()
    fit(console, analysis.table(outcome.verdicts), named_by=2)
    console.print()
    if many:
        places = ", ".join(f"{rank.subject} {place_text(rank)}" for rank in outcome.verdicts.ranks)
        places_line = f"Places, as far as decided: {places}. The report has each verdict in a sentence."
        console.print(places_line, style="bold")
        console.print()
    for sentence in outcome.verdicts.by_processors:
        console.print(sentence, style="bold")
    if outcome.verdicts.decisions:
        fit(console, analysis.decision_table(outcome.verdicts), named_by=2)
        console.print()
    if outcome.verdicts.layers:
        fit(console, analysis.layer_table(outcome.verdicts), named_by=4)
        for slow in outcome.verdicts.slow_layers:
            console.print(slow.sentence)
        console.print()
    if outcome.verdicts.machine:
        console.print(f"machine: {outcome.verdicts.machine}")
    console.print(f"report: {outcome.report}")


def _show_faults(outcome: Outcome, console: Console) -> None:
    """Print the effect of faults: a sentence per subject, a row per fault, and the path of the report."""
    assert outcome.verdicts is not None
    console.print()
    console.print(outcome.verdicts.sentence, style="bold")
    console.print()
    headings, rows = fault_table(outcome.verdicts.faults)
    table = Table(*headings, show_edge=False, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(text) for text in row))
    fit(console, table, named_by=2)
    console.print()
    console.print(f"report: {outcome.report}")


def show_side_by_side(side_by_side: BesideOutput, console: Console) -> None:
    """Print runs side by side: differences in their setups, their agreement, their figures, and why there is no verdict."""
    numbers = range(1, len(side_by_side.runs) + 1)
    if side_by_side.differences:
        differing = Table("what differs", *(f"run {number}" for number in numbers), box=None, pad_edge=False)
        for difference in side_by_side.differences:
            differing.add_row(*map(Text, (difference.setting, *difference.values)))
        console.print(differing)
    for question in side_by_side.questions:
        console.print()
        console.print(agreement(question))
    table = Table("operation", "subject", "measure", box=None, pad_edge=False)
    for number in numbers:
        table.add_column(f"run {number}", justify="right")
        table.add_column("interval", justify="right")
    for number in numbers[1:]:
        table.add_column(f"{number} / 1", justify="right")
    for figure in side_by_side.figures:
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
    for number, run in zip(numbers, side_by_side.runs, strict=True):
        console.print(f"run {number}: {run}")
    console.print(table)
    console.print(side_by_side.why_not_paired, style="bold")


def show_machines(verdict: MachinesVerdict, console: Console) -> None:
    """Print the joint result of all machines, a row per machine, the incidents of machines, and the path of the report."""
    console.print()
    console.print(verdict.sentence, style="bold")
    console.print()
    for comparison in verdict.comparisons:
        table = Table(verdict.level, box=None, pad_edge=False)
        for heading in (f"{comparison.a} / {comparison.b}, {comparison.cell}", "interval", "forks"):
            table.add_column(heading, justify="right")
        table.add_column("note")
        for machine in comparison.machines:
            ratio = "-" if machine.ratio is None else ratio_text(machine.ratio, machine.interval)
            interval = range_text(machine.interval)
            note = machine.why_not or machine.verdict or ""
            table.add_row(*map(Text, (machine.machine, ratio, interval, str(machine.forks), note)))
        console.print(table)
        console.print()
    for incident in verdict.incidents:
        where = incident.machine if incident.trial is None else f"{incident.machine}, trial {incident.trial}"
        console.print(f"{where}: {incident.kind}: {incident.message}")
    for difference in verdict.differences:
        console.print(f"differs: {difference}")
    console.print(f"report: {verdict.report}")


def run_output(outcome: Outcome) -> RunOutput:
    """The object of `run --json`, `demo --json`, `compare --json` and `report --json`."""
    own: dict[str, Any] = {
        "failures": outcome.failures,
        "run": str(outcome.folder),
        "report": str(outcome.report) if outcome.report else None,
        "grid": list(outcome.grid),
        "orders": orders_of(outcome.verdicts.counts) if outcome.verdicts is not None else None,
    }
    if outcome.verdicts is None:
        return RunOutput(valid=False, why_not=outcome.failures, sentence="nothing was measured", comparisons=[], **own)
    # All else is said as in verdicts.json, under the same names.
    of_verdicts = {name: getattr(outcome.verdicts, name) for name in RunOutput.model_fields if name not in own}
    return RunOutput(**of_verdicts, **own)


def orders_of(counts: Mapping[str, Mapping[str, int]]) -> RunOrders | None:
    """The orders among the services' counts, by subject and name; None where there are none."""
    names = Orders.model_fields
    by_subject = {
        subject: {name: counted_by_name.get(f"orders.{name}", 0) for name in names}
        for subject, counted_by_name in counts.items()
        if "orders.accepted" in counted_by_name
    }
    if not by_subject:
        return None
    sums = {name: sum(orders[name] for orders in by_subject.values()) for name in names}
    return RunOrders(**sums, by_subject={subject: Orders(**orders) for subject, orders in by_subject.items()})


def show_calibration(calibration: Calibration, console: Console) -> None:
    """Print a calibration: the A/A ratio, the smallest detectable differences, the planted slow-downs, the checks."""

    def percent(ratio: float) -> str:
        return f"{ratio - 1:+.1%}"

    low, high = calibration.server_interval
    lines = [
        f"{calibration.server} on {calibration.operation}, {calibration.users} users: {plural(calibration.forks, 'fork')} in "
        f"{rough_duration(calibration.seconds)}{', then stopped' if calibration.stopped else ''}",
        f"against itself: {percent(calibration.server_ratio)} (95% interval {percent(low)} to {percent(high)})",
        f"forks vary by {calibration.fork_deviation:.1%}, and one of a comparison costs {calibration.fork_seconds:.0f} s",
    ]
    for difference in calibration.smallest:
        smallest = (
            "not even the first look"
            if difference.difference is None
            else f"{difference.difference:.1%}, with {plural(difference.forks, 'fork')}"
        )
        lines.append(f"smallest difference found with 90% power in {difference.minutes:g} minutes: {smallest}")
    for level in calibration.planted:
        low, high = level.interval
        seen = "called" if level.called else "not called"
        lines.append(f"slowed by {level.level:.0%}: {percent(level.ratio)} ({percent(low)} to {percent(high)}), {seen}")
    if calibration.alarms is not None:
        lines.append(
            f"a server against itself came out different on this machine {machine_history.alarms_text(calibration.alarms)}"
        )
    if calibration.headroom is None:
        lines.append(f"headroom of the engine: not measured: {calibration.headroom_why_not}")
    else:
        least = machine_history.LEAST_HEADROOM
        enough = "enough" if calibration.headroom >= least else f"too little: at least {least:g} is required"
        lines.append(f"headroom of the engine: {calibration.headroom:.1f} times the measured rate, {enough}")
    lines += [f"{'ok' if check.good else '!!'} {check.name}: {check.found}" for check in calibration.checks]
    for line in lines:
        console.print(line)

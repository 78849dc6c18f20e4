"""What the commands print on standard output: tables, sentences, and the objects of --json."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..analyse import analysis
from ..base.text import counted, range_text, ratio_text, value_text
from ..models.calibration import Calibration
from ..models.outputs import BesideOutput, KeepAlive, Question, RunOutput, ServerRow
from ..models.records import Schedule
from ..plan import shapes
from ..plan.kinds import kind_of
from ..plan.schedule import planned_seconds
from ..run.main_job import Outcome
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
    for one in found.figures:
        name = one.cell if one.cell.startswith(one.operation) else f"{one.cell}: {one.operation}"
        values = (
            text
            for value, interval in zip(one.values, one.intervals, strict=True)
            for text in ("-" if value is None else value_text(value), range_text(interval))
        )
        table.add_row(
            *(Text(text) for text in (name, one.subject, f"{one.measure}, {one.unit}" if one.unit else one.measure)),
            *values,
            *("-" if ratio is None else ratio_text(ratio) for ratio in one.ratios[1:]),
        )
    console.print()
    for number, run in zip(numbers, found.runs, strict=True):
        console.print(f"run {number}: {run}", highlight=False, markup=False)
    console.print(table)
    console.print(found.why_not_paired, highlight=False, markup=False, style="bold")


def agreement(question: Question) -> str:
    """What several campaigns found of one question, and what one more would: a sentence each."""
    each = "; ".join(f"{ratio_text(one.ratio, one.interval)} ({_to(one.interval)})" for one in question.campaigns)
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
        run=str(found.folder),
        report=str(found.report) if found.report else None,
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
    for one in found.smallest:
        what = (
            "not even the first look"
            if one.difference is None
            else f"{one.difference:.1%}, with {counted(one.forks, 'fork')}"
        )
        lines.append(f"smallest difference found with 90% power in {one.minutes:g} minutes: {what}")
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


def schedule(planned: Schedule, console: Console) -> None:
    """A schedule for a person."""
    if not all(kind_of(cell).sliced for cell in planned.cells):
        _tests(planned, console)
        return
    minutes = planned_seconds(planned) / 60
    cells = ", ".join(cell.name + (" (judged)" if cell.primary else "") for cell in planned.cells)
    pairs = f"{planned.pairs_per_cell} pairs of slices of {planned.slice_seconds:g} s an operation"
    warm_up = f"a warm-up of up to {planned.warm_up_limit_seconds:g} s"
    lines = [
        f"{planned.study}: {', '.join(planned.subjects)}; {planned.cells[0].users} users; {cells}",
        f"{planned.design}: {len(planned.trials)} trials, each {warm_up} and {pairs}; about {minutes:.0f} minutes in all",
    ]
    for line in lines:
        console.print(line, highlight=False, markup=False)
    console.print(_trials(planned))


def _tests(planned: Schedule, console: Console) -> None:
    """The schedule of a study with tests: each test's load, and what all of them will take."""
    blocks = [cell for cell in planned.cells if not kind_of(cell).sliced]
    seconds = sum(shapes.seconds_of(cell.profile) for cell in blocks)
    scaled = f"; times of the tests scaled by {planned.scale:g}" if planned.scale != 1 else ""
    lines = [
        f"{planned.study}: {', '.join(planned.subjects)}; {counted(len(blocks), 'test')}, each once a fork, unbroken, on one "
        f"subject at a time{scaled}",
        f"{planned.design}: {counted(len(planned.trials), 'trial')}; {seconds:.0f} s of tests a subject and trial, after warm-ups "
        f"of up to {planned.warm_up_limit_seconds:g} s; about {planned_seconds(planned) / 60:.0f} minutes in all",
    ]
    for line in lines:
        console.print(line, highlight=False, markup=False)
    table = Table("test", "operation", "load", "users", box=None, pad_edge=False)
    table.add_column("seconds", justify="right")
    for cell in blocks:
        load = (cell.name, cell.operation, shapes.NAMES[cell.profile.kind], shapes.users_text(cell.profile))
        table.add_row(*load, f"{shapes.seconds_of(cell.profile):g}")
    console.print(table)
    console.print(_trials(planned))


def _trials(planned: Schedule) -> Table:
    table = Table("trial", "seed", "started in this order", box=None, pad_edge=False)
    for trial in planned.trials:
        table.add_row(str(trial.number), str(trial.seed), ", ".join(trial.start_order))
    return table


def servers(rows: Sequence[ServerRow]) -> Table:
    """The list of servers for a person."""
    columns = ("name", "server", "version", "stack", "language", "JDK", "fetched", "to fetch")
    table = Table(*columns, box=None, pad_edge=False)
    for row in rows:
        size = "" if row.bytes is None or row.fetched else f"{row.bytes / 1e6:.0f} MB"
        fetched = "yes" if row.fetched else "no"
        table.add_row(row.name, row.title, row.version, row.stack, row.language, str(row.jdk or ""), fetched, size)
    return table


def checked(row: ServerRow) -> str:
    """What a check of a server found, in a line."""
    if row.contract is None:
        return f"{row.name}: cannot be checked here: {row.reason}"
    if not row.contract:
        return f"{row.name}: FAILED: {row.reason}"
    memory = (row.memory_bytes or 0) / 1e6
    return f"{row.name}: ok; {row.exchanges} requests answered rightly, ready after {row.start_seconds:g} s, {memory:.0f} MB"


CHECKS = (
    "server",
    "fetch",
    "start",
    "deploy",
    "contract",
    "keep-alive",
    "sockets",
    "two at once",
    "redeploy",
    "stop",
    "cold start",
    "memory",
)


def findings(row: ServerRow) -> list[str]:
    """What a check of a server found, a cell for each of `CHECKS`; `-` where it was not tried, or cannot be had here."""
    deviating = f", {len(row.deviations)} deviations" if row.contract and row.deviations else ""
    how = "restart" if row.redeploy_restart else "in place"
    return [
        row.name,
        _word(row.fetched or None),
        _word(row.started),
        _word(row.deployed),
        _word(row.contract) + deviating.replace(" 1 deviations", " 1 deviation"),
        _kept(row.keep_alive),
        "-" if row.sockets is None else f"{len(row.sockets)} on loopback" if row.loopback else "NOT ON LOOPBACK",
        _word(row.twice),
        "-" if row.redeploy_seconds is None else f"{_seconds(row.redeploy_seconds)}, {how}",
        "-" if row.stop_seconds is None else _seconds(row.stop_seconds),
        "-" if row.start_seconds is None else _seconds(row.start_seconds),
        "-" if row.memory_bytes is None else f"{row.memory_bytes / 1e6:,.0f} MB",
    ]


def hall(rows: Sequence[ServerRow]) -> Table:
    """What the checks of several servers found, as a matrix."""
    table = Table(*CHECKS, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*findings(row))
    return table


def _seconds(value: float) -> str:
    return f"{value:.1f} s" if value >= 0.05 else "under 0.1 s"


def _word(found: bool | None) -> str:
    return {True: "yes", False: "NO", None: "-"}[found]


def _kept(found: KeepAlive | None) -> str:
    """How long one connection lasted."""
    if found is None:
        return "-"
    if found.answered < found.asked:
        return f"closed after {found.answered:,}"
    return {True: f"{found.asked:,} and a freeze", False: "lost in a freeze", None: f"{found.asked:,}"}[found.survived]

"""Prints schedules, servers, and results of server checks.

It imports no module that measures or analyses: those take seconds to load.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from ..base.text import plural, rough_duration
from ..models.outputs.catalogue import KeepAlive, ServerDetail, ServerRow
from ..models.records import Schedule
from ..models.server import Factor
from ..plan import shapes
from ..plan.estimate import PlannedTime
from ..plan.kinds import kind_of
from .tables import show

NEVER_RUN = "never run by us"


def schedule(planned: Schedule, seconds: PlannedTime, console: Console) -> None:
    """Print what a run would do: cells, trials and the expected time."""
    if not all(kind_of(cell).sliced for cell in planned.cells):
        _tests(planned, seconds, console)
        return
    cells = ", ".join(cell.name + (" (judged)" if cell.primary else "") for cell in planned.cells)
    pairs = "pairs of slices" if len(planned.subjects) > 1 else "slices"
    measured = f"{planned.pairs_per_cell} {pairs} of {planned.slice_seconds:g} s an operation"
    warm_up = f"a warm-up of up to {planned.warm_up_limit_seconds:g} s"
    bound = "up to " if planned.budget_seconds is not None else ""
    lines = [
        f"{planned.study}: {', '.join(planned.subjects)}; {planned.cells[0].users} users; {cells}",
        f"{planned.design}: {bound}{plural(len(planned.trials), 'trial')}, each {warm_up} and {measured}; {_time(seconds)}",
    ]
    for line in lines:
        console.print(line)
    console.print(_trials(planned))


def _tests(planned: Schedule, seconds: PlannedTime, console: Console) -> None:
    """Print the schedule of a study with tests: each test's load, and the expected time of all."""
    blocks = [cell for cell in planned.cells if not kind_of(cell).sliced]
    of_tests = sum(kind_of(cell).blocks(planned, cell) * shapes.seconds_of(cell.profile) for cell in blocks)
    bound = "up to " if any(cell.profile.kind == "fixed-work" for cell in blocks) else ""
    trials = plural(len(planned.trials), "trial")
    alone = ", on one subject at a time" if planned.at_once == 1 else ""
    at_once = f", {planned.at_once} at a time" if planned.at_once > 1 else ""
    scaled = f"; times of the tests scaled by {planned.scale:g}" if planned.scale != 1 else ""
    faults = sum(fault.times for fault in planned.faults)
    how = f" with {plural(faults, 'fault')}, each in a block of its own" if faults else ", each once a fork, unbroken"
    tests = f"{plural(len(blocks), 'test')}{how}{alone}{scaled}"
    lines = [
        f"{planned.study}: {', '.join(planned.subjects)}; {tests}",
        f"{planned.design}: {trials}{at_once}; {bound}{of_tests:.0f} s of tests a subject and trial, after warm-ups of up to "
        f"{planned.warm_up_limit_seconds:g} s; {_time(seconds)}",
    ]
    for line in lines:
        console.print(line)
    table = Table("test", "operation", "load", "users", box=None, pad_edge=False)
    table.add_column("seconds", justify="right")
    own = any(cell.subjects for cell in blocks)
    if own:
        table.add_column("on")
    for cell in blocks:
        load = (cell.name, cell.operation, shapes.NAMES[cell.profile.kind], shapes.users_text(cell.profile))
        table.add_row(
            *load, f"{shapes.seconds_of(cell.profile):g}", *[plural(len(planned.subjects_in(cell)), "subject")] * own
        )
    console.print(table)
    console.print(_trials(planned))


def _time(seconds: PlannedTime) -> str:
    """The expected time of a run, and the longest planned time: a busy machine may need longer."""
    usual, most = rough_duration(seconds.about), rough_duration(seconds.most)
    return f"about {usual} in all" + (f", up to {most} where nothing ends early" if most != usual else "")


def _trials(planned: Schedule) -> Table:
    alone = any(trial.cell for trial in planned.trials)
    table = Table("trial", "seed", "started in this order", *["for"] * alone, box=None, pad_edge=False)
    for trial in planned.trials:
        table.add_row(str(trial.number), str(trial.seed), ", ".join(trial.start_order), *[trial.cell] * alone)
    return table


def servers(rows: Sequence[ServerRow], console: Console) -> None:
    """Print the list of servers, and below it the companions, which run beside a server and cannot be compared."""
    for kind, title in (("server", ""), ("companion", "companions, which studies and services run beside a server")):
        cells = [
            (row.name, _description(row), row.language, str(row.jdk or ""), to_fetch(row))
            for row in rows
            if row.kind == kind
        ]
        if cells and title:
            console.print(f"\n{title}", style="bold")
        show(console, ("name", "server and stack", "language", "JDK", "to fetch"), cells, prose=("server and stack",))


def _description(row: ServerRow) -> str:
    return f"{row.title} {row.version}; {row.stack}" + f"; {NEVER_RUN}" * row.never_run


def to_fetch(row: ServerRow) -> str:
    """The parts of a server that are not yet fetched, in words."""
    if row.missing is not None:
        return "cannot run here"
    if row.fetched:
        return "nothing"
    return "yes" if row.bytes is None else f"{row.bytes / 1e6:.0f} MB"


def server(detail: ServerDetail, console: Console) -> None:
    """Print all that is known of one server."""
    row = detail.server
    about_it = [("version", row.version), ("stack", row.stack), ("language", row.language)]
    about_it += [("JDK", str(row.jdk))] if row.jdk else []
    about_it += [("tested", NEVER_RUN)] if row.never_run else []
    about_it += [("to fetch", row.missing or to_fetch(row)), ("services", ", ".join(detail.services) or "none")]
    console.print(f"{row.name}: {row.title}", style="bold")
    for name, value in about_it:
        console.print(f"{name:<10}{value}")
    factors = [_factor(name, factor) for name, factor in detail.factors.items()]
    _print_table("factors", ("factor", "default", "values", "meaning"), factors, console)
    _print_table("deviations from the contract", ("of", "meaning"), list(row.deviations.items()), console)
    _print_table(
        "parameters that papers tuned, and their values here",
        ("setting", "meaning"),
        list(detail.tuning.items()),
        console,
    )


def _print_table(title: str, headings: Sequence[str], cells: Sequence[Sequence[str]], console: Console) -> None:
    if cells:
        console.print(f"\n{title}", style="bold")
        show(console, headings, cells, prose=("values", "meaning"))


def _factor(name: str, factor: Factor) -> tuple[str, str, str, str]:
    values = ", ".join(factor.choices) if factor.choices else factor.form or "any"
    return name, factor.default or "(empty)", values, factor.meaning


def check_summary(row: ServerRow) -> str:
    """The result of a server's check in one line."""
    if row.contract is None:
        return f"{row.name}: cannot be checked here: {row.reason}"
    if not row.contract:
        return f"{row.name}: FAILED: {row.reason}"
    memory = (row.memory_bytes or 0) / 1e6
    return f"{row.name}: ok; {row.exchanges} requests answered correctly, ready after {row.start_seconds:g} s, {memory:.0f} MB"


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
    """The result of a server's check, one cell for each of `CHECKS`; `-` where it was not tried or is not available here."""
    deviating = f", {len(row.deviations)} deviations" if row.contract and row.deviations else ""
    how = "restart" if row.redeploy_restart else "in place"
    return [
        row.name,
        _word(row.fetched or None),
        _word(row.started),
        _word(row.deployed),
        _word(row.contract) + deviating.replace(" 1 deviations", " 1 deviation"),
        _keep_alive_text(row.keep_alive),
        "-" if row.sockets is None else f"{len(row.sockets)} on loopback" if row.loopback else "NOT ON LOOPBACK",
        _word(row.twice),
        "-" if row.redeploy_seconds is None else f"{_seconds(row.redeploy_seconds)}, {how}",
        "-" if row.stop_seconds is None else _seconds(row.stop_seconds),
        "-" if row.start_seconds is None else _seconds(row.start_seconds),
        "-" if row.memory_bytes is None else f"{row.memory_bytes / 1e6:,.0f} MB",
    ]


def print_matrix(rows: Sequence[ServerRow], console: Console) -> None:
    """Print the results of several servers' checks as a matrix."""
    show(console, CHECKS, [findings(row) for row in rows])


def _seconds(value: float) -> str:
    return f"{value:.1f} s" if value >= 0.05 else "under 0.1 s"


def _word(answer: bool | None) -> str:
    return {True: "yes", False: "NO", None: "-"}[answer]


def _keep_alive_text(connection: KeepAlive | None) -> str:
    """How long one connection lasted."""
    if connection is None:
        return "-"
    if connection.answered < connection.asked:
        return f"closed after {connection.answered:,}"
    return {True: f"{connection.asked:,} and a freeze", False: "lost in a freeze", None: f"{connection.asked:,}"}[
        connection.survived
    ]

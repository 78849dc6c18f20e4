"""What the report says, as plain values for the template; charts are made beside this."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..analyse.analysis import Analysis
from ..analyse.figures import ForkFigure
from ..analyse.instrument import Finding
from ..analyse.sentences import Said
from ..analyse.verdicts import Judgement, ranks
from ..base.text import counted, dashed, ratio_text, value_text
from ..models.records import Cell
from ..models.verdict import Decision
from ..plan.kinds import kind_of, unbroken
from ..store.stored_run import Run
from .drawing import COLOURS, DASHES, PATHS, Picture, shape_of
from .sections.curves import percentile_chart, warm_up_chart, warm_up_points
from .sections.failures import (
    Death,
    called,
    cells,
    deaths,
    failure_headings,
    failure_kinds,
    failure_rows,
    trial_failures,
)
from .sections.own_figures import level_chart
from .sections.ranking import ranking_chart
from .sections.ratios import ratio_chart
from .sections.setup import Group, Tuning, command, groups, tuning
from .sections.tests import Environment, environments

SHOWN = (
    "throughput",
    "response_time_mean",
    "response_time_p50",
    "response_time_p90",
    "response_time_p99",
    "response_time_p99_9",
    "cpu_per_request",
    "memory",
)


@dataclass(frozen=True)
class Shown:
    """A table cell: its text, a smaller line under it, and a note where there is no value."""

    text: str
    under: str = ""
    note: str = ""


@dataclass(frozen=True)
class Operation:
    """One cell's figures: a row of Shown for each subject, and each secondary or primary comparison in words."""

    name: str
    users: int
    primary: bool
    rows: tuple[tuple[str, tuple[Shown, ...]], ...]
    comparisons: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class CheckRow:
    """A line of the validity panel: one subject in one cell, and a finding for each check, None for none."""

    cell: str
    subject: str
    findings: tuple[Finding | None, ...]


@dataclass(frozen=True)
class Page:
    """All that the template shows."""

    title: str
    question: str
    run: str
    said: tuple[Said, ...]
    ranked: bool
    why_not: tuple[str, ...]
    valid: bool
    partial: bool
    deaths: tuple[Death, ...]
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    legend: tuple[tuple[str, str, str, str], ...]
    ratios: tuple[Picture, ...]
    levels: tuple[Picture, ...]
    percentiles: tuple[Picture, ...]
    warm_ups: tuple[Picture, ...]
    warm_up_cell: str
    headings: tuple[tuple[str, str], ...]
    operations: tuple[Operation, ...]
    check_names: tuple[tuple[str, str], ...]
    checks: tuple[CheckRow, ...]
    failure_headings: tuple[str, ...]
    failure_rows: tuple[tuple[str, ...], ...]
    trial_failures: tuple[tuple[str, ...], ...]
    voided: tuple[tuple[str, str, str], ...]
    damaged: tuple[str, ...]
    machine_checks: tuple[tuple[str, ...], ...]
    claims: tuple[Mapping[str, str], ...]
    paper: str
    cannot_say: tuple[str, ...]
    setup: tuple[Group, ...]
    tuning: Tuning | None
    command: str | None
    decisions: tuple[Decision, ...]
    environments: tuple[Environment, ...]
    figures_of: Mapping[str, Operation]
    scale: float


def page_of(analysis: Analysis) -> Page:
    """The report's content."""
    run, verdicts = analysis.run, analysis.verdicts
    study = run.study
    kinds = failure_kinds(run)
    tested = environments(analysis)
    operations = tuple(_operation(analysis, cell) for cell in cells(run))
    return Page(
        title=_text(study.get("title")) or run.schedule.study,
        question=_text(study.get("question")),
        run=run.name,
        said=analysis.said,
        ranked=bool(verdicts.ranks or tested),
        why_not=tuple(verdicts.why_not[1:]),
        valid=verdicts.valid,
        partial=verdicts.status == "partial",
        deaths=tuple(deaths(verdicts.failures)),
        facts=tuple(_facts(analysis)),
        notes=tuple(verdicts.notes),
        legend=tuple(_legend(run)),
        ratios=() if tested else _ratios(analysis),
        levels=() if tested else _levels(analysis),
        percentiles=()
        if tested
        else _present(percentile_chart(place, run, cell) for place, cell in enumerate(cells(run))),
        warm_ups=_warm_ups(run),
        warm_up_cell=cells(run)[0].name,
        headings=tuple((analysis.measures[name].short, analysis.measures[name].unit) for name in _measures(analysis)),
        operations=operations,
        check_names=tuple(dict.fromkeys((finding.check, finding.limit) for finding in analysis.findings)),
        checks=tuple(_check_rows(analysis)),
        failure_headings=tuple(failure_headings(kinds)),
        failure_rows=tuple(failure_rows(run, kinds)),
        trial_failures=tuple(trial_failures(verdicts.failures)),
        voided=tuple(_voided(analysis)),
        machine_checks=tuple(_machine_checks(run)),
        damaged=tuple(problem for trial in run.trials for problem in trial.problems),
        claims=tuple(_claims(study)),
        paper=_paper(study),
        cannot_say=tuple(_cannot_say(run)),
        setup=tuple(groups(run)),
        tuning=tuning(run),
        command=command(run),
        decisions=tuple(verdicts.decisions),
        environments=tested,
        figures_of={cell.name: one for cell, one in zip(cells(run), operations, strict=True)},
        scale=run.schedule.scale,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _measures(analysis: Analysis) -> list[str]:
    """The measures shown in tables: the usual ones and the study's own, which a study with tests has beside the means."""
    own = [entry.get("name") for entry in analysis.run.study.get("measures", []) if isinstance(entry, Mapping)]
    if not all(kind_of(cell).sliced for cell in analysis.run.schedule.cells):
        first, last = SHOWN[:2], [name for name in SHOWN[2:] if name != "response_time_p99_9"]
        return [name for name in (*first, *own, *last) if name in analysis.measures]
    return [name for name in (*SHOWN, *own) if name in analysis.measures]


def _present(pictures: Iterable[Picture | None]) -> tuple[Picture, ...]:
    return tuple(shown for shown in pictures if shown is not None)


def _legend(run: Run) -> Iterator[tuple[str, str, str, str]]:
    """Subject, colour, path of its shape, and its dash pattern, as the charts have them."""
    for place, label in enumerate(run.schedule.subjects):
        colour = f"var(--series-{place % len(COLOURS)})"
        dash = " ".join(str(length) for length in DASHES[place % len(DASHES)])
        yield called(run, label), colour, PATHS[shape_of(place)], dash


def _ratios(analysis: Analysis) -> tuple[Picture, ...]:
    reference = analysis.run.schedule.reference
    primary = [one for one in analysis.judgements if one.compared.primary and one.compared.b == reference]
    margin = analysis.run.schedule.margin
    evidence = [ratio_chart(place, one, margin, alone=len(primary) == 1) for place, one in enumerate(primary)]
    return _present([ranking_chart(primary, ranks(analysis.run, analysis.judgements), margin), *evidence])


def _levels(analysis: Analysis) -> tuple[Picture, ...]:
    run = analysis.run
    operations = [cell.name for cell in cells(run)]
    found = []
    for name in ("throughput", "response_time_mean"):
        figures = [figure for figure in analysis.figures if figure.measure.name == name]
        found.append(level_chart(f"level-{name}", figures, operations, run.schedule.subjects))
    return _present(found)


def _warm_ups(run: Run) -> tuple[Picture, ...]:
    """The curves of the primary cell, all on one scale."""
    cell = cells(run)[0]
    whole = unbroken(run.schedule, cell)
    points = [point for trial in run.trials for point in warm_up_points(trial, cell, unbroken=whole)]
    highest = 1.05 * max((point.throughput_per_s for point in points), default=1.0)
    return _present(warm_up_chart(trial, run, cell, max(highest, 1.0)) for trial in run.trials)


def _voided(analysis: Analysis) -> Iterator[tuple[str, str, str]]:
    """Pairs voided by reason, for each two subjects in each cell."""
    seen = set()
    for judgement in analysis.judgements:
        one = judgement.compared
        key = (one.a, one.b, one.cell.name)
        if key in seen:
            continue
        seen.add(key)
        for reason, count in sorted(one.voided.items()):
            yield f"{one.a} / {one.b}, {one.cell.name}", reason, str(count)
    objections = Counter(
        row.why_not
        for trial in analysis.run.trials
        for row in trial.slices.values()
        if not row.valid and row.phase == "measure"
    )
    for objection, count in sorted(objections.items()):
        yield "the engine's own objections, by slice", objection, str(count)


def _machine_checks(run: Run) -> Iterator[tuple[str, ...]]:
    for trial in run.trials:
        for check in trial.record.machine if trial.record is not None else ():
            yield (
                str(trial.number),
                check.name,
                check.found,
                "yes" if check.good else "no",
                "" if check.good else check.advice,
            )


def _facts(analysis: Analysis) -> Iterator[tuple[str, str]]:
    primary = [judgement.compared for judgement in analysis.judgements if judgement.compared.primary]
    blocks = [cell for cell in analysis.run.schedule.cells if not kind_of(cell).sliced]
    if blocks:
        yield "judged by", "throughput, test by test"
        yield "tests", ", ".join(cell.name for cell in blocks)
        if analysis.run.schedule.scale != 1:
            yield "times scaled by", f"{analysis.run.schedule.scale:g}"
    elif primary:
        yield "judged by", f"{primary[0].measure.title.lower()} on {primary[0].cell.name}"
        yield "load", _load(primary[0].cell)
    if any(one.forks for one in primary):
        yield "forks", ", ".join(dict.fromkeys(str(len(one.counted)) for one in primary))
    if any(one.forks for one in primary) and not blocks:
        yield (
            "pairs",
            f"{sum(one.pairs for one in primary)}, {sum(one.voided.total() for one in primary) or 'none'} voided",
        )
    yield "margin", f"{analysis.run.schedule.margin:.0%}"


def _load(cell: Cell) -> str:
    return "open, at a rate" if cell.profile.kind == "rate" else f"closed, {counted(cell.users, 'user')}"


def _operation(analysis: Analysis, cell: Cell) -> Operation:
    whole = {
        (figure.subject, figure.measure.name): figure
        for figure in analysis.figures
        if figure.fork is None and figure.cell.name == cell.name
    }
    names = _measures(analysis)
    return Operation(
        name=cell.operation,
        users=cell.users,
        primary=cell.primary,
        rows=tuple(
            (called(analysis.run, subject), tuple(_shown(whole[subject, name]) for name in names))
            for subject in analysis.run.schedule.subjects
        ),
        comparisons=tuple(
            _comparison(judgement)
            for judgement in analysis.judgements
            if judgement.compared.cell.name == cell.name and judgement.compared.measure.name in names
        ),
    )


def _shown(figure: ForkFigure) -> Shown:
    if figure.value is None:
        return Shown("-", note=figure.refusal or "")
    bounds = (figure.interval.low, figure.interval.high) if figure.interval else None
    return Shown(value_text(figure.value), under=dashed(bounds))


def _comparison(judgement: Judgement) -> tuple[str, ...]:
    """Subjects, measure, ratio, interval, what it rests on, and the verdict or why there is none."""
    one = judgement.compared
    word = judgement.word.value if judgement.word else "secondary" if not one.primary else "no verdict"
    if one.ratio is None:
        why = "; ".join((*judgement.broken, *judgement.reasons)) or "nothing to compare"
        return f"{one.a} / {one.b}", one.measure.title, "-", "", "", why
    bounds = None if one.interval is None else (one.interval.low, one.interval.high)
    interval = "" if bounds is None else "\u2013".join(ratio_text(bound, bounds) for bound in bounds)
    basis = f"{counted(len(one.counted), 'fork')}, {counted(one.pairs, 'pair')}" if one.forks else "one run each"
    return f"{one.a} / {one.b}", one.measure.title, ratio_text(one.ratio, bounds), interval, basis, word


def _check_rows(analysis: Analysis) -> Iterator[CheckRow]:
    """A row a subject in each cell; what is about the machine stands in all rows of its cell."""
    names = list(dict.fromkeys(finding.check for finding in analysis.findings))
    for cell in cells(analysis.run):
        for subject in analysis.run.schedule.subjects:
            found = {
                item.check: item
                for item in analysis.findings
                if item.cell == cell.name and item.subject in (subject, None)
            }
            if found:
                yield CheckRow(cell.name, called(analysis.run, subject), tuple(found.get(name) for name in names))


def _claims(study: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    claims = study.get("claims", [])
    for claim in claims if isinstance(claims, list) else []:
        if isinstance(claim, Mapping) and _text(claim.get("text")):
            yield {name: _text(claim.get(name)) for name in ("text", "setting", "source")}


def _paper(study: Mapping[str, Any]) -> str:
    paper = study.get("paper")
    if not isinstance(paper, Mapping):
        return ""
    return ", ".join(str(paper[name]) for name in ("authors", "year", "title") if name in paper)


def _cannot_say(run: Run) -> Iterator[str]:
    shared = run.environment.get("processors_shared")
    machine = run.environment.get("machine")
    processors = machine.get("processors") if isinstance(machine, Mapping) else None
    if run.environment.get("network", "loopback") == "loopback":
        yield (
            "Servers and load engine ran on one machine and spoke over its loopback device. A network's latency, its limits "
            "and the cost of its interrupts are not in these figures."
        )
    if isinstance(processors, int):
        yield (
            f"The machine has {processors} processors. What a server gains from more of them, or loses by their contention, "
            "was not measured."
        )
    if isinstance(shared, Mapping) and shared.get("apart") is False:
        yield "The engine and the servers shared a processor, so each slowed the other."
    if isinstance(shared, Mapping) and shared.get("awake"):
        yield (
            "The processors were kept from halting by threads that yield to everything else, as on a server that is never "
            "idle: what it costs to wake a halted one is not in these figures."
        )
    if all(cell.profile.kind != "rate" for cell in run.schedule.cells):
        yield (
            "The load was closed: each user waited for an answer before asking again. Response times are those at full load, "
            "not those at a rate that users would bring, and throughput is that of saturation."
        )
    yield "Each ratio holds for these versions, flags, operations and sizes on this machine, and for no others."
    yield (
        "The interval covers chance between fresh starts on this machine. It does not cover a bias that all forks share, such as "
        "a setting that suits one server better."
    )

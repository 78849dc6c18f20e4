"""Stored runs side by side: their figures and how far they agree. There is no verdict, because they were not measured together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from ..analyse.analysis import Analysis, analyse_run
from ..analyse.verdicts import Judgement
from ..base.csvfiles import names_in
from ..base.errors import ConfigurationError
from ..base.text import percent_text, plural, ratio_text, value_text
from ..models.job import Rate
from ..models.outputs.beside import Beside, BesideOutput, Campaign, Question, SetupDifference
from ..models.records import Cell
from ..models.verdict import Figure
from ..results.cluster_folder import MACHINES, is_cluster, machine_folder
from ..results.setup import differ, flat_values, setup_value_text, setup_values
from ..results.stored_run import Run, read_run
from ..statistics.campaigns import Found, random_effects
from ..statistics.interval import Interval

NOT_PAIRED = (
    "not paired: the runs were measured at different times, and the machine may have had other work; "
    "`steelyard check OLD NEW` measures two versions now, side by side"
)


def compare_runs(folders: Sequence[Path]) -> BesideOutput:
    """All figures that the runs share, each question that two or more judged, and all differences of their setups.

    It writes nothing. Raises StoreError where a run cannot be read, and ConfigurationError for one of several machines.
    """
    for folder in folders:
        _require_one_machine(folder)
    analyses = [analyse_run(read_run(folder)) for folder in folders]
    by_run = [{_key(figure): figure for figure in analysis.verdicts.figures} for analysis in analyses]
    return BesideOutput(
        runs=[str(folder) for folder in folders],
        why_not_paired=NOT_PAIRED,
        differences=list(_differences([analysis.run for analysis in analyses])),
        questions=list(_questions(analyses)),
        figures=[_row([keyed[key] for keyed in by_run]) for key in by_run[0] if all(key in keyed for keyed in by_run)],
    )


def _require_one_machine(folder: Path) -> None:
    if is_cluster(folder):
        own = " ".join(str(machine_folder(folder, name)) for name in names_in(folder / MACHINES))
        raise ConfigurationError(
            f"{folder} is a run on several machines or in several sessions", hint=f"name each of its runs: {own}"
        )


def _key(figure: Figure) -> tuple[str, str, str]:
    return figure.cell, figure.subject, figure.measure


def _row(figures: Sequence[Figure]) -> Beside:
    first = figures[0]
    return Beside(
        subject=first.subject,
        cell=first.cell,
        operation=first.operation,
        measure=first.measure,
        unit=first.unit,
        values=[figure.value for figure in figures],
        intervals=[figure.interval for figure in figures],
        ratios=[figure.value / first.value if first.value and figure.value is not None else None for figure in figures],
    )


def _questions(analyses: Sequence[Analysis]) -> Iterator[Question]:
    """The judged comparisons that two or more runs share under the same load, with at least two forks each."""
    by_question: dict[tuple[object, ...], list[tuple[Analysis, Judgement]]] = {}
    for analysis in analyses:
        for judgement in analysis.judgements:
            compared = judgement.compared
            if compared.primary and compared.b == analysis.run.schedule.reference and compared.interval is not None:
                cell = compared.cell
                load = (cell.profile.kind, cell.users, _rates(cell), str(cell.mix), str(cell.payload))
                key = (compared.a, compared.b, cell.name, compared.measure.name, load)
                by_question.setdefault(key, []).append((analysis, judgement))
    for answers in by_question.values():
        if len(answers) > 1 and all(judgement.compared.standard_error > 0 for _, judgement in answers):
            yield _question(answers)


def _rates(cell: Cell) -> tuple[tuple[float, float], ...]:
    """The rates of an open load; none of other loads, and of one in which each subject has its own."""
    if cell.share or not isinstance(cell.profile, Rate):
        return ()
    return tuple((stage.from_rate, stage.to_rate) for stage in cell.profile.stages)


def _question(answers: Sequence[tuple[Analysis, Judgement]]) -> Question:
    compared = answers[0][1].compared
    campaigns = [_campaign(analysis.run, judgement) for analysis, judgement in answers]
    pooled = random_effects(
        [
            Found(math.log(judgement.compared.ratio or 1.0), judgement.compared.standard_error)
            for _, judgement in answers
        ]
    )
    mean = pooled.mean.exp()
    return Question(
        a=compared.a,
        b=compared.b,
        cell=compared.cell.name,
        measure=compared.measure.name,
        campaigns=campaigns,
        mean=mean.estimate,
        mean_interval=_bounds(mean),
        spread=math.expm1(pooled.spread),
        prediction=None if pooled.prediction is None else _bounds(pooled.prediction.exp()),
        contradict=any(
            campaign.interval[1] < other.interval[0] or other.interval[1] < campaign.interval[0]
            for campaign, other in combinations(campaigns, 2)
        ),
    )


def _campaign(run: Run, judgement: Judgement) -> Campaign:
    compared = judgement.compared
    machine = run.environment.get("machine")
    assert compared.ratio is not None and compared.interval is not None  # selected above
    return Campaign(
        run=run.name,
        machine=str(machine.get("processor", "")) if isinstance(machine, dict) else "",
        ratio=compared.ratio,
        interval=_bounds(compared.interval),
        forks=len(compared.counted_forks),
        verdict=judgement.word.value if judgement.word else None,
    )


def _bounds(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


def _differences(runs: Sequence[Run]) -> Iterator[SetupDifference]:
    """The settings whose values differ: of the setups, of the loads that all runs have, and the parameters."""
    loads = [{cell.name: cell for cell in run.schedule.cells} for run in runs]
    every = [name for name in loads[0] if all(name in cells for cells in loads)]
    known = [
        setup_values(run.environment)
        | {f"load of {name}": _load_text(cells[name]) for name in every}
        | {f"parameter {name}": value for name, value in run.schedule.parameters.items()}
        for run, cells in zip(runs, loads, strict=True)
    ]
    for name in dict.fromkeys(name for values in known for name in values):
        mine = [values.get(name) for values in known]
        if differ(name, mine):
            yield SetupDifference(setting=name, values=[setup_value_text(value) for value in mine])


def _load_text(cell: Cell) -> str:
    """The shape of a load, its users, other values and mix of operations: `big-bang, 8 users, seconds 2.0`. Of a load that is a
    share of another, the rate of each subject."""
    if cell.share:
        rates = (f"{subject} {value_text(rate)} requests/s" for subject, rate in cell.subject_rates.items())
        return ", ".join((f"{percent_text(cell.share)} of {cell.share_of}", *rates))
    values = cell.profile.model_dump(mode="json", exclude_defaults=True, exclude={"kind", "users"})
    shape = (f"{name[1:]} {setup_value_text(value)}" for name, value in flat_values("", values))
    mix = [f"{name} {share:g}" for name, share in cell.mix.items()] if len(cell.mix) > 1 else []
    return ", ".join((cell.profile.kind, plural(cell.users, "user"), *shape, *mix))


def agreement(question: Question) -> str:
    """A sentence for each question: the results of the runs, and the prediction for the next one."""
    each = "; ".join(
        f"{ratio_text(campaign.ratio, campaign.interval)} ({_range_text(campaign.interval)})"
        for campaign in question.campaigns
    )
    count = plural(len(question.campaigns), "campaign")
    sentence = (
        f"{question.a} against {question.b} on {question.cell}, {question.measure}: {each}. "
        f"Between {count} the ratio varies by {question.spread:.1%} beyond what their intervals explain; "
        f"their mean is {ratio_text(question.mean, question.mean_interval)} (95% interval {_range_text(question.mean_interval)})"
    )
    if question.prediction is not None:
        sentence += (
            f", and the next run is expected to find {_range_text(question.prediction)} (95% prediction interval)"
        )
    return (
        sentence
        + "."
        + (
            " Some of them contradict each other: each holds only for its hour and machine."
            if question.contradict
            else ""
        )
    )


def _range_text(interval: tuple[float, float]) -> str:
    return " to ".join(ratio_text(bound, interval) for bound in interval)

"""The results of several machines or sessions on one question: each ratio, and the mean over the highest level."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base.csvfiles import write_document
from ..base.text import lower_first, percent_text, plural, spoken_range, upper_first
from ..models.between_sessions import Deviation, PairKind
from ..models.cluster import ClusterRun, Level, MachineRatio, MachineRun, MachinesVerdict, OverMachines
from ..models.records import Cell, Schedule
from ..models.verdict import Elsewhere
from ..results.cluster_folder import VERDICT, home_of, machine_folder, read_cluster
from ..results.earlier import machine_text
from ..results.setup import setup_differences
from ..results.stored_run import Run, read_model, read_run
from ..statistics.campaigns import LEAST_FOR_PREDICTION, Found
from ..statistics.machines import MachinesTogether, over_machines
from ..statistics.verdict_words import Given, PValues, Word, words_of
from .analysis import Analysis, analyse_run
from .elsewhere import holds, of_sessions, prior_of, priors
from .levels import WORDS
from .measures import Measure
from .sentences import amount_text, prediction_text
from .verdicts import Judgement

ALPHA = 0.05
_ITS_OWN = ("machine.", "processors_shared")  # the keys of a setup that describe the machine


@dataclass(frozen=True)
class MachineAnswer:
    """A machine's result of a comparison. `ratio` is as stored; the log ratio and its standard error are set where it counts."""

    shown: MachineRatio
    estimate: Found | None


@dataclass(frozen=True)
class ClusterQuestion:
    """One judged comparison with each machine's answer and their mean (None for fewer than two that count).

    `expected` is the prediction for another day or machine, from the sessions of one machine.
    """

    a: str
    b: str
    cell: Cell
    measure: Measure
    margin: float
    answers: tuple[MachineAnswer, ...]
    together: MachinesTogether | None
    level: Level = "machine"
    expected: Elsewhere | None = None


@dataclass(frozen=True)
class ClusterAnalysis:
    """The analysis of a run on several machines. `machines` are the analyses of those that completed trials, by name."""

    folder: Path
    cluster: ClusterRun
    machines: Mapping[str, Analysis]
    verdict: MachinesVerdict


def analyse_cluster(folder: Path) -> ClusterAnalysis:
    """The analysis of a cluster's folder; machines.json is written. Raises StoreError."""
    cluster = read_cluster(folder)
    analyses = {
        machine.name: analyse_run(run)
        for machine in cluster.machines
        if (run := read_run(machine_folder(folder, machine.name))).trials
    }
    verdict = _verdict(folder, cluster, analyses)
    write_document(folder / VERDICT, verdict.model_dump(mode="json"))
    return ClusterAnalysis(folder, cluster, analyses, verdict)


def _verdict(folder: Path, cluster: ClusterRun, analyses: Mapping[str, Analysis]) -> MachinesVerdict:
    questions = list(_questions(analyses, cluster.level))
    comparisons = [
        _comparison(question, given_word) for question, given_word in zip(questions, _words(questions), strict=True)
    ]
    complete = {number for analysis in analyses.values() for number in _driven_trials(analysis.run)}
    missing = sorted(set(_planned_trials(folder, cluster)) - complete)
    why_not = _why_not(cluster, home_of(folder, cluster), comparisons)
    return MachinesVerdict(
        level=cluster.level,
        run=folder.resolve().name,
        valid=not why_not,
        why_not=why_not,
        sentence=f"No verdict: {why_not[0]}." if why_not else " ".join(each.sentence for each in comparisons),
        status="partial" if missing else "complete",
        comparisons=comparisons,
        machines=[_machine_run(name, analysis) for name, analysis in analyses.items()],
        incidents=cluster.incidents,
        missing=missing,
        differences=list(_differences(analyses)),
    )


def _complete(run: Run) -> list[int]:
    return [trial.number for trial in run.trials if trial.status == "complete"]


def _driven_trials(run: Run) -> Iterator[int]:
    """The trials that were completed, and those that they replace."""
    for trial in run.trials:
        if trial.status == "complete":
            yield from (number for number in (trial.number, trial.planned.makes_up) if number is not None)


def _planned_trials(folder: Path, cluster: ClusterRun) -> Iterator[int]:
    """The trials that each machine or session was to run, by its own schedule when it ended."""
    for machine in cluster.machines:
        schedule = read_model(Schedule, machine_folder(folder, machine.name) / "schedule.json")
        yield from (trial.number for trial in schedule.trials if trial.makes_up is None)


def _why_not(cluster: ClusterRun, home: Mapping[int, str], comparisons: Sequence[OverMachines]) -> list[str]:
    if len(cluster.schedule.subjects) < 2:
        return ["there is one subject and nothing to compare it with"]
    if not home:
        return [
            f"no machine completed a trial: {cluster.incidents[-1].message}"
            if cluster.incidents
            else "no machine completed a trial"
        ]
    if not any(comparison.counted for comparison in comparisons):
        reasons = dict.fromkeys(
            f"{answer.machine}: {answer.why_not}" for comparison in comparisons for answer in comparison.machines
        )
        return list(reasons) or ["no pair of slices counts"]
    return []


def _machine_run(name: str, analysis: Analysis) -> MachineRun:
    return MachineRun(
        machine=name,
        processor=_processor(analysis.run),
        system=_system(analysis.run),
        folder=f"machines/{name}",
        trials=len(analysis.run.trials),
        complete=len(_complete(analysis.run)),
        sentence=analysis.verdicts.sentence,
    )


def _processor(run: Run) -> str:
    return machine_text(run.environment.get("machine"))


def _system(run: Run) -> str:
    machine = run.environment.get("machine")
    known = machine if isinstance(machine, dict) else {}
    return ", ".join(str(known[name]) for name in ("distribution", "kernel") if known.get(name))


def _differences(analyses: Mapping[str, Analysis]) -> Iterator[str]:
    """Differences between the machines' setups, apart from the machines themselves."""
    names = list(analyses)
    for name in names[1:]:
        first, other = analyses[names[0]].run.environment, analyses[name].run.environment
        for difference in setup_differences(first, other):
            if not difference.startswith(_ITS_OWN):
                yield f"{name}, beside {names[0]}: {difference}"


def _questions(analyses: Mapping[str, Analysis], level: Level) -> Iterator[ClusterQuestion]:
    """Every judged comparison, in the machines' order."""
    by_question: dict[tuple[str, str, str], dict[str, Judgement]] = {}
    for name, analysis in analyses.items():
        for judgement in analysis.judgements:
            compared = judgement.compared
            if compared.primary:
                by_question.setdefault((compared.a, compared.b, compared.cell.name), {})[name] = judgement
    for by_machine in by_question.values():
        compared = next(iter(by_machine.values())).compared
        answers = tuple(
            _answer(name, analysis.run, by_machine[name]) for name, analysis in analyses.items() if name in by_machine
        )
        estimates = [answer.estimate for answer in answers if answer.estimate is not None]
        together = over_machines(estimates, 1 - ALPHA) if len(estimates) > 1 else None
        run = next(iter(analyses.values())).run
        prior = prior_of(run.environment, compared.a, compared.b)
        expected = _expected_elsewhere(prior, compared.measure, together) if level == "session" else None
        yield ClusterQuestion(
            *(compared.a, compared.b, compared.cell, compared.measure, run.schedule.margin, answers, together),
            level=level,
            expected=expected,
        )


def _expected_elsewhere(prior: PairKind, measure: Measure, together: MachinesTogether | None) -> Elsewhere | None:
    """The prediction for another day or machine of this kind, from the sessions of one machine.

    They count as one session with their mean and its error, because what they share, such as the machine, does not average out. The
    spread between them replaces a smaller prior.
    """
    if together is None or measure.name not in priors().measures:
        return None
    seen = Deviation(used=min(together.spread, 0.99), assumed=False) if together.spread > 0 else prior.like_machines
    like, any_machine = (
        max(deviation, seen, key=lambda deviation: deviation.used)
        for deviation in (prior.like_machines, prior.any_machines)
    )
    session = Found(together.mean.estimate, max(together.error, together.least_error))
    known = prior.model_copy(update={"like_machines": like, "any_machines": any_machine})
    return of_sessions(known, [session], together.mean.count - 1, together.mean.exp())


def _answer(name: str, run: Run, judgement: Judgement) -> MachineAnswer:
    """A machine's result. It counts with a valid instrument and at least two counted forks that are not identical."""
    compared = judgement.compared
    logs = compared.log_ratios
    error = compared.standard_error
    if judgement.broken:
        why_not = judgement.broken[0]
    elif compared.by_processor is not None:
        why_not = "its throughput ratios by answers and by processor time disagree"
    elif len(logs) < 2:
        why_not = f"only {plural(len(logs), 'fork')} of at least 2 can be counted"
    else:
        why_not = "" if error > 0 else "its forks do not vary at all, which is impossible for a measurement"
    return MachineAnswer(
        MachineRatio(
            machine=name,
            processor=_processor(run),
            ratio=compared.ratio,
            interval=compared.bounds,
            forks=len(compared.counted_forks),
            verdict=judgement.word.value if judgement.word is not None else None,
            why_not=why_not,
        ),
        None if why_not or compared.ratio is None else Found(math.log(compared.ratio), error),
    )


def _words(questions: Sequence[ClusterQuestion]) -> list[Given | None]:
    """A word for each question; None for fewer than two counted machines. A cell or family shares one error rate."""
    given_words: dict[int, Given] = {}
    families = dict.fromkeys(question.cell.family or question.cell.name for question in questions)
    for family in families:
        members = [
            (place, question, question.together)
            for place, question in enumerate(questions)
            if (question.cell.family or question.cell.name) == family and question.together is not None
        ]
        tested = [
            PValues(
                together.equivalence_p(question.margin),
                together.difference_p(),
                together.mean.estimate > 0,
                question.measure.better,
            )
            for _, question, together in members
        ]
        given_words |= {place: given for (place, _, _), given in zip(members, words_of(tested, ALPHA), strict=True)}
    return [given_words.get(place) for place in range(len(questions))]


def _comparison(question: ClusterQuestion, given_word: Given | None) -> OverMachines:
    together = question.together
    counting = [answer for answer in question.answers if answer.estimate is not None]
    mean = together.mean.exp() if together is not None else None
    alone = counting[0].shown.ratio if counting else None
    prediction = together.prediction.exp() if together is not None and together.prediction is not None else None
    bounds = None if prediction is None else (prediction.low, prediction.high)
    return OverMachines(
        a=question.a,
        b=question.b,
        cell=question.cell.name,
        operation=question.cell.operation,
        measure=question.measure.name,
        unit=question.measure.unit,
        title=question.measure.title,
        better=question.measure.better.value,
        margin=question.margin,
        verdict=given_word.word.value if given_word is not None else None,
        direction=given_word.direction.value if given_word is not None and given_word.direction is not None else None,
        ratio=mean.estimate if mean is not None else alone,
        interval=None if mean is None else (mean.low, mean.high),
        confidence=1 - ALPHA,
        spread=None if together is None else math.expm1(together.spread),
        prediction=bounds,
        elsewhere=question.expected,
        holds_elsewhere=holds(
            given_word.word if given_word is not None else None,
            question.expected.interval if question.expected else bounds,
            question.margin,
        ),
        counted=len(counting),
        forks=sum(answer.shown.forks for answer in counting),
        machines=[answer.shown for answer in question.answers],
        sentence=_sentence(question, given_word, counting),
    )


def _sentence(question: ClusterQuestion, given_word: Given | None, counting: Sequence[MachineAnswer]) -> str:
    """The verdict over these machines in words: their spread, the prediction for the next one, and which do not count."""
    where, words = f"on {question.cell.where}", WORDS[question.level]
    quantity = lower_first(question.measure.title)
    left_out = [
        f"{answer.shown.machine} does not count: {answer.shown.why_not}."
        for answer in question.answers
        if answer.estimate is None
    ]
    if question.together is None:
        sole = (
            f"only {counting[0].shown.machine} counts: "
            f"{amount_text(counting[0].shown.ratio or 1.0, counting[0].shown.interval, quantity)}"
            if counting
            else f"no {words.one} counts"
        )
        first = f"No verdict over {words.one}s on {question.a} against {question.b} {where}: {sole}."
        return " ".join([first, *left_out])
    together = question.together
    mean = together.mean.exp()
    bounds = (mean.low, mean.high)
    forks = sum(answer.shown.forks for answer in counting)
    interval = f"{percent_text(mean.confidence)} interval {spoken_range(bounds, mean.estimate)}"
    basis = f"{interval}, {plural(mean.count, words.one)}, {plural(forks, 'fork')}"
    first = f"{_heading(question, given_word, mean.count, where)}: {amount_text(mean.estimate, bounds, quantity)} ({basis})."
    spread = (
        f"Between {words.one}s the ratio varies by {math.expm1(together.spread):.1%} beyond what their forks explain"
    )
    if together.prediction is not None:
        next_one = together.prediction.exp()
        spread += f"; {words.next} is expected to find {spoken_range((next_one.low, next_one.high))} (95% prediction interval)"
    wide = [f"The interval of so few {words.one}s is wide."] if mean.count < LEAST_FOR_PREDICTION + 1 else []
    beyond = [f"{upper_first(prediction_text(question.expected))}."] if question.expected is not None else []
    return " ".join([first, *wide, f"{spread}.", *beyond, *left_out])


def _heading(question: ClusterQuestion, given_word: Given | None, count: int, where: str) -> str:
    a, b, here = question.a, question.b, WORDS[question.level].place.format(count=count)
    match given_word.word if given_word is not None else None:
        case Word.EQUIVALENT if given_word is not None and given_word.direction is not None:
            return f"{a} is {given_word.direction} than {b} {where}, by less than the margin of {question.margin:.0%}, {here}"
        case Word.FASTER | Word.SLOWER:
            return f"{a} is {given_word.word if given_word else ''} than {b} {where}, {here}"
        case Word.EQUIVALENT:
            return f"{a} and {b} are equivalent {where}, within {question.margin:.0%}, {here}"
        case Word.UNCONFIRMED:
            return f"Undecided between {a} and {b} {where}, {here}, after adjusting for all comparisons judged together"
        case _:
            return f"Undecided between {a} and {b} {where}, {here}"

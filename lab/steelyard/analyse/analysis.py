"""From a run folder to numbers and verdicts: results.csv, verdicts.json and the table on the terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from ..base.csvfiles import is_stored, write_lists, write_table
from ..base.text import alike_together, join_words, label_names, plural, range_text, ratio_text, upper_first, value_text
from ..models.verdict import Comparison, ContradictedRun, Decision, Figure, Rank, TrialFailure, Verdicts
from ..plan.designs import design_named
from ..plan.kinds import kind_of, may_take_turns
from ..plan.shapes import IN_A_SENTENCE
from ..plan.slices import QUIET_AT_REST
from ..results.earlier import machine_text
from ..results.stored_run import Run, read_run
from ..statistics.verdict_words import verdict_text
from .as_it_runs import own_figures, ran_already, why_void, wordings
from .by_processors import processor_sentences
from .companion_limit import examine_companions
from .contradictions import contradictions
from .contrasts import differences
from .decisions import decisions, judged_by
from .detections import detections
from .elsewhere import predict_judgement
from .endings import ending_wordings
from .faults import fault_rows, fault_sentences, is_of_faults
from .figures import COLUMNS, ForkFigure, figures
from .foreign_work import examine_foreign
from .instrument import Finding, Level, examine
from .layer_checks import examine_layers, record_counts
from .layers import breakdowns, slow_layer
from .machine_notes import machine_notes
from .measures import Measure, registry
from .operation_figures import operation_figures
from .saturation import examine_saturation
from .sentences import (
    NOW,
    Wording,
    contradiction_text,
    load_text,
    no_verdict,
    over_cells,
    over_subjects,
    ranking,
    verdict,
)
from .server_processors import server_processors
from .verdicts import Judgement, Ranked, judge, ranks

_TELLING = {
    "environment.json": "the machine and the versions are unknown",
    "study.toml": "the study's question and its own measures are unknown",
}
_MOST_ALIKE = 4  # warnings of one check that are told one by one
_OBSERVED = (
    "operations",
    "layers",
    "layers_by_kind",
    "slow_layers",
    "recorded",
    "differences",
    "by_processors",
    "faults",
)


@dataclass(frozen=True)
class Analysis:
    """All results of the analysis of a run. The report uses nothing else."""

    run: Run
    measures: dict[str, Measure]
    judgements: tuple[Judgement, ...]
    figures: tuple[ForkFigure, ...]
    findings: tuple[Finding, ...]
    sentences: tuple[Wording, ...]
    verdicts: Verdicts


def analyse(run_dir: Path) -> Verdicts:
    """Write results.csv and verdicts.json of a run folder; raises StoreError and MeasureError."""
    return full_analysis(run_dir).verdicts


def full_analysis(run_dir: Path) -> Analysis:
    """As `analyse`, but returns the whole analysis."""
    analysis = analyse_run(read_run(run_dir))
    write_figures(analysis, run_dir)
    return analysis


def write_figures(analysis: Analysis, folder: Path) -> None:
    """Write results.csv and verdicts.json into a folder; raises StoreError."""
    write_table(folder / "results.csv", COLUMNS, (figure.row() for figure in analysis.figures))
    # Fields without an observation are left out, so that the files of older runs keep their bytes.
    unsaid = {name for name in _OBSERVED if not getattr(analysis.verdicts, name)}
    write_lists(folder / "verdicts.json", analysis.verdicts.model_dump(mode="json", exclude=unsaid))


def analyse_run(run: Run) -> Analysis:
    """The analysis of a run, without writing anything."""
    measures = registry(run.study)
    if is_of_faults(run):
        return _of_faults(run, measures)
    findings = (
        *examine(run),
        *examine_saturation(run),
        *examine_companions(run),
        *examine_layers(run),
        *examine_foreign(run),
    )
    if ran_already(run.schedule):
        return _of_what_ran(run, measures, findings)
    judgements = tuple(judge(run, measures, findings))
    fork_figures = tuple(figures(run, list(measures.values())))
    primaries = [
        judgement
        for judgement in judgements
        if judgement.compared.primary and run.schedule.reference == judgement.compared.b
    ]
    alone = design_named(run.schedule.design).cell_by_cell
    why_not = [] if alone else _why_not(run, primaries)
    decided = decisions(run, judgements)
    ranked = ranks(run, judgements)
    if alone:
        sentences = tuple(ending_wordings(run))
    elif len(run.schedule.subjects) < 2:
        sentences = tuple(_single_subject_wordings(fork_figures))
    elif decided and not why_not:
        sentences = tuple(_best_subject_wordings(run, decided, measures))
    else:
        sentences = tuple(_wordings_of(run, primaries, ranked, why_not))
    verdicts = _verdicts(run, judgements, ranked, decided, fork_figures, findings, why_not, sentences)
    return Analysis(run, measures, judgements, fork_figures, findings, sentences, verdicts)


def _of_faults(run: Run, measures: dict[str, Measure]) -> Analysis:
    """The analysis of a run that injects faults: it times nothing and compares no subjects."""
    rows = fault_rows(run)
    sentences = tuple(fault_sentences(run, rows))
    why_not = [] if any(row.times for row in rows) else ["no fault was injected"]
    verdicts = _verdicts(run, (), (), [], (), (), why_not, sentences)
    return Analysis(run, measures, (), (), (), sentences, verdicts.model_copy(update={"faults": rows, "judged_by": {}}))


def _of_what_ran(run: Run, measures: dict[str, Measure], findings: tuple[Finding, ...]) -> Analysis:
    """The analysis of subjects that ran before: figures of a load or a limit, ratios of a comparison, but no verdict."""
    judgements = tuple(judge(run, measures, findings)) if len(run.schedule.subjects) > 1 else ()
    own, sentences = own_figures(run, measures), tuple(wordings(run, judgements))
    verdicts = _verdicts(run, judgements, (), [], own, findings, why_void(run), sentences)
    return Analysis(run, measures, judgements, own, findings, sentences, verdicts)


def _why_not(run: Run, primaries: Sequence[Judgement]) -> list[str]:
    """The reasons why there is no verdict at all: an instrument that is not valid, or nothing to compare."""
    if len(run.schedule.subjects) < 2:
        return []
    reasons = []
    if all(judgement.broken for judgement in primaries):
        reasons = list(dict.fromkeys(reason for judgement in primaries for reason in judgement.broken))
    if not reasons and not any(judgement.compared.ratio is not None for judgement in primaries):
        reasons += _why_no_ratio(primaries, list(_failures(run)))
    return reasons


def _verdicts(
    run: Run,
    judgements: Sequence[Judgement],
    ranked: Sequence[Ranked],
    decided: list[Decision],
    fork_figures: Sequence[ForkFigure],
    findings: Sequence[Finding],
    why_not: list[str],
    sentences: Sequence[Wording],
) -> Verdicts:
    contradicted = contradictions(run, judgements)
    whole = len(run.trials) == len(run.schedule.trials) and all(trial.status == "complete" for trial in run.trials)
    return Verdicts(
        run=run.name,
        valid=not why_not,
        why_not=why_not,
        sentence=" ".join(str(wording) for wording in sentences if not wording.detail),
        status="complete" if whole else "partial",
        comparisons=[_comparison(run, judgement) for judgement in judgements],
        ranks=[Rank(**asdict(place)) for place in ranked],
        decisions=decided,
        detections=[] if is_of_faults(run) else detections(run),
        scale=run.schedule.scale,
        judged_by={cell.name: cell.primary_measure for cell in run.schedule.cells},
        figures=[_without_fork_values(figure) for figure in fork_figures if figure.fork is None],
        operations=operation_figures(run),
        failures=list(_failures(run)),
        notes=list(_notes(run, findings, contradicted)),
        machine=machine_text(run.environment.get("machine")),
        contradictions=contradicted,
        counts=settled_counts(run),
        differences=list(differences(run, registry(run.study), fork_figures)),
        by_processors=list(processor_sentences(run, judgements, fork_figures)),
        **_layers(run),
    )


def settled_counts(run: Run) -> dict[str, dict[str, int]]:
    """Work counted by each subject's service when it last settled in each trial, summed over trials."""
    counts_of: dict[str, dict[str, int]] = {}
    for trial in run.trials:
        last = {settled.subject: settled.counts for settled in trial.record_or_empty.settled}
        for label, counts in last.items():
            sums = counts_of.setdefault(label, {})
            for name, count in counts.items():
                sums[name] = sums.get(name, 0) + count
    return counts_of


def _layers(run: Run) -> dict[str, Any]:
    """The layer fields of the verdicts; empty lists where no layers were observed."""
    broken_down = breakdowns(run)
    whole = [breakdown for breakdown in broken_down if breakdown.kind is None]
    return {
        "layers": [figure for breakdown in whole for figure in breakdown.figures],
        "layers_by_kind": [
            figure for breakdown in broken_down if breakdown.kind is not None for figure in breakdown.figures
        ],
        "slow_layers": [slow for breakdown in whole if (slow := slow_layer(breakdown)) is not None],
        "recorded": record_counts(run),
    }


def _why_no_ratio(primaries: Sequence[Judgement], failures: Sequence[TrialFailure]) -> list[str]:
    """The reasons why there is no ratio at all."""
    if failures:
        return [f"trial {failure.trial} {failure.status}: {failure.message}" for failure in failures[:1]]
    refusals = dict.fromkeys(reason for judgement in primaries for reason in judgement.compared.refusals)
    return list(refusals) or ["no pair of slices counts"]


def _wordings_of(
    run: Run, primaries: Sequence[Judgement], ranked: Sequence[Ranked], why_not: Sequence[str]
) -> list[Wording]:
    if why_not:
        return [no_verdict(why_not)]
    order = {placed.subject: place for place, placed in enumerate(ranked)}
    best_first = sorted(primaries, key=lambda judgement: order.get(judgement.compared.a, len(order)))
    together: dict[str, dict[str, list[Judgement]]] = {}
    for judgement in best_first:
        cell = judgement.compared.cell
        together.setdefault(cell.family or cell.name, {}).setdefault(judgement.compared.a, []).append(judgement)
    wordings = [wording for by_subject in together.values() for wording in _of_family(run, list(by_subject.values()))]
    if not ranked:
        return wordings
    floors = [label for label in run.schedule.subjects if label in run.floors]
    unranked = [label for label in run.schedule.subjects if label not in order and label not in floors]
    return [ranking(best_first[0].compared, ranked, floors, unranked), *wordings]


def _of_family(run: Run, by_subject: Sequence[Sequence[Judgement]]) -> Iterator[Wording]:
    """A sentence for each subject on the cells judged together; for several subjects over a grid, a summary first."""
    summed_up = len(by_subject) > 1 and all(len(judged) > 1 for judged in by_subject)
    if summed_up:
        yield over_subjects(by_subject)
    for judged in by_subject:
        wording = wording_of(run, judged[0]) if len(judged) == 1 else over_cells(judged)
        yield replace(wording, detail=summed_up)


def wording_of(run: Run, judgement: Judgement) -> Wording:
    """The sentence of one primary comparison: its verdict or why there is none, and earlier runs that contradict it."""
    if judgement.word is None:
        return no_verdict(judgement.broken, judgement.compared)
    otherwise = (contradiction_text(contradicted) for contradicted in contradictions(run, [judgement]))
    expected, held = predict_judgement(run, judgement)
    reasons = (*judgement.reasons, *otherwise)
    wording = verdict(
        judgement,
        run.schedule.margin,
        reasons,
        expected,
        holds_elsewhere=held is True,
        processors=server_processors(run, judgement.compared),
    )
    if judgement.gap is None:
        return wording
    return replace(wording, verdict=f"{upper_first(judgement.gap.sentence)}. {wording.verdict}")


def _best_subject_wordings(run: Run, decided: Sequence[Decision], measures: Mapping[str, Measure]) -> Iterator[Wording]:
    """A sentence for each environment: the best subjects by the load's shape and payload."""
    scaled = f"; times scaled by {run.schedule.scale:g}" if run.schedule.scale != 1 else ""
    for operation in dict.fromkeys(decision.operation for decision in decided):
        mine = [decision for decision in decided if decision.operation == operation]
        names = [test.test for decision in mine for test in decision.tests]
        loads: dict[str, list[str]] = {}
        alike = Counter((decision.shape, decision.bytes) for decision in mine)
        for decision in mine:
            # Where not all subjects ran in all tests, the shape alone does not identify the tests.
            own = f" ({label_names('test', [test.test for test in decision.tests])})"
            load = IN_A_SENTENCE[decision.shape] + own * (alike[decision.shape, decision.bytes] > 1)
            loads.setdefault(decision.sentence, []).append(load)
        places = "; ".join(f"under {join_words(list(dict.fromkeys(them)))}: {best}" for best, them in loads.items())
        quantity = judged_by([cell for cell in run.schedule.cells if cell.name in names], measures)
        yield Wording(f"On {operation}, by {quantity}, {NOW}, best {places}", label_names("test", names) + scaled)


def _single_subject_wordings(fork_figures: Sequence[ForkFigure]) -> Iterator[Wording]:
    """The sentences of a run with one subject, which has no comparison."""
    for figure in fork_figures:
        if figure.fork is None and figure.cell.primary and figure.measure.name == figure.cell.primary_measure:
            value = figure.refusal if figure.value is None else f"{value_text(figure.value)} {figure.measure.unit}"
            interval = f"95% interval {range_text(figure.bounds)}, " if figure.bounds else ""
            size = f"{interval}{plural(figure.forks, 'fork')}"
            figure_name = f"{figure.measure.title.lower()} of {figure.subject} on {figure.cell.name}"
            yield Wording(f"{upper_first(figure_name)}: {value}", size, "There is no other subject to compare it with.")


def _failures(run: Run) -> Iterator[TrialFailure]:
    for trial in run.trials:
        if trial.status == "complete":
            continue
        if trial.damage is not None:
            message = f"its files are damaged, so the trial is left out: {trial.damage}"
            yield TrialFailure(trial=trial.number, status="damaged", kind="damaged", subject=None, message=message)
            continue
        failure = trial.record_or_empty.failure
        yield TrialFailure(
            trial=trial.number,
            status=trial.status,
            kind=failure.kind if failure else "killed",
            subject=failure.subject if failure else None,
            message=failure.message if failure else "Steelyard ended before the trial was recorded",
            place=failure.place if failure else None,
        )


def _notes(run: Run, findings: Sequence[Finding], contradicted: Sequence[ContradictedRun]) -> Iterator[str]:
    if run.schedule.scale != 1:
        yield (
            f"test times were scaled by {run.schedule.scale:g}, except held steps and bursts, which keep a minimum length; "
            "effects that need a longer load were not observed"
        )
    yield from missing(run)
    begun, planned = sum(trial.status == "complete" for trial in run.trials), len(run.schedule.trials)
    if begun < planned:
        yield f"{begun} of {plural(planned, 'planned trial')} were completed"
    for omission in run.schedule.left_out:
        yield f"shortened to fit {(run.schedule.budget_seconds or 0) / 60:.3g} minutes: {_kept_pairs_text(omission)}"
    yield from _cut_short(run)
    for measure, why in run.schedule.not_judged.items():
        yield f"not judged: {measure} ({why})"
    for label in sorted(run.floors):
        yield f"{label} is a floor: it reads no XML and only moves bytes, so it shows the cost of HTTP alone"
    if run.unusual_jdks:
        on = ", ".join(f"{label} ran on JDK {major}" for label, major in run.unusual_jdks.items())
        yield f"the subjects ran on different JDKs: {on}; a difference may be due to the JDK"
    yield from _unfinished_work_sentences(run)
    yield from _memory_sentences(run)
    yield from machine_notes(run)
    yield from _unsteady(run)
    yield from _in_stretches(run)
    yield from _at_once(run)
    yield from _open_tails(run)
    if any(not kind_of(cell).sliced for cell in run.schedule.cells):  # the verdict's sentence covers all tests together
        yield from (
            f"{contradiction.a} against {contradiction.b} on {contradiction.cell}: {contradiction_text(contradiction)}"
            for contradiction in contradicted
        )
    for trial in run.trials:
        for sample in trial.record_or_empty.wrong_samples:
            where = f"{sample.subject}, {sample.operation}, trial {trial.number}, slice {sample.slice}"
            yield f"wrong answer: {where}: {sample.message}"
    yield from _warning_sentences(findings)


def _warning_sentences(findings: Sequence[Finding]) -> Iterator[str]:
    """The warnings of the checks, check by check. Many warnings of one check become one sentence with their number."""
    by_check: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.level is Level.WARNING:
            by_check.setdefault(finding.check, []).append(finding)
    for check, alike in by_check.items():
        if len(alike) <= _MOST_ALIKE:
            yield from (finding.reason for finding in alike)
        else:
            yield f"{check}: {len(alike)} warnings of the instrument's checks, for example: {alike[0].reason}"


def _unfinished_work_sentences(run: Run) -> Iterator[str]:
    """Where background work did not finish in time, and which figures are missing therefore."""
    for trial in run.trials:
        for subject, number in trial.unfinished_slices.items():
            yield (
                f"background work of {subject} did not finish within the wait after {trial.plans[number].cell} in "
                f"trial {trial.number}: its duration is unknown, and no later load in that trial counts"
            )


def missing(run: Run) -> list[str]:
    """The setup files that are missing in the run folder, each with the facts that are unknown without it."""
    return [f"{name} is missing: {unknown}" for name, unknown in _TELLING.items() if not is_stored(run.folder / name)]


def _cut_short(run: Run) -> Iterator[str]:
    """Trials whose share of the budget ended before they had all pairs, because warm-up took longer than planned."""
    planned, whole = run.schedule.pairs_per_cell, [trial for trial in run.trials if trial.status == "complete"]
    if run.schedule.budget_seconds is None or not all(kind_of(cell).sliced for cell in run.schedule.cells):
        return
    # Stretches are fewer than the schedule's pairs by their own plan.
    in_pairs = [trial for trial in whole if not trial.record_or_empty.stretches]
    pairs = [len({plan.pair for plan in trial.plans.values() if plan.pair is not None}) for trial in in_pairs]
    fewer = sorted(count for count in pairs if count < planned)
    if fewer:
        after = " to ".join(dict.fromkeys(map(str, (fewer[0], fewer[-1]))))
        starts = f"{len(fewer)} of {plural(len(whole), 'start')}"
        yield (
            f"shortened to fit {run.schedule.budget_seconds / 60:.3g} minutes: {starts} ended after {after} of "
            f"{plural(planned, 'pair')}, because warm-up took longer than planned"
        )


def _kept_pairs_text(left_out: str) -> str:
    """What remains of the schedule's plan: "5 of 6 pairs per start" for the left-out text "1 of 6 pairs a fork"."""
    counts = re.fullmatch(r"(\d+) of (\d+) (fork|pair)s?( a fork)?", left_out)
    if counts is None:
        return f"without {left_out}"
    whole = int(counts[2])
    of_what = plural(whole, {"fork": "fresh start", "pair": "pair"}[counts[3]])
    return f"{whole - int(counts[1])} of {of_what}{' per start' if counts[4] else ''}"


def _memory_sentences(run: Run) -> Iterator[str]:
    """The subjects that ran out of memory and kept running. Their later figures are those of a server in distress."""
    by_subject_and_load: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for trial in run.trials:
        for distress in trial.record_or_empty.distress:
            seen = by_subject_and_load.setdefault((distress.subject, load_text(distress.place)), [])
            seen.append((trial.number, distress.message))
    for (subject, load), seen in by_subject_and_load.items():
        trials = label_names("trial", list(dict.fromkeys(number for number, _ in seen)))
        slices = f"{plural(len(seen), 'slice')} of {trials}"
        yield f"{subject} ran out of memory but kept running, {load}, in {slices}: {seen[0][1]}"


def _unsteady(run: Run) -> Iterator[str]:
    """The subjects that reached no steady state, with loads and trials. Subjects with the same result share a line.

    The warm-up of a test counts for all tests of its operation and is named after the operation.
    """
    if design_named(run.schedule.design).unbroken:
        return
    loads = {cell.name: cell.name if kind_of(cell).sliced else cell.operation for cell in run.schedule.cells}
    missed: dict[str, dict[str, list[int]]] = {}
    starts: dict[tuple[str, str], set[int]] = {}
    longest: dict[str, float] = {}
    for trial in run.trials:
        for steady in trial.record_or_empty.steady:
            starts.setdefault((steady.subject, loads[steady.cell]), set()).add(trial.number)
            if not steady.met:
                missed.setdefault(steady.subject, {}).setdefault(loads[steady.cell], []).append(trial.number)
                longest[steady.subject] = max(steady.seconds, longest.get(steady.subject, 0.0))
    alike: dict[str, list[str]] = {}
    for subject, by_load in missed.items():
        by_trials: dict[tuple[int, tuple[int, ...]], list[str]] = {}
        for load, trials in by_load.items():
            by_trials.setdefault((len(starts[subject, load]), tuple(dict.fromkeys(trials))), []).append(load)
        where = "; ".join(_settling_text(count, trials, on) for (count, trials), on in by_trials.items())
        alike.setdefault(where, []).append(subject)
    for where, subjects in alike.items():
        given = [longest[subject] for subject in subjects]
        low, high = f"{min(given):.0f}", f"{max(given):.0f}"
        yield f"{', '.join(subjects)}, given {low if low == high else f'{low} to {high}'} s to settle, {where}"


def _settling_text(starts: int, missed: Sequence[int], loads: Sequence[str]) -> str:
    """In how many starts a subject settled, such as "settled in 3 of 4 starts on echoStruct (not in trial 2)"."""
    if len(missed) == starts:
        return f"settled in none of {plural(starts, 'start')} on {', '.join(loads)}"
    share = f"{starts - len(missed)} of {plural(starts, 'start')}"
    return f"settled in {share} on {', '.join(loads)} (not in {label_names('trial', missed)})"


def _open_tails(run: Run) -> Iterator[str]:
    """How the tails of open load were measured. Threads that keep processors awake may delay others."""
    shared = run.environment.get("processors_shared")
    if not isinstance(shared, Mapping) or all(cell.profile.kind != "rate" for cell in run.schedule.cells):
        return
    awake = shared.get("awake")
    spinning = "no processor kept awake"
    if awake:
        spinning = (
            "only the engine's processors kept awake"
            if awake == shared.get("engine") != shared.get("server")
            else "all processors kept awake"
        )
    yield f"the tails of open load were measured with {spinning}: their absolute values hold for this machine only"


def _in_stretches(run: Run) -> Iterator[str]:
    """Slices that ran in stretches instead of turns: answers were too slow for turns, or a subject worked without requests."""
    by_cell: dict[str, tuple[int, int]] = {}
    for cell in run.schedule.cells:
        if not may_take_turns(run.schedule, cell):
            continue
        measured = [
            trial.unbroken(plan.number)
            for trial in run.trials
            if len(trial.planned.start_order) > 1
            for plan in trial.plans.values()
            if plan.phase == "measure" and plan.cell == cell.name and plan.number in trial.slices
        ]
        if any(measured):
            by_cell[cell.where] = sum(measured), len(measured)
    if by_cell:
        where = join_words([f"{fell} of {plural(whole, 'slice')} on {name}" for name, (fell, whole) in by_cell.items()])
        busy = sorted(
            {
                rest.subject
                for trial in run.trials
                for rest in trial.record_or_empty.at_rest
                if rest.share > QUIET_AT_REST
            }
        )
        why = f"{join_words(busy)} used processor time without requests" if busy else "answers are too slow"
        yield (
            f"{where} took no turns, because {why}: each subject had the machine for one stretch, so a disturbance "
            "of the machine affected one subject alone"
        )


def _at_once(run: Run) -> Iterator[str]:
    """The processors of subjects that were loaded at the same time, and what they shared."""
    if design_named(run.schedule.design).halves:
        each = "" if run.server_processors is None else f" of {plural(run.server_processors, 'processor')}"
        yield (
            f"both subjects were loaded at the same time, each on its own half{each}: "
            "they shared the last-level cache, the memory's bandwidth and the power that sets the clock speed"
        )


def _comparison(run: Run, judgement: Judgement) -> Comparison:
    compared = judgement.compared
    expected, held = predict_judgement(run, judgement)
    return Comparison(
        a=compared.a,
        b=compared.b,
        cell=compared.cell.name,
        operation=compared.cell.operation,
        measure=compared.measure.name,
        unit=compared.measure.unit,
        primary=compared.primary,
        verdict=None if judgement.word is None else judgement.word.value,
        direction=None if judgement.direction is None else judgement.direction.value,
        ratio=compared.ratio,
        interval=compared.bounds,
        confidence=compared.confidence,
        forks=len(compared.counted_forks),
        pairs=compared.pairs,
        voided_pairs=compared.voided.total(),
        voided=dict(sorted(compared.voided.items())),
        why_not=[*judgement.broken, *judgement.reasons],
        failures_differ=judgement.gap.failure_gap if judgement.gap else None,
        elsewhere=expected,
        holds_elsewhere=held,
    )


def _without_fork_values(figure: ForkFigure) -> Figure:
    return Figure(
        subject=figure.subject,
        cell=figure.cell.name,
        operation=figure.cell.operation,
        measure=figure.measure.name,
        title=figure.measure.title,
        unit=figure.measure.unit,
        value=figure.value,
        interval=figure.bounds,
        forks=figure.forks,
        refusal=figure.refusal,
    )


def table(verdicts: Verdicts) -> Table:
    """The terminal table: the judged figures by subject and operation, with intervals, ratios and verdicts.

    Each row names its measure where cells are judged by different ones.
    """
    grid = Table(title=None, show_edge=False, pad_edge=False)
    grid.add_column("operation")
    grid.add_column("subject")
    titles = _judged_titles(verdicts)
    several = len(titles) > 1
    if several:
        grid.add_column("measure")
    value = "value" if several else next(iter(titles.values()), "")
    for heading in (value, "interval", *(("ratio", "interval") if verdicts.comparisons else ())):
        grid.add_column(heading, justify="right")
    if verdicts.comparisons:
        grid.add_column("verdict")
    compared: dict[tuple[str, str], Comparison] = {}
    for comparison in verdicts.comparisons:
        if comparison.measure == verdicts.judged_by.get(comparison.cell):
            compared.setdefault((comparison.cell, comparison.a), comparison)  # those against the reference come first
    shown = [figure for figure in verdicts.figures if _is_judged(verdicts, figure)]
    order = list(
        dict.fromkeys(
            [comparison.cell for comparison in verdicts.comparisons if comparison.primary]
            + [figure.cell for figure in shown]
        )
    )
    for cell in order:
        for place, figure in enumerate(figure for figure in shown if figure.cell == cell):
            name = cell if cell.startswith(figure.operation) else f"{cell}: {figure.operation}"
            measure = (titles[figure.measure],) if several else ()
            cells = (name if not place else "", figure.subject, *measure, *_figure_cells(figure))
            beside = _comparison_cells(compared.get((cell, figure.subject))) if verdicts.comparisons else ()
            grid.add_row(*(Text(text) for text in (*cells, *beside)))
    return grid


def _judged_titles(verdicts: Verdicts) -> dict[str, str]:
    """The judged measures with their units, by name; throughput by its unit alone."""
    return {
        figure.measure: figure.unit if figure.measure == "throughput" else f"{figure.title}, {figure.unit}"
        for figure in verdicts.figures
        if _is_judged(verdicts, figure)
    }


def _is_judged(verdicts: Verdicts, figure: Figure) -> bool:
    return figure.measure == verdicts.judged_by.get(figure.cell)


def decision_table(verdicts: Verdicts) -> Table:
    """The terminal table of the best server under each load: a row per decision."""
    grid = Table("operation", "load", "request", "tests", "best", title=None, show_edge=False, pad_edge=False)
    for decision in verdicts.decisions:
        size = "" if decision.bytes is None else f"{decision.bytes:,} B"
        tests = ", ".join(test.test for test in decision.tests)
        grid.add_row(*(Text(text) for text in (decision.operation, decision.shape, size, tests, decision.sentence)))
    return grid


def layer_table(verdicts: Verdicts) -> Table:
    """The terminal table of layers: mean ms per request with interval and share, for all requests and for each kind."""
    grid = Table("operation", "subject", "requests", "layer", title=None, show_edge=False, pad_edge=False)
    for heading in ("ms", "interval", "%"):
        grid.add_column(heading, justify="right")
    for figure in (*verdicts.layers, *verdicts.layers_by_kind):
        texts = (figure.cell, figure.subject, figure.kind or "all", figure.title)
        grid.add_row(
            *(Text(text) for text in texts), value_text(figure.ms), range_text(figure.interval), f"{figure.percent:.1f}"
        )
    return grid


def _figure_cells(figure: Figure) -> tuple[str, str]:
    if figure.value is None:
        return "-", figure.refusal or ""
    return value_text(figure.value), range_text(figure.interval)


def _comparison_cells(comparison: Comparison | None) -> tuple[str, str, str]:
    if comparison is None:
        return "", "", ""
    if comparison.ratio is None:
        return "-", "", "; ".join(alike_together(comparison.why_not))
    without = "secondary" if not comparison.primary else "not valid" if comparison.why_not else "figures only"
    word = verdict_text(comparison.verdict or without, comparison.direction)
    interval = (
        ""
        if comparison.interval is None
        else " to ".join(ratio_text(bound, comparison.interval) for bound in comparison.interval)
    )
    return ratio_text(comparison.ratio, comparison.interval), interval, f"{word} (against {comparison.b})"

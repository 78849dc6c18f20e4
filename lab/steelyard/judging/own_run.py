"""The folder of a run with slices (`run`, `compare`, `find-limit`): each subject's figures under each load, from its raw files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..analyse.analysis import Analysis, analyse_run
from ..analyse.as_it_runs import ran_already
from ..analyse.figures import ForkFigure
from ..analyse.instrument import Level
from ..analyse.load_figures import failed_of, kinds_of
from ..analyse.pairing import slice_voids
from ..analyse.ratios import fork_slices
from ..base import histogram
from ..base.csvfiles import is_stored
from ..base.errors import ConfigurationError
from ..base.text import plural
from ..models.job import BigBang, FixedWork
from ..models.outputs.loading import Estimate, LoadedOperation
from ..models.outputs.other_tools import JudgedFile, JudgedRows
from ..models.records import Cell, Schedule, SlicePlan
from ..plan.kinds import unbroken
from ..results.loads import LOAD
from ..results.outcomes import CARRIED, MEASURED, RIGHT, UNANSWERED, OutcomeRow, by_status, total_counts
from ..results.stored_run import Run, Trial, read_model, read_run
from ..results.tables import SliceRow
from .limits import ONE_PROCESS, THIS_HOUR, Holds
from .parts import Selection

TITLE = "Steelyard (run)"
SCHEDULE = "schedule.json"
WARM_UP = "sent before the measured slices"
OUTSIDE = "sent outside the measured time of slices that count"
_FAILED = "its trial failed"
_NOT_PAIRED = "its pair, or its whole trial, does not count"
_ONE_START = "an interval needs two fresh starts"
_RESPONSE_TIME = "response_time_"


@dataclass(frozen=True)
class JudgedRun:
    """A run's figures by load and subject, and the sentence of its own comparison (empty: it has none)."""

    files: list[JudgedFile]
    sentence: str


@dataclass(frozen=True)
class _Counted:
    """The slices of a subject under a load that count: each with its trial."""

    slices: Sequence[tuple[Trial, SliceRow]]

    @property
    def names(self) -> frozenset[tuple[int, int]]:
        """The numbers of trial and slice."""
        return frozenset((trial.number, row.slice) for trial, row in self.slices)

    def outcomes(self) -> Iterator[OutcomeRow]:
        """How requests ended that ended in the measured time, and those never answered; none of older runs."""
        for trial, row in self.slices:
            for outcome in trial.outcomes.get(row.slice, ()):
                if outcome.ended in (CARRIED, MEASURED) or outcome.outcome == UNANSWERED:
                    yield outcome


def is_run(place: Path) -> bool:
    """Whether a path is the folder of a run with a schedule, kept or not, other than that of a load with its outcome."""
    return place.is_dir() and is_stored(place / SCHEDULE) and not is_stored(place / LOAD)


def judge_run(folder: Path, selection: Selection) -> JudgedRun:
    """The figures of a run, computed again; nothing is written. Raises ConfigurationError, StoreError and MeasureError."""
    if not selection.is_everything:
        raise ConfigurationError(
            f"{folder} is a run whose measured time is fixed", hint="remove --skip, --part and --for"
        )
    if read_model(Schedule, folder / SCHEDULE).faults:
        raise ConfigurationError(
            f"{folder} injects faults and times nothing", hint=f"see its own outcome: steelyard report {folder}"
        )
    run = read_run(folder)
    analysis = analyse_run(run)
    files = [
        _file(analysis, cell, subject)
        for cell in run.schedule.cells
        for subject in run.schedule.subjects_in(cell)
        if any(trial.measured_slices.get((cell.name, subject)) for trial in run.trials)
    ]
    if not files:
        raise ConfigurationError(
            f"{folder} has no measured slice", hint=f"continue it: steelyard run --resume {folder}"
        )
    return JudgedRun(files, analysis.verdicts.sentence)


def _file(analysis: Analysis, cell: Cell, subject: str) -> JudgedFile:
    run = analysis.run
    counted = _Counted(
        [(trial, trial.slices[number]) for trial, numbers in fork_slices(run, cell, subject) for number in numbers]
    )
    failures: Counter[str] = Counter()
    for _, row in counted.slices:
        failures.update(_failures(row))
    figures = {
        figure.measure.name: figure
        for figure in analysis.figures
        if figure.fork is None and (figure.subject, figure.cell.name) == (subject, cell.name)
    }
    closed = isinstance(cell.profile, BigBang | FixedWork)
    return JudgedFile(
        file=str(run.folder),
        subject=subject,
        load=cell.name,
        tool=TITLE,
        recognized_by=f"the file {SCHEDULE}",
        holds=Holds.SLICES,
        seconds=round(sum(row.seconds for _, row in counted.slices)),
        completed=sum(row.completed for _, row in counted.slices),
        failed=failures.total(),
        failures=_by_frequency(failures),
        users=(cell.users, cell.users) if closed else None,
        throughput_per_s=_estimate(run, figures.get("throughput")),
        response_ms={
            figure.measure.short: _estimate(run, figure)
            for name, figure in figures.items()
            if name.startswith(_RESPONSE_TIME)
        },
        operations=_operations(counted),
        course=_steadiness_sentence(run, cell, subject),
        notes=_notes(analysis, cell, subject, counted),
        rows=_rows(run, cell, subject, counted),
        codes={str(status): count for status, count in by_status(counted.outcomes()).items()},
        messages=_messages(counted),
        transactions=[],
        parts=1,
        cannot_say=[ONE_PROCESS if ran_already(run.schedule) else THIS_HOUR],
    )


def _failures(row: SliceRow) -> Mapping[str, int]:
    """Requests of a slice without a right answer, by kind; those never answered are among them."""
    return {**kinds_of(row), **({UNANSWERED: row.dropped} if row.dropped else {})}


def _by_frequency(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _estimate(run: Run, figure: ForkFigure | None) -> Estimate:
    if figure is None:
        return Estimate(value=None, why_not="the run has no such figure")
    if figure.value is None or figure.bounds is None:
        single = _ONE_START if figure.forks < 2 and not ran_already(run.schedule) else None
        return Estimate(value=figure.value, why_not=figure.refusal or single)
    return Estimate(value=figure.value, low=figure.bounds[0], high=figure.bounds[1])


def _rows(run: Run, cell: Cell, subject: str, counted: _Counted) -> JudgedRows:
    """Every request that was sent to a subject under a load: counted, or left out with a reason."""
    read, inside, names = 0, 0, counted.names
    left_out: Counter[str] = Counter()
    for trial in run.trials:
        for plan in trial.plans.values():
            row = trial.slices.get(plan.number)
            if row is None or (plan.cell, plan.subject) != (cell.name, subject):
                continue
            sent = total_counts(row).total
            read += sent
            if plan.phase != "measure":
                left_out[WARM_UP] += sent
            elif (trial.number, plan.number) in names:
                own = row.completed + failed_of(row) + row.dropped
                inside += own
                left_out[OUTSIDE] += sent - own
            else:
                left_out[f"sent in slices that do not count: {_why_void(run, cell, trial, plan)}"] += sent
    return JudgedRows(read=read, counted=inside, left_out=_by_frequency(+left_out))


def _why_void(run: Run, cell: Cell, trial: Trial, plan: SlicePlan) -> str:
    voids = slice_voids(trial, plan.number, unbroken=unbroken(run.schedule, cell))
    if voids:
        return voids[0].value
    return _FAILED if trial.status == "failed" else _NOT_PAIRED


def _operations(counted: _Counted) -> list[LoadedOperation]:
    """Each operation within the measured time; none of older runs, which do not count by operation."""
    right: Counter[str] = Counter()
    failures: dict[str, Counter[str]] = {}
    for outcome in counted.outcomes():
        bad = failures.setdefault(outcome.operation, Counter())
        if outcome.outcome == RIGHT:
            right[outcome.operation] += outcome.count
        else:
            bad[outcome.outcome] += outcome.count
    return [
        LoadedOperation(
            operation=name,
            completed=right[name],
            failed=failures[name].total(),
            failures=_by_frequency(failures[name]),
            mean_ms=_mean_ms(counted, name),
        )
        for name in sorted(failures)
    ]


def _mean_ms(counted: _Counted, operation: str) -> float | None:
    times = histogram.merge_histograms(
        trial.histogram([row.slice], "response", operation) for trial, row in counted.slices
    )
    return times.mean() / 1000 if times.total else None


def _messages(counted: _Counted) -> dict[str, int]:
    """The causes of failed requests, where the engine knew more than their kind."""
    causes: Counter[str] = Counter()
    for outcome in counted.outcomes():
        if outcome.outcome != RIGHT and outcome.cause:
            causes[outcome.cause] += outcome.count
    return _by_frequency(causes)


def _steadiness_sentence(run: Run, cell: Cell, subject: str) -> str:
    """In how many fresh starts the subject was in a steady state before it was measured."""
    warm_ups = [
        steady
        for trial in run.trials
        for steady in trial.record_or_empty.steady
        if (steady.subject, steady.cell) == (subject, cell.name)
    ]
    if not warm_ups:
        return "the run has no warm-up of its own for this load"
    met = sum(steady.met for steady in warm_ups)
    return f"it reached a steady state before it was measured in {met} of {plural(len(warm_ups), 'fresh start')}"


def _notes(analysis: Analysis, cell: Cell, subject: str, counted: _Counted) -> list[str]:
    """What the figures rest on, and what the checks of the instrument found."""
    starts = len({trial.number for trial, _ in counted.slices})
    basis = f"{plural(len(counted.slices), 'slice')} of {plural(starts, 'trial')} count"
    own = [
        finding
        for finding in analysis.findings
        if finding.cell == cell.name and finding.subject in (None, subject) and finding.reason
    ]
    broken = dict.fromkeys(finding.reason for finding in own if finding.level is Level.INVALID)
    warnings = dict.fromkeys(finding.reason for finding in own if finding.level is Level.WARNING)
    checks = f"its own checks of the instrument failed: {'; '.join(broken)}" if broken else "its own checks passed"
    return [basis, checks, *warnings]

"""Badges on the first screen: short caveats that link to their sections."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..analyse.analysis import Analysis
from ..analyse.instrument import Level
from ..base.text import plural
from ..plan.designs import design_named
from ..results.stored_run import Run

COLLECTOR_FACTOR = "gc"


@dataclass(frozen=True)
class Badge:
    """`words` are shown; `explanation` is the tooltip, also read aloud; `anchor` is the section with details."""

    words: str
    explanation: str
    anchor: str


def badges(analysis: Analysis) -> Iterator[Badge]:
    """The badges, most serious first; none where there are no caveats."""
    run = analysis.run
    if analysis.verdicts.status == "partial":
        yield Badge("partial run", "not all planned trials were completed", "caveats")
    if failures := analysis.verdicts.failures:
        kinds = ", ".join(dict.fromkeys(failure.kind for failure in failures))
        yield Badge(plural(len(failures), "failed trial"), kinds, "failures")
    if run.schedule.scale != 1:
        yield Badge(f"times scaled by {run.schedule.scale:g}", "the study's tests were shortened", "caveats")
    yield from _warming(run)
    yield from _noisy(analysis)
    yield from _collectors(run)
    if run.unusual_jdks:
        explanation = ", ".join(f"{label} on JDK {major}" for label, major in run.unusual_jdks.items())
        yield Badge("different JDKs", explanation, "caveats")
    if run.schedule.left_out:
        yield Badge("shortened", "the budget was too short for all that was planned", "caveats")
    if analysis.verdicts.contradictions:
        yield Badge(
            "contradicts an earlier run", "an earlier run of the same question found a different result", "caveats"
        )
    caveats = len(analysis.verdicts.notes)
    if caveats:
        yield Badge(plural(caveats, "caveat"), "other caveats", "caveats")


def _warming(run: Run) -> Iterator[Badge]:
    if design_named(run.schedule.design).unbroken:
        return
    steady = [each for trial in run.trials for each in trial.record_or_empty.steady]
    missed = [each for each in steady if not each.met]
    if missed:
        unsettled = ", ".join(dict.fromkeys(each.subject for each in missed))
        yield Badge(
            "still warming up",
            f"{len(missed)} of {plural(len(steady), 'warm-up')} did not settle: {unsettled}",
            "caveats",
        )


def _noisy(analysis: Analysis) -> Iterator[Badge]:
    """Time taken by the host, or other work on the machine before trials."""
    stolen = [
        finding
        for finding in analysis.findings
        if finding.subject is None and finding.level in (Level.WARNING, Level.INVALID)
    ]
    checks = {check.name for trial in analysis.run.trials for check in trial.record_or_empty.machine if not check.good}
    if stolen or checks:
        explanation = "; ".join([*dict.fromkeys(finding.reason for finding in stolen), *sorted(checks)])
        yield Badge("noisy host", explanation, "instrument")


def _collectors(run: Run) -> Iterator[Badge]:
    """Different garbage collectors of subjects that report theirs."""
    collectors = {
        subject.label: str(subject.factors[COLLECTOR_FACTOR])
        for trial in run.trials
        for subject in trial.record_or_empty.subjects
        if COLLECTOR_FACTOR in subject.factors
    }
    if len(set(collectors.values())) > 1:
        sharing: dict[str, list[str]] = {}
        for label, collector in collectors.items():
            sharing.setdefault(collector, []).append(label)
        explanation = "; ".join(f"{collector}: {', '.join(labels)}" for collector, labels in sharing.items())
        yield Badge("different collectors", explanation, "setup")

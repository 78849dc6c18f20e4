"""The validity of the instrument: its checks by subject, and the machine before each trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...analyse.analysis import Analysis
from ...analyse.as_it_runs import ran_already
from ...analyse.instrument import Finding
from ...results.stored_run import Run
from ..section import Section
from ..subjects import cells, full_label


@dataclass(frozen=True)
class CheckRow:
    """A line of the validity panel: one subject in one cell, and a finding per check (None for none)."""

    cell: str
    subject: str
    findings: tuple[Finding | None, ...]


def content(analysis: Analysis) -> Mapping[str, object]:
    """Always shown."""
    return {
        "judged": not ran_already(analysis.run.schedule),
        "check_names": list(dict.fromkeys((finding.check, finding.limit) for finding in analysis.findings)),
        "checks": list(_check_rows(analysis)),
        "machine_checks": list(_machine_checks(analysis.run)),
        "clocks": list(_clocks(analysis.run)),
    }


def _check_rows(analysis: Analysis) -> Iterator[CheckRow]:
    """One row per subject and cell; findings about the machine are in all rows of their cell."""
    names = list(dict.fromkeys(finding.check for finding in analysis.findings))
    for cell in cells(analysis.run):
        for subject in analysis.run.schedule.subjects:
            by_check = {
                item.check: item
                for item in analysis.findings
                if item.cell == cell.name and item.subject in (subject, None)
            }
            if by_check:
                yield CheckRow(
                    cell.name, full_label(analysis.run, subject), tuple(by_check.get(name) for name in names)
                )


def _machine_checks(run: Run) -> Iterator[tuple[str, ...]]:
    for trial in run.trials:
        for check in trial.record_or_empty.machine:
            yield (
                str(trial.number),
                check.name,
                check.found,
                "yes" if check.good else "no",
                "" if check.good else check.advice,
            )


def _clocks(run: Run) -> Iterator[tuple[str, ...]]:
    """Trial, host, the lead of its clock in ms before and after, and its drift, each with its uncertainty."""
    for trial in run.trials:
        for clock in trial.record_or_empty.clocks:
            looks = [
                (look.ahead_ms, look.within_ms) if look is not None else None for look in (clock.before, clock.after)
            ]
            known = clock.drift_ppm is not None and clock.drift_within_ppm is not None
            drift = (clock.drift_ppm or 0.0, clock.drift_within_ppm or 0.0) if known else None
            yield str(trial.number), clock.host, *(_uncertainty_text(each) for each in (*looks, drift))


def _uncertainty_text(known: tuple[float, float] | None) -> str:
    return "" if known is None else f"{known[0]:.3f} \u00b1 {known[1]:.3f}"


SECTION = Section("instrument", content, of_running=True)

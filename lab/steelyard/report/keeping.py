"""A kept run: a small copy of a stored run that gives the same report to the byte (contracts/kept-run.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..analyse import indices
from ..analyse.analysis import Analysis, analyse_run, write_figures
from ..analyse.measures import registry
from ..base import raw_archive
from ..base.csvfiles import is_stored, read_bytes, write_bytes
from ..base.errors import StoreError
from ..base.temporary_folder import temporary_folder
from ..results.keeping import raw_files
from ..results.stored_run import Run, read_run
from . import EXPORTED, FILE_NAME
from .page import html_of
from .sections.notes import NOTES

MADE = frozenset({"results.csv", "verdicts.json", FILE_NAME, indices.FILE_NAME})


def keep(run_folder: Path, to: Path) -> Path:
    """Keep the run in the new folder `to`; raises StoreError, also where its report would change.

    The folder has the archive of raw files and, as text, the figures, the verdicts and the notes. The page is not stored;
    `steelyard report` makes it.
    """
    run = read_run(run_folder)
    if (damage := next((trial.damage for trial in run.trials if trial.damage is not None), None)) is not None:
        raise StoreError(
            f"a run with a damaged trial cannot be kept: {damage}",
            hint=f"`steelyard run --resume {run_folder}` drives it again",
        )
    if to.exists():
        raise StoreError(f"{to} exists already", hint="name a new folder for the kept run")
    if run_folder.resolve() in to.resolve().parents:
        raise StoreError(f"{to} is inside the run to keep", hint="name a folder outside of it")
    to.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(to.parent) as scratch:
        made = scratch / to.name
        made.mkdir()
        files = raw_files(run, _kinds(run.study), leave_out=MADE | EXPORTED | {NOTES})
        raw_archive.write_archive(made / raw_archive.NAME, files)
        if is_stored(run_folder / NOTES):
            write_bytes(made / NOTES, read_bytes(run_folder / NOTES))
        _write_outputs(replace(run, folder=made), made)
        made.rename(to)
    return to


def _kinds(study: Mapping[str, Any]) -> frozenset[str]:
    """The kinds of histograms that the measures read."""
    formulas = [measure.formula for measure in registry(study).values()]
    return frozenset(
        kind for formula in formulas for kind in (*(kind for kind, _ in formula.percentiles), *formula.deviations)
    )


def _write_outputs(whole: Run, made: Path) -> None:
    """Write the text outputs into the kept run's folder; raises StoreError where they differ from those of the whole run."""
    analysis = analyse_run(read_run(made))
    if _outputs(analysis) != _outputs(analyse_run(whole)):
        raise StoreError(
            f"the kept run of {made.name} would give another report than the run itself",
            hint="this is a defect of Steelyard: please report it",
        )
    write_figures(analysis, made)
    indices.write(analysis, made)


def _outputs(analysis: Analysis) -> tuple[object, ...]:
    return analysis.verdicts, [figure.row() for figure in analysis.figures], html_of(analysis)

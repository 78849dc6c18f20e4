"""A kept run: a stored one made small, which says to the byte what the whole one says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..analyse import indices
from ..analyse.analysis import Analysis, examined, write_figures
from ..analyse.measures import registry
from ..base.csvfiles import packed_place, write_text
from ..base.errors import StoreError
from ..results.keeping import compact, put
from ..results.stored_run import Run, read_run
from . import EXPORTED, FILE_NAME
from .page import html_of

MADE = frozenset({"results.csv", "verdicts.json", FILE_NAME, indices.FILE_NAME})


def keep(run_folder: Path, to: Path) -> Path:
    """Keep the run in the folder `to`, small, with its report made anew; raises StoreError, also where that would say less.

    A run that is kept already may be kept in its own place: what the rules of today say of it then stands there.
    """
    run = read_run(run_folder)
    again = to.resolve() == run_folder.resolve() and _is_kept(run)
    if to.exists() and not again:
        raise StoreError(f"{to} is there already", hint="name a new folder for the kept run")
    if run_folder.resolve() in to.resolve().parents:
        raise StoreError(f"{to} lies in the run that is to be kept", hint="name a folder beside it")
    to.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=to.parent, prefix=f".{to.name}.") as scratch:
        made = Path(scratch) / to.name
        compact(run, made, _kinds(run.study), leave_out=MADE | EXPORTED)
        _make_outputs(replace(run, folder=made), made)
        if again:
            to.rename(Path(scratch) / "before")
        made.rename(to)
    return to


def _is_kept(run: Run) -> bool:
    return all(packed_place(trial.folder / "slices.csv").exists() for trial in run.trials)


def _kinds(study: Mapping[str, Any]) -> frozenset[str]:
    """The kinds of histograms that some measure reads."""
    formulas = [measure.formula for measure in registry(study).values()]
    return frozenset(
        kind for formula in formulas for kind in (*(kind for kind, _ in formula.percentiles), *formula.deviations)
    )


def _make_outputs(whole: Run, made: Path) -> None:
    """Write what the kept run says into its folder; raises StoreError where the whole run says anything else."""
    analysis = examined(read_run(made))
    if _said(analysis) != _said(examined(whole)):
        raise StoreError(
            f"kept small, the run {made.name} would not say what it says whole",
            hint="this is a defect of Steelyard: please report it",
        )
    write_figures(analysis, made)
    write_text(made / FILE_NAME, html_of(analysis))
    indices.write(analysis, made)
    for path in (made / name for name in MADE if (made / name).is_file()):
        content = path.read_bytes()
        path.unlink()
        put(path, content)


def _said(analysis: Analysis) -> tuple[object, ...]:
    return analysis.verdicts, [figure.row() for figure in analysis.figures], html_of(analysis)

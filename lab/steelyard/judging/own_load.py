"""The folder of a run of `steelyard load` beside files of other tools: its figures as they are stored."""

from __future__ import annotations

from pathlib import Path

from ..base.csvfiles import is_stored, names_in
from ..base.errors import ConfigurationError, StoreError
from ..models.outputs.loading import LoadOutput
from ..models.outputs.other_tools import JudgedFile, JudgedRows
from ..results.cluster_folder import MACHINES, is_cluster, machine_folder
from ..results.loads import CALIBRATION, COMPARISON, LIMIT, LOAD
from ..results.stored_run import read_model
from .limits import ONE_PROCESS, Holds
from .parts import Selection

TITLE = "Steelyard (load)"
_VERDICTS = "verdicts.json"
_WITHOUT_SLICES = (LIMIT, COMPARISON, CALIBRATION, _VERDICTS)


def judged_load(folder: Path, selection: Selection) -> JudgedFile:
    """The stored figures of a load. Raises ConfigurationError for another folder, or a selection."""
    if not is_stored(folder / LOAD):
        raise _refusal(folder)
    if not selection.is_everything:
        raise ConfigurationError(
            f"{folder} is a load whose measured time is fixed", hint="remove --skip, --part and --for"
        )
    try:
        load = read_model(LoadOutput, folder / LOAD)
    except StoreError as error:
        raise ConfigurationError(error.message, hint=error.hint) from None
    counted = load.completed + load.failed
    return JudgedFile(
        file=str(folder),
        tool=TITLE,
        recognized_by=f"the file {LOAD}",
        holds=Holds.REQUESTS,
        seconds=round(load.seconds),
        completed=load.completed,
        failed=load.failed,
        failures=load.failures,
        users=None,
        throughput_per_s=load.throughput_per_s,
        response_ms=load.response_ms,
        operations=load.operations,
        course=_course(load),
        notes=load.notes,
        rows=JudgedRows(
            read=load.sent,
            counted=counted,
            left_out={"sent outside the measured time": load.outside} if load.outside else {},
        ),
        codes={},
        messages={},
        transactions=[],
        parts=1,
        cannot_say=[ONE_PROCESS, *load.not_judged],
    )


def _refusal(folder: Path) -> ConfigurationError:
    """The error for a folder that holds neither a load nor slices."""
    if is_cluster(folder):
        first = next(iter(names_in(folder / MACHINES)), "NAME")
        return ConfigurationError(
            f"{folder} is a run on several machines or in several sessions",
            hint=f"judge one of them: steelyard judge {machine_folder(folder, first)}",
        )
    if any(is_stored(folder / name) for name in _WITHOUT_SLICES):
        return ConfigurationError(
            f"{folder} is a run of Steelyard without slices that judge reads",
            hint=f"see its own figures: steelyard serve {folder.parent}",
        )
    return ConfigurationError(
        f"{folder} is a folder, but not a run of Steelyard", hint="give a result file, or the folder of a run"
    )


def _course(load: LoadOutput) -> str:
    if load.valid:
        return "its own checks of the instrument passed"
    return f"its own checks failed: {'; '.join(load.why_not)}"

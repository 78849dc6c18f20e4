"""A trial is stored as complete only if it reached its end."""

from __future__ import annotations

import http.client
import io
from pathlib import Path

import pytest
from rich.console import Console
from steelyard.base.csvfiles import read_document
from steelyard.base.errors import StoreError
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import cpus
from steelyard.measure.trial import trial
from steelyard.measure.trial.context import TrialContext, TrialFailedError
from steelyard.models.records import Failure, TrialPlan
from steelyard.plan.run_parameters import Request
from steelyard.plan.schedule import schedule_only
from steelyard.workload.corpus import Corpus

PLAN = TrialPlan(number=1, seed=1, start_order=["tomcat-metro", "go"])


def driven(folder: Path, monkeypatch: pytest.MonkeyPatch, ends_with: BaseException | None) -> dict[str, object]:
    """The stored record of a trial whose driving ends so."""

    def drive(*_: object) -> None:
        if ends_with is not None:
            raise ends_with

    monkeypatch.setattr(trial, "_drive", drive)
    setting = TrialContext(
        schedule=schedule_only(entries.study("demo").model, Request()),
        service=entries.service("wstest"),
        subjects={},
        corpus=Corpus(folder / "corpus", {}),
        folder=folder,
        shares=cpus.share(),
        progress=Progress(Console(file=io.StringIO())),
    )
    try:
        trial.run_trial(setting, PLAN, all_spellings=False)
    finally:
        record = read_document(folder / "trials" / "01" / "trial.json")
    return dict(record)


def test_a_trial_that_came_to_its_end_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = driven(tmp_path, monkeypatch, None)
    assert (record["status"], record["failure"]) == ("complete", None)


@pytest.mark.parametrize(
    ("ends_with", "status", "kind"),
    [
        (KeyboardInterrupt(), "interrupted", "interrupted"),
        (TrialFailedError(Failure(kind="hung", message="no answer")), "failed", "hung"),
        (StoreError("the disk is full"), "failed", "lab"),
        (OSError(28, "No space left on device"), "failed", "lab"),
        (KeyError(3), "failed", "defect"),
        (http.client.BadStatusLine("SSH-2.0"), "failed", "defect"),
        (MemoryError(), "failed", "lab"),
        (RecursionError("too deep"), "failed", "defect"),
        (SystemExit(3), "failed", "lab"),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, BaseException) else "",
)
def test_a_trial_that_ended_before_is_never_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends_with: BaseException, status: str, kind: str
) -> None:
    retold = kind == "defect" or isinstance(ends_with, MemoryError)
    with pytest.raises(TrialFailedError if retold else type(ends_with)):
        driven(tmp_path, monkeypatch, ends_with)
    record = read_document(tmp_path / "trials" / "01" / "trial.json")
    assert (record["status"], record["failure"]["kind"]) == (status, kind)


def test_what_nobody_foresaw_is_a_named_failure_with_its_trace_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TrialFailedError) as caught:
        driven(tmp_path, monkeypatch, KeyError("cpu3"))
    trace = tmp_path / "trials" / "01" / "defect.log"
    assert caught.value.message == "a defect of Steelyard ended it: KeyError: 'cpu3'"
    assert str(trace) in caught.value.hint and "Traceback" not in str(caught.value)
    assert "Traceback" in trace.read_text() and "cpu3" in trace.read_text()

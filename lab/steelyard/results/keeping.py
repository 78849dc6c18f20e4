"""A small copy of a run, for the repository or for sending: the files that its report needs, and a few sampled answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Set
from pathlib import Path

from ..base import raw_archive
from ..base.csvfiles import Row, is_stored, names_in, read_bytes, read_table, table_text
from ..base.histogram import intact, uncompressed_hex
from . import collector_log, foreign_table, layer_table
from .outcomes import OUTCOMES
from .stored_run import Run, Trial

SAMPLES = 10
_HISTOGRAMS, _JOB = "intervals.hlog", "job.json"
_READ = {
    "trial.json",
    _JOB,
    "slices.csv",
    OUTCOMES,
    "observations.csv",
    "machine.csv",
    "throttling.csv",
    "network.csv",
    "spans.csv",
    "gauges.csv",
    "ticks.csv",
    "seconds.hlog",
    layer_table.NAME,
    foreign_table.NAME,
    foreign_table.STRANGERS,
    _HISTOGRAMS,
}
_TAG = re.compile(r"Tag=[^,]*/(\d+)/[^,/]*/([^,/]*),")
# The contract's generator recreates them from the seed.
_REQUESTS = {"corpus.bin", "corpus.csv", "expected.jsonl", "rules.json"}


def raw_files(run: Run, kinds: Set[str], *, leave_out: Set[str]) -> Iterator[tuple[str, bytes]]:
    """The raw files of a stored run that are kept: each path within the run, with content; raises StoreError.

    Kept are: the run's own files except `leave_out`; the part of the corpus that is not made from the seed; the needed files of
    complete trials, and also the logs of other trials; histograms of the `kinds` in measured slices; layer records of these
    slices; jobs without their rules; and ten sampled answers, wrong ones first. The user's home becomes `~`.
    """
    for name, content in _all_files(run, kinds, leave_out):
        yield name, _without_home(content)


def _all_files(run: Run, kinds: Set[str], leave_out: Set[str]) -> Iterator[tuple[str, bytes]]:
    for inside, made_anew in (("", leave_out), ("corpus/", _REQUESTS)):
        for name in _files(run.folder / inside):
            if name not in made_anew:
                yield f"{inside}{name}", read_bytes(run.folder / inside / name)
    samples = list(_samples(run))
    for trial in run.trials:
        inside = f"trials/{trial.folder.name}/"
        for name in _files(trial.folder):
            if trial.status != "complete" or name in _READ or name.endswith(collector_log.SUFFIX):
                yield f"{inside}{name}", _small(trial, name, read_bytes(trial.folder / name), kinds)
        for name, content in _sample_files(trial, [row for of, row in samples if of is trial]):
            yield f"{inside}samples/{name}", content


def _small(trial: Trial, name: str, content: bytes, kinds: Set[str]) -> bytes:
    """The kept content of a trial's file."""
    if name == _HISTOGRAMS:
        return _read_ones(trial, content, kinds)
    if name == layer_table.NAME:
        return _measured_requests(trial, content)
    return without_rules(content) if name == _JOB else content


def without_rules(job: bytes) -> bytes:
    """A job without the rules for its answers, which stay with the requests. Anything else is unchanged."""
    try:
        content = json.loads(job)
        del content["rules"]
    except (ValueError, TypeError, KeyError):
        return job
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def _files(folder: Path) -> list[str]:
    """The names of a folder's own files, packed or not; none where there is no folder."""
    names = (name for name in names_in(folder) if not name.startswith(".") and name != raw_archive.NAME)
    return [name for name in names if not (folder / name).is_dir() and not names_in(folder / name)]


def _without_home(content: bytes) -> bytes:
    home = str(Path.home())
    if home == "/":
        return content
    return re.sub(rb"(?<![\w.~/-])" + re.escape(home.encode()) + rb"(?![\w.-])", b"~", content)


def _read_ones(trial: Trial, log: bytes, kinds: Set[str]) -> bytes:
    """The lines of a histogram log for measured slices and these kinds, unfolded; other content is unchanged."""
    measured = _measured_slices(trial)
    kept = []
    for line in log.decode("utf-8").splitlines(keepends=True):
        tag = _TAG.match(line)
        if tag is None:
            kept.append(line)
        elif int(tag[1]) in measured and tag[2] in kinds:
            kept.append(_uncompressed_line(line))
    return "".join(kept).encode()


def _uncompressed_line(line: str) -> str:
    """The line with its histogram in the form that packs best; a damaged or already unfolded one is unchanged."""
    before, comma, encoded = line.rstrip("\n").rpartition(",")
    return f"{before}{comma}{uncompressed_hex(encoded)}\n" if intact(encoded) else line


def _measured_requests(trial: Trial, table: bytes) -> bytes:
    """The header of a table of layers, and its rows of measured slices."""
    measured = {str(number) for number in _measured_slices(trial)}
    head, *lines = table.decode("utf-8").splitlines(keepends=True)
    place = head.rstrip().split(",").index("slice")
    # No label has a comma, so the fields before the slice are never quoted.
    return "".join([head, *(line for line in lines if line.split(",", place + 1)[place] in measured)]).encode()


def _measured_slices(trial: Trial) -> set[int]:
    """The numbers of its measured slices."""
    return {number for number, row in trial.slices.items() if row.phase == "measure"}


def _samples(run: Run) -> Iterator[tuple[Trial, Row]]:
    """At most SAMPLES sampled answers: first those that were not right, then by subject and operation in turn."""
    samples = []
    before = Counter[tuple[str, str]]()
    for trial in run.trials:
        index = trial.folder / "samples" / "index.csv"
        columns = ("sample", "subject", "operation", "outcome")
        rows = read_table(index, columns, may_be_cut=trial.status != "complete") if is_stored(index) else ()
        for row in rows:
            exchange_key = (row.text("subject"), row.text("operation"))
            samples.append((row.text("outcome") == "right", before[exchange_key], trial, row))
            before[exchange_key] += 1
    samples.sort(key=lambda sample: sample[:2])
    yield from ((trial, row) for _, _, trial, row in samples[:SAMPLES])


def _sample_files(trial: Trial, rows: list[Row]) -> Iterator[tuple[str, bytes]]:
    """The sampled answers of these rows, and their index."""
    if not rows:
        return
    rows.sort(key=lambda row: row.line)
    yield "index.csv", table_text(list(rows[0].fields), ([*row.fields.values()] for row in rows)).encode()
    for row in rows:
        name = f"{row.text('sample')}.answer"
        yield name, read_bytes(trial.folder / "samples" / name)

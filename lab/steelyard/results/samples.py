"""The sampled answers of an engine's folder: samples/index.csv, and a file for each answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..base.csvfiles import is_stored, read_text
from ..base.typed_rows import read_rows

FOLDER, INDEX = "samples", "index.csv"


@dataclass(frozen=True)
class AnswerSample:
    """A row of samples/index.csv: the request `entry` of the corpus and its outcome. `status` is 0 where no status line came."""

    sample: str
    slice: int
    subject: str
    operation: str
    entry: int
    outcome: str
    status: int = 0
    cause: str = ""


def read_samples(folder: Path) -> Iterator[tuple[AnswerSample, Path]]:
    """Each sampled answer in an engine's folder, with the file of its body, which may be missing.

    A killed engine may leave the last row cut, which is left out, or not even a header. Raises StoreError.
    """
    index = folder / FOLDER / INDEX
    if not is_stored(index) or not read_text(index, may_be_cut=True):
        return
    for _, sample in read_rows(index, AnswerSample, may_be_cut=True):
        yield sample, folder / FOLDER / f"{sample.sample}.answer"

"""A driven trial as one value that travels: packed where it was driven, unpacked beside its place and renamed into it."""

from __future__ import annotations

import io
import shutil
import tarfile
import tempfile
import zlib
from pathlib import Path

from ..base.errors import StoreError

ENVIRONMENT, TRIAL, CORPUS = "environment.json", "trial", "corpus"
_REQUESTS = (
    "corpus.bin",
    "corpus.csv",
    "expected.jsonl",
    "rules.json",
)  # made anew from the seed by whoever wants them


def packed(run: Path, trial: Path) -> bytes:
    """What of a run's folder belongs to one trial: its own folder, the setup, and what a report needs of the corpus."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:gz", compresslevel=1) as archive:
        archive.add(run / ENVIRONMENT, ENVIRONMENT)
        archive.add(trial, TRIAL)
        for path in sorted((run / CORPUS).glob("*")):
            if path.is_file() and path.name not in _REQUESTS:
                archive.add(path, f"{CORPUS}/{path.name}")
    return whole.getvalue()


def unpacked(whole: bytes, beside: Path) -> Path:
    """A new folder in `beside` that holds what was packed; raises StoreError where it is damaged or cannot be written.

    Whatever came, nothing is written outside of that folder.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix=".arriving-", dir=beside))
    except OSError as error:
        raise StoreError(f"{beside} cannot be written: {error.strerror}") from None
    try:
        with tarfile.open(fileobj=io.BytesIO(whole), mode="r:gz") as archive:
            archive.extractall(folder, filter="data")
        if not (folder / TRIAL / "trial.json").is_file():
            raise StoreError("what was sent holds no trial")
    except (tarfile.TarError, EOFError, zlib.error) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise StoreError(f"what was sent cannot be unpacked: {error}") from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder

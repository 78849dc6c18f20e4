"""A driven trial as bytes to send: packed on the worker, unpacked beside its place and renamed."""

from __future__ import annotations

import io
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ..base.errors import StoreError
from ..base.temporary_folder import temporary_folder

ENVIRONMENT, TRIAL, CORPUS = "environment.json", "trial", "corpus"
_REQUESTS = (
    "corpus.bin",
    "corpus.csv",
    "expected.jsonl",
    "rules.json",
)  # recomputed from the seed on demand


def files_of(folder: Path) -> dict[str, bytes]:
    """All files of a folder by their paths in it; none where there is no such folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files by their paths in the folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def pack_trial(run: Path, trial: Path) -> bytes:
    """The files of a run folder for one trial: its own folder, the setup, and what a report needs of the corpus."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:gz", compresslevel=1) as archive:
        archive.add(run / ENVIRONMENT, ENVIRONMENT)
        archive.add(trial, TRIAL)
        for path in sorted((run / CORPUS).glob("*")):
            if path.is_file() and path.name not in _REQUESTS:
                archive.add(path, f"{CORPUS}/{path.name}")
    return whole.getvalue()


@contextmanager
def unpacked_trial(whole: bytes, beside: Path) -> Iterator[Path]:
    """A temporary folder in `beside` with the unpacked files. Raises StoreError if they are damaged or cannot be written.

    Nothing is written outside of that folder, whatever the archive holds.
    """
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(temporary_folder(beside))
        except OSError as error:
            raise StoreError(f"cannot write {beside}: {error.strerror}") from None
        try:
            with tarfile.open(fileobj=io.BytesIO(whole), mode="r:gz") as archive:
                archive.extractall(folder, filter="data")
        except (tarfile.TarError, EOFError, zlib.error) as error:
            raise StoreError(f"cannot unpack the archive: {error}") from None
        if not (folder / TRIAL / "trial.json").is_file():
            raise StoreError("the archive has no trial")
        yield folder

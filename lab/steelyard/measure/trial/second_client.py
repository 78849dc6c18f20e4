"""A second engine that sends load to a subject beside the first, to be killed during the slice; its files are not used for
figures."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from types import TracebackType

from ...models.job import Job
from .engine import Engine


class SecondClient:
    """As many users as the first engine has in a slice, from another process; a context manager that leaves no process behind."""

    def __init__(self, job: Job, slice_number: int, folder: Path) -> None:
        """Begin the slice of `job`, stored in `folder`; raises EngineError."""
        self._scratch = tempfile.TemporaryDirectory(prefix="client-", dir=folder)
        try:
            self._engine = Engine(_single_slice_job(job, slice_number), Path(self._scratch.name))
            try:
                self._engine.prepare(slice_number)
                self._engine.await_ready(slice_number)
                self._engine.begin(slice_number, time.monotonic_ns())
            except BaseException:
                self._engine.kill()
                raise
        except BaseException:
            self._scratch.cleanup()
            raise

    def __enter__(self) -> SecondClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._scratch.cleanup()

    def kill(self) -> None:
        """Kill the process with its connections; does nothing where it has ended."""
        self._engine.kill()


def _single_slice_job(job: Job, slice_number: int) -> Job:
    """The job with this slice alone, for a folder one level deeper; the first engine watches the subject's processes."""
    corpus = Path(job.corpus)
    return job.model_copy(
        update={
            "corpus": str(corpus if corpus.is_absolute() else Path("..") / corpus),
            "slices": [each for each in job.slices if each.number == slice_number],
            "targets": [target.model_copy(update={"keepers": []}) for target in job.targets],
        }
    )

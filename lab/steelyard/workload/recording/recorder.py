"""The `record` command: the proxy listens, and at the end, however it comes, writes a service folder."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from ...base import certificate
from ...base.children import hold_interrupts
from ...base.loopback_server import listening_on, serve_until_interrupted
from ...base.paths import HOST, url
from ...models.outputs.own_service import RecordedOperation, RecordOutput
from ..importing.new_folder import require_free
from ..load_target import LoadTarget
from .corpus import write_corpus
from .proxy import RecordingProxy
from .recorded_server import RecordedServer
from .remembering import MOST_REQUESTS, Remembered

MOST_SECONDS = 3600.0
_DAYS = 7


@dataclass(frozen=True)
class RecordWords:
    """The options of `record`: its port (0: a free one), whether clients use TLS, its duration, and the limit of
    distinct requests."""

    port: int = 0
    tls: bool = False
    seconds: float = MOST_SECONDS
    most_requests: int = MOST_REQUESTS


def record(
    load_target: LoadTarget, words: RecordWords, out: Path, ready: Callable[[str, Path | None], None]
) -> RecordOutput:
    """Run a proxy for a server, and write the service folder `out` at the end. `ready` is called with the proxy's
    address and, with TLS, the certificate file.

    Raises TargetError if the server may not be called, and ImportRefusedError if the folder exists, or no request can
    be imported.
    """
    require_free(out)
    server, remembered = RecordedServer(load_target), Remembered(words.most_requests)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="steelyard-record-")))
        files = certificate.make(folder, "steelyard record", [HOST, "::1"], _DAYS) if words.tls else None
        listening, bound = stack.enter_context(listening_on(words.port))
        address = url(bound, "").replace("http:", "https:") if words.tls else url(bound, "")
        ready(address, None if files is None else files[0])
        serve_until_interrupted(RecordingProxy(server, remembered, address), listening, words.seconds, files)
    outputs = []
    with suppress(KeyboardInterrupt), hold_interrupts():  # a second Ctrl-C loses nothing
        outputs.append(_write_service(remembered, load_target, address, out))
    return outputs[0]


def _write_service(remembered: Remembered, load_target: LoadTarget, address: str, out: Path) -> RecordOutput:
    imported, content = write_corpus(remembered, load_target, out)
    return RecordOutput(
        service=imported.service,
        folder=str(out),
        target=content.target,
        address=address,
        passed=remembered.passed,
        failed=remembered.failed.total(),
        beyond=remembered.beyond,
        operations=[
            RecordedOperation(
                operation=operation.name,
                times=operation.times,
                samples=1 + len(operation.more),
                answers=len(operation.answered),
                same="least" in operation.expect,
                changes_data=operation.changes_data,
            )
            for operation in content.operations
        ],
        left_out=imported.left_out,
        notes=imported.notes,
    )

"""A load told once a second to whoever shall hear of it, by a thread that waits for nobody and that nobody waits for."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .receivers import OtlpReceiver, Receiver, RemoteWriteReceiver, ToldLoad
from .totals import GrowingTotals

_EVERY_SECONDS = 1.0


def receivers_of(otlp: Sequence[str], remote_write: Sequence[str]) -> list[Receiver]:
    """The receivers at these addresses; raises ConfigurationError or ToolchainError before anything is loaded."""
    return [*(OtlpReceiver(url) for url in otlp), *(RemoteWriteReceiver(url) for url in remote_write)]


@contextmanager
def publish_totals(receivers: Sequence[Receiver], service: str, target: str, run: str, folder: Path) -> Iterator[None]:
    """While the body runs, tell the receivers the totals of the load of a `run`, whose engine writes into `folder`, and at its end
    the last.

    A receiver that is slow or away costs the load nothing: it hears less often, and totals miss nothing for that.
    """
    if not receivers:
        yield
        return
    load = ToldLoad(service, target, run, time.time_ns())
    totals, ended = GrowingTotals(folder), threading.Event()

    def publish() -> None:
        now = totals.more()
        if now is not None:
            for receiver in receivers:
                receiver.send(load, now)

    def until_ended() -> None:
        while not ended.wait(_EVERY_SECONDS):
            publish()

    thread = threading.Thread(target=until_ended, name="telemetry", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()  # each message has its deadline
        publish()


def notes_of(receivers: Sequence[Receiver]) -> list[str]:
    """A sentence for each receiver that did not take all that it was told."""
    return [
        f"{receiver.url} took {receiver.taken} of {receiver.sent} messages about this load: {receiver.refused}"
        for receiver in receivers
        if receiver.taken < receiver.sent
    ]

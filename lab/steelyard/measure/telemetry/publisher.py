"""Publishes the totals of a load once a second from a thread of its own, which never delays the load."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .receivers import LoadLabels, OtlpReceiver, Receiver, RemoteWriteReceiver
from .totals import GrowingTotals

_EVERY_SECONDS = 1.0


def receivers_of(otlp: Sequence[str], remote_write: Sequence[str]) -> list[Receiver]:
    """The receivers at these addresses; raises ConfigurationError or ToolchainError before anything is loaded."""
    return [*(OtlpReceiver(url) for url in otlp), *(RemoteWriteReceiver(url) for url in remote_write)]


@contextmanager
def publish_totals(receivers: Sequence[Receiver], service: str, target: str, run: str, folder: Path) -> Iterator[None]:
    """While the body runs, send the receivers the totals of a `run`'s load, whose engine writes into `folder`, and the last
    totals at its end.

    A slow or missing receiver does not delay the load: it gets fewer messages, and totals lose nothing by that.
    """
    if not receivers:
        yield
        return
    load = LoadLabels(service, target, run, time.time_ns())
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
        thread.join()  # each message has a deadline
        publish()


def notes_of(receivers: Sequence[Receiver]) -> list[str]:
    """A sentence for each receiver that did not accept all messages."""
    return [
        f"{receiver.url} accepted {receiver.taken} of {receiver.sent} messages about this load: {receiver.refused}"
        for receiver in receivers
        if receiver.taken < receiver.sent
    ]

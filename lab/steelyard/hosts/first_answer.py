"""The time from a server's start to its first right answer: asked from the start on, until an answer is right."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..base.errors import SteelyardError

if TYPE_CHECKING:
    from ..base.http_client import Access

PAUSE_SECONDS = 0.01  # from one request to the next: the resolution of the time
WAIT_SECONDS = 30.0  # after the server was ready
AskOnce = Callable[[str, "Access"], bool]  # URL of the service and access: whether one answer was right


class FirstAnswer:
    """Asks a server in a thread of its own, from now on until an answer is right. `stop` ends it without one."""

    def __init__(self, ask: AskOnce, url: str, access: Access) -> None:
        self._ask = ask
        self._url = url
        self._access = access
        self._begun = time.monotonic()
        self._seconds: float | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._wait, name="first answer", daemon=True)
        self._thread.start()

    def seconds(self) -> float | None:
        """The seconds until the first right answer; None where none comes within WAIT_SECONDS from now."""
        self._thread.join(WAIT_SECONDS)
        self.stop()
        return self._seconds

    def stop(self) -> None:
        """End the requests."""
        self._over.set()
        self._thread.join(WAIT_SECONDS)

    def _wait(self) -> None:
        while not self._over.is_set():
            try:
                right = self._ask(self._url, self._access)
            except (SteelyardError, OSError):  # nothing listens yet, or it is no answer yet
                right = False
            if right:
                self._seconds = time.monotonic() - self._begun
                return
            self._over.wait(PAUSE_SECONDS)

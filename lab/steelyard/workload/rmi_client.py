"""A connection of the lab by Java RMI, through the RMI driver: one call per line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from queue import Empty, Queue
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from ..base.children import hold_interrupts, start_child
from ..base.errors import NoAnswerError, ToolchainError
from ..base.http_client import ANSWER_SECONDS, Answer
from ..hosts import rmi_driver
from ..models.job import Rmi

INSTEAD = "Instead"  # the header, unused by calls, that names a bad request for the driver to send instead
_START_SECONDS = 20.0  # to start a JVM, and a margin for the driver's own limit


class RmiClient:
    """The counterpart of `HttpClient` for Java RMI. Paths are /NAME/METHOD; an exception has status 500.

    The driver starts with the first call, and ends with `close`.
    """

    def __init__(self, url: str, calls: Rmi, seconds: float = ANSWER_SECONDS, *, once: bool = False) -> None:
        place = urlsplit(url)
        self._path, self._seconds = place.path, seconds
        self._argv = ask_command(place.hostname or "", place.port or 0, calls, seconds, once=once)
        self._process: subprocess.Popen[str] | None = None
        self._lines: Queue[str] = Queue()

    def ask(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Answer:
        """The answer to one call, to the URL's own path if `path` is empty; raises NoAnswerError if none comes in
        time."""
        del method
        if self._process is None:
            self._start()
        question = {"path": path or self._path, "body": (body or b"").decode(), "instead": headers.get(INSTEAD)}
        reply = self._parse_reply(json.dumps(question))
        if "failed" in reply:
            raise NoAnswerError(f"no answer: {reply['failed']} ({reply['why']:.200})")
        return Answer(reply["status"], reply["body"].encode())

    def close(self) -> None:
        """Close the connection."""
        process, self._process = self._process, None
        if process is not None:
            with hold_interrupts():
                process.kill()
                process.wait()

    def _start(self) -> None:
        try:
            process = start_child(
                lambda: subprocess.Popen(
                    self._argv,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    start_new_session=True,
                )
            )
        except OSError as error:
            raise ToolchainError(f"the RMI driver cannot be started: {error}") from None
        self._process = process
        Thread(target=self._read, args=(process,), daemon=True).start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def _parse_reply(self, line: str) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=self._seconds + _START_SECONDS)
        except (OSError, Empty):
            line = ""
        if not line:
            self.close()
            raise NoAnswerError("the RMI driver ended, or did not answer")
        answer: dict[str, Any] = json.loads(line)
        return answer


def ask_command(host: str, port: int, calls: Rmi, seconds: float, *, once: bool = False) -> list[str]:
    """The driver's command, which answers each line of standard input with the result of a call."""
    words = ["ask", "--host", host, "--port", str(port), "--interface", calls.interface]
    words += ["--classes", ":".join(calls.classes), "--seconds", f"{seconds:g}", *(["--once"] if once else [])]
    return [*rmi_driver.command(), *words]

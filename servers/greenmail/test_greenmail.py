"""The mail server lists all mails that it took, however many: it keeps a line of each, not the mail."""

from __future__ import annotations

import os
import smtplib
import socket
import subprocess
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from email.message import EmailMessage
from pathlib import Path

import pytest
from rich.console import Console
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import fetch, toolchain

MAILS, BODY = 1_000, "A line of a mail.\n" * 4_000  # 72 MB, in a heap of 24 MB


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listed(api: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{api}/mails", timeout=20) as answer:
        return str(answer.read().decode())


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """The SMTP port and the list's port of a mail server with a small heap."""
    server = entries.server("greenmail")
    java = toolchain.require(server.model.needs, "greenmail")
    cache = fetch.fetch(server, Progress(Console(quiet=True)), java)
    smtp, api = free_port(), free_port()
    log = (tmp_path / "log").open("w")
    running = subprocess.Popen(
        ["sh", "start.sh", str(smtp), str(api), str(tmp_path), str(cache)],
        cwd=server.folder,
        env={**os.environ, **java, "STEELYARD_HEAP": "24m", "STEELYARD_GC": "Serial"},
        stdout=log,
        stderr=log,
    )
    try:
        deadline, up = time.monotonic() + 60, False
        while not up:
            assert running.poll() is None and time.monotonic() < deadline, (tmp_path / "log").read_text()
            with suppress(OSError):
                up = listed(api) == ""
            time.sleep(0.1)
        yield smtp, api
        assert running.poll() is None, (tmp_path / "log").read_text()
    finally:
        running.terminate()
        running.wait(20)
        log.close()


def test_more_mails_are_listed_than_the_heap_would_hold(ports: tuple[int, int]) -> None:
    smtp, api = ports
    with smtplib.SMTP("127.0.0.1", smtp, timeout=20) as client:
        for number in range(MAILS):
            mail = EmailMessage()
            mail["From"], mail["To"] = "shop@example.org", f"shopper-{number % 100}@example.org"
            mail["Subject"] = f"Order {number} für Åse"
            mail.set_content(BODY)
            client.send_message(mail)
    expected = Counter(f"shopper-{number % 100}@example.org\tOrder {number} für Åse" for number in range(MAILS))
    assert Counter(listed(api).splitlines()) == expected


def test_a_mail_whose_header_names_nobody_is_listed_by_its_envelope(ports: tuple[int, int]) -> None:
    smtp, api = ports
    with smtplib.SMTP("127.0.0.1", smtp, timeout=20) as client:
        client.sendmail("shop@example.org", ["shopper-1@example.org"], "Subject: Blind\r\n\r\nno header")
    assert listed(api) == "shopper-1@example.org\tBlind\n"

"""One C# program on .NET and on Mono, on the real runtimes: messages refused and kept, connections kept, factors obeyed."""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console
from steelyard.base.errors import SteelyardError
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import fetch

SERVERS = Path(__file__).parents[1]
SERVICE = SERVERS.parent / "services" / "wstest"
EXCHANGES = SERVICE / "contract" / "exchanges"
ADDRESS = "/wstest/WSTest"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
READY_SECONDS = 30

pytestmark = pytest.mark.skipif(not (shutil.which("mono") and shutil.which("mcs")), reason="Mono is not installed")


@dataclass(frozen=True)
class Server:
    """A started server: one kept connection to it, and its process."""

    connection: http.client.HTTPConnection
    process: subprocess.Popen[bytes]

    def send(self, body: str | bytes, **headers: str) -> tuple[int, bytes]:
        soap = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '""'}
        content = body.encode() if isinstance(body, str) else body
        return self.ask("POST", ADDRESS, content, {**soap, **headers})

    def post(self, exchange: str, **headers: str) -> tuple[int, bytes]:
        return self.send((EXCHANGES / f"{exchange}.request.xml").read_bytes(), **headers)

    def count(self) -> int:
        return int(self.ask("GET", "/wstest/count")[1])

    def ask(self, *request: object) -> tuple[int, bytes]:
        self.connection.request(*request)  # type: ignore[arg-type]
        answer = self.connection.getresponse()
        return answer.status, answer.read()


@pytest.fixture(scope="module", params=["dotnet", "dotnet-mono"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The program on one of the runtimes, with two requests at once."""
    entry, scratch = entries.server(request.param), tmp_path_factory.mktemp("scratch")
    cache = tmp_path_factory.mktemp("cache")
    if request.param == "dotnet":
        try:
            fetched = fetch.fetch(entry, Progress(Console(quiet=True)), {})
        except SteelyardError as error:
            pytest.skip(f"the runtime cannot be fetched here: {error.message}")
        (cache / "python").symlink_to(fetched / "python")
    build = [word.format(service=SERVICE, cache=cache) for word in entry.model.build[0]]
    subprocess.run(build, cwd=entry.folder, check=True, timeout=120)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    start = [word.format(port=port, service=SERVICE, cache=cache, scratch=scratch) for word in entry.model.start]
    environment = {**os.environ, "STEELYARD_THREADS": "2", "STEELYARD_HEAP": "64m"}
    process = subprocess.Popen(start, cwd=entry.folder, env=environment)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        end = time.monotonic() + READY_SECONDS
        while subprocess.run(["sh", "../common/ready.sh", str(port)], cwd=entry.folder, check=False).returncode != 0:
            assert time.monotonic() < end and process.poll() is None, "the server did not start"
            time.sleep(0.1)
        yield Server(connection, process)
    finally:
        connection.close()
        process.terminate()
        process.wait(10)


def envelope(body: str, header: str = "") -> str:
    return f'<s:Envelope xmlns:s="{SOAP}">{header}<s:Body>{body}</s:Body></s:Envelope>'


VOID = '<echoVoid xmlns="urn:steelyard:wstest"/>'


def test_a_connection_serves_more_than_a_hundred_requests_within_a_small_heap(server: Server) -> None:
    assert server.post("echoVoid/void")[0] == 200
    kept = server.connection.sock
    for _ in range(400):
        assert server.post("echoStruct/long-string")[0] == 200
    assert kept is not None and server.connection.sock is kept


def test_a_long_answer_does_not_wait_for_an_acknowledgement(server: Server) -> None:
    seconds = []
    for _ in range(21):
        begin = time.monotonic()
        status, answer = server.post("echoStruct/long-string")
        seconds.append(time.monotonic() - begin)
        assert (status, len(answer) > 16384) == (200, True)
    assert sorted(seconds)[10] < 0.035  # Linux delays acknowledgements by 40 ms


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (envelope(""), "Client"),
        (envelope("text"), "Client"),
        (envelope(VOID + VOID), "Client"),
        (envelope(VOID) + "<more/>", "Client"),
        (envelope(VOID).replace("s:Body", "s:Torso"), "Client"),
        (envelope('<echoVoid xmlns="urn:other"/>'), "Client"),
        ("<!DOCTYPE x>" + envelope(VOID), "Client"),
        (envelope(VOID).replace(SOAP, "http://www.w3.org/2003/05/soap-envelope"), "VersionMismatch"),
        (envelope(VOID, '<s:Header><a s:mustUnderstand="1"/></s:Header>'), "MustUnderstand"),
        (envelope(f'<getOrder xmlns="urn:steelyard:wstest"><orderId>{2**31}</orderId></getOrder>'), "Client"),
        (envelope(f'<echoList xmlns="urn:steelyard:wstest"><list>{"<next>" * 100_000}'), "Client"),
    ],
)
def test_a_wrong_message_gets_a_fault_and_the_next_is_answered(server: Server, message: str, code: str) -> None:
    status, fault = server.send(message)
    assert (status, f"<faultcode>soap:{code}</faultcode>".encode() in fault) == (500, True), fault
    server.connection.close()  # as HttpListener does after a fault
    assert server.post("echoVoid/void")[0] == 200


@pytest.mark.parametrize(
    "header", ["<s:Header/>", '<s:Header><a s:mustUnderstand="1" s:actor="urn:x"/><b/></s:Header>']
)
def test_a_header_for_others_is_passed_over(server: Server, header: str) -> None:
    assert server.send(envelope(VOID, header))[0] == 200


def test_the_charset_of_the_content_type_outweighs_the_declaration(server: Server) -> None:
    text = '<?xml version="1.0" encoding="utf-8"?>' + envelope(
        '<echoSynthetic xmlns="urn:steelyard:wstest"><text>é</text></echoSynthetic>'
    )
    status, answer = server.send(text.encode("latin-1"), **{"Content-Type": "text/xml; charset=iso-8859-1"})
    assert (status, "<text>é</text>" in answer.decode()) == (200, True)
    assert server.send(text, **{"Content-Type": "text/xml; charset=klingon"})[0] == 500
    server.connection.close()


def test_what_is_no_request_of_the_service_is_refused_and_only_its_requests_are_counted(server: Server) -> None:
    before = server.count()
    assert server.post("echoVoid/void", **{"Content-Type": "text/plain"})[0] == 415
    assert server.post("echoVoid/void", **{"Content-Type": ""})[0] == 415
    assert server.post("echoVoid/void", **{"Steelyard-Busy-Us": "1e3"})[0] == 400
    server.connection.close()
    for path in ("/", "/wstest/", ADDRESS, "/wstest/service.exe", "/wstest/../../etc/hostname"):
        assert server.ask("GET", path)[0] in (400, 404), path
        server.connection.close()
    assert server.count() == before + 3


def test_a_body_beyond_the_bound_is_refused(server: Server) -> None:
    server.connection.putrequest("POST", ADDRESS)
    server.connection.putheader("Content-Type", "text/xml")
    server.connection.putheader("Content-Length", str((16 << 20) + 1))
    server.connection.endheaders()
    assert server.connection.getresponse().status == 413
    server.connection.close()


def test_a_busy_request_uses_the_processor_time_that_it_asks_for(server: Server) -> None:
    before = processor_seconds(server)
    assert server.post("echoVoid/void", **{"Steelyard-Busy-Us": "500000.5"})[0] == 200
    assert 0.48 <= processor_seconds(server) - before < 1.5  # the kernel counts in steps of 10 ms


def processor_seconds(server: Server) -> float:
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_the_heap_is_bounded_as_the_factor_says(server: Server) -> None:
    environment = Path(f"/proc/{server.process.pid}/environ").read_bytes().split(b"\0")
    wanted = {b"DOTNET_GCHeapHardLimit=4000000", b"MONO_GC_PARAMS=major=marksweep,nursery-size=4m,max-heap-size=64m"}
    assert len(wanted.intersection(environment)) == 1

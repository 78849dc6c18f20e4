"""What the host makes of Mono, on the real server: no memory kept, no delay, no file given away, factors obeyed, calls made."""

from __future__ import annotations

import html
import http.client
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SERVICES = HERE.parent.parent / "services"
ADDRESSES = {"wstest": "/wstest/WSTest", "soaservers": "/soaservers/Orchestration", "soakit": "/soakit/TVDinner"}
ADDRESS = ADDRESSES["wstest"]
MESH = """<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body>
  <mesh xmlns="urn:steelyard:soaservers"><parameter>x</parameter></mesh></Body></Envelope>"""
DEEP = (
    '<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><tvDinner xmlns="urn:steelyard:soakit">'
    f"{'<unknown>' * 150}{'</unknown>' * 150}</tvDinner></Body></Envelope>"
)
READY_SECONDS = 60

pytestmark = pytest.mark.skipif(not (shutil.which("mono") and shutil.which("mcs")), reason="Mono is not installed")


@dataclass(frozen=True)
class Server:
    """A started server: its service, one kept connection to it, its process, its scratch folder."""

    service: str
    connection: http.client.HTTPConnection
    process: subprocess.Popen[bytes]
    scratch: Path

    def get(self, path: str) -> tuple[int, bytes]:
        return self._ask("GET", path)

    def post(self, exchange: str, **headers: str) -> tuple[int, bytes]:
        exchanges = SERVICES / self.service / "contract" / "exchanges"
        return self.send((exchanges / f"{exchange}.request.xml").read_bytes(), **headers)

    def send(self, body: bytes, **headers: str) -> tuple[int, bytes]:
        soap = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '""'}
        return self._ask("POST", ADDRESSES[self.service], body, {**soap, **headers})

    def count(self, of: str = "") -> int:
        return int(self.get(f"/{self.service}/count{of}")[1])

    def _ask(self, *request: object) -> tuple[int, bytes]:
        self.connection.request(*request)  # type: ignore[arg-type]
        answer = self.connection.getresponse()
        return answer.status, answer.read()


Start = Callable[..., Server]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    for service in ADDRESSES:
        subprocess.run(["sh", "build.sh", SERVICES / service, folder], cwd=HERE, check=True, timeout=120)
    return folder


@pytest.fixture
def start(cache: Path, tmp_path: Path) -> Iterator[Start]:
    started: list[Server] = []

    def start(service: str = "wstest", **factors: str) -> Server:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        settings = {"port_server": port, **factors}
        environment = {**os.environ, **{f"STEELYARD_{name.upper()}": value for name, value in settings.items()}}
        argv = ["sh", "start.sh", port, str(SERVICES / service), str(cache), str(tmp_path)]
        process = subprocess.Popen(argv, cwd=HERE, env=environment)
        connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=30)
        started.append(Server(service, connection, process, tmp_path))
        end = time.monotonic() + READY_SECONDS
        while subprocess.run(["sh", "../common/ready.sh", port], cwd=HERE, check=False).returncode != 0:
            assert time.monotonic() < end and process.poll() is None, "the server did not start"
            time.sleep(0.1)
        return started[-1]

    yield start
    for server in started:
        server.connection.close()
        server.process.terminate()
        server.process.wait(10)


def test_requests_leave_no_memory_behind(start: Start) -> None:
    server = start(heap="64m")  # 1,500 of these, with their answers, would not fit if Mono kept them
    for _ in range(1500):
        assert server.post("echoStruct/long-string")[0] == 200


def test_a_long_answer_does_not_wait_for_an_acknowledgement(start: Start) -> None:
    server = start()
    seconds = []
    for _ in range(21):
        begin = time.monotonic()
        status, answer = server.post("echoStruct/long-string")
        seconds.append(time.monotonic() - begin)
        assert (status, len(answer) > 16384) == (200, True)
    assert sorted(seconds)[10] < 0.035  # Linux delays acknowledgements by 40 ms


def test_only_the_service_and_its_count_are_there(start: Start) -> None:
    server = start()
    for path in (
        ADDRESS,
        f"{ADDRESS}.asmx?WSDL",
        "/wstest/",
        "/wstest/Web.config",
        "/wstest/bin/wstest.dll",
        "/elsewhere",
    ):
        status, content = server.get(path)
        assert 400 <= status < 500, path
        assert b"System." not in content and bytes(server.scratch) not in content, path
        server.connection.close()
    assert server.get("/wstest/%2e%2e/%2e%2e/etc/hostname")[0] == 400


def test_service_requests_are_counted_whatever_they_ask(start: Start) -> None:
    server = start()
    assert server.post("echoVoid/void")[0] == 200
    assert server.post("echoVoid/void", **{"Content-Type": "text/plain"})[0] >= 400
    server.get("/wstest/nothing.asmx")
    assert server.count() == 2


def test_elements_that_nobody_asks_for_are_bounded_in_depth_too(start: Start) -> None:
    server = start("soakit")
    status, fault = server.send(DEEP.encode())
    assert (status, b"AcknowledgePurchaseOrder" in fault) == (500, False)
    server.connection.close()  # as Mono does after a fault
    status, answer = server.post("tv-dinner/wrapped")
    assert (status, b"AcknowledgePurchaseOrder" in answer) == (200, True)
    assert server.count() == 2


def test_a_busy_request_uses_the_processor_time_that_it_asks_for(start: Start) -> None:
    server = start()
    for micros in ("", "0", "1.8"):
        assert server.post("echoVoid/void", **{"Steelyard-Busy-Us": micros})[0] == (400 if micros == "" else 200)
    before = processor_seconds(server)
    assert server.post("echoVoid/void", **{"Steelyard-Busy-Us": "500000.5"})[0] == 200
    assert 0.48 <= processor_seconds(server) - before < 1.5  # the kernel counts in steps of 10 ms
    for micros in ("much", "-5", "1e3", "NaN", "1000000.5"):
        assert server.post("echoVoid/void", **{"Steelyard-Busy-Us": micros})[0] == 400


def processor_seconds(server: Server) -> float:
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(("threads", "waits"), [("1", True), ("2", False)])
def test_as_many_requests_are_served_at_once_as_there_are_threads(start: Start, threads: str, waits: bool) -> None:
    server = start(threads=threads, least_threads="4")
    assert server.post("echoVoid/void")[0] == 200 and server.count() == 1
    busy = replace(server, connection=http.client.HTTPConnection("127.0.0.1", server.connection.port, timeout=30))
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(busy.post, "echoVoid/void", **{"Steelyard-Busy-Us": "1000000"})
        time.sleep(0.2)
        begin = time.monotonic()
        assert server.count() == 2
        assert (time.monotonic() - begin > 0.5) == waits
        assert answer.result()[0] == 200
    busy.connection.close()


def test_what_mono_writes_stands_in_the_scratch_folder(start: Start) -> None:
    server = start()
    server.post("echoVoid/void")
    environment = Path(f"/proc/{server.process.pid}/environ").read_bytes().split(b"\0")
    assert f"TMPDIR={server.scratch}/tmp".encode() in environment
    assert b"MONO_GC_PARAMS=major=marksweep,nursery-size=4m,max-heap-size=256m" in environment
    assert any((server.scratch / "tmp").rglob("wstest.dll"))
    assert Path(f"/proc/{server.process.pid}/cwd").resolve() == server.scratch.resolve()


def test_calls_to_the_same_server_wait_for_no_thread_and_open_few_connections(start: Start) -> None:
    server = start("soaservers")
    assert server.send(MESH.encode())[0] == 200  # everything is compiled now
    begin = time.monotonic()
    for _ in range(20):
        status, answer = server.send(MESH.encode())
        assert (status, answer.count(b"<token>")) == (200, 24)
    assert time.monotonic() - begin < 5  # a pool that grows by demand starts two threads a second
    assert server.count("?service=s10") == 21 * 5
    assert 1 < connections(server) <= 20  # one a call at once, and one of the test's own: not one a call


def connections(server: Server) -> int:
    """Connections that are open on the server's port."""
    port, established = f":{server.connection.port:04X}", "01"
    sockets = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(local.endswith(port) and state == established for _, local, _, state, *_ in sockets)


@pytest.mark.parametrize("operation", ["pair/plain", None], ids=["sequential", "parallel"])
def test_a_call_that_is_not_answered_ends_with_its_time_out(start: Start, operation: str | None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        server = start("soaservers", port_callee=str(silent.getsockname()[1]), call_timeout="0.5")
        begin = time.monotonic()
        status, answer = server.post(operation) if operation else server.send(MESH.encode())
        assert (status, b"timed out" in answer) == (500, True)
        assert 0.5 <= time.monotonic() - begin < 10


@pytest.mark.parametrize(
    ("services", "entry", "said"),
    [
        ("<service name='a' calls='b'/>", "a", "a calls b, which is no service"),
        ("<service name='a' calls='b'/><service name='b' calls='a'/>", "a", "a calls itself through a, b"),
        ("<service name='a'/>", "z", "its entry 'z' is no service"),
        ("<service name='a'/><service name='a'/>", "a", "there are two services a"),
        ("<", "a", "graph.xml cannot be used"),
    ],
)
def test_a_wrong_graph_is_refused_by_name(start: Start, tmp_path: Path, services: str, entry: str, said: str) -> None:
    path = tmp_path / "graph.xml"
    path.write_text(f"<graph xmlns='urn:steelyard:soaservers:graph' entry='{entry}'>{services}</graph>")
    status, answer = start("soaservers", graph=str(path)).send(MESH.encode())
    assert (status, said in html.unescape(answer.decode())) == (500, True), answer

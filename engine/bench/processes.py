"""Processes of a bench run: clients whose processor time is read, and the servers that they ask."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

SERVER_CPU = 0
CLIENT_CPU = 1
ENVELOPE = (
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>'
    '<echoVoidResponse xmlns="urn:steelyard:null-service:1"/></soap:Body></soap:Envelope>'
)
assert len(ENVELOPE) == 165

NGINX_CONFIGURATION = """\
daemon off;
worker_processes 1;
worker_cpu_affinity {affinity};
worker_rlimit_nofile 20000;
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 16384; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    keepalive_timeout 1h;
    tcp_nodelay on;
    default_type text/xml;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} backlog=16384;
        {http2_listen}
        {tls_listen}
        location / {{ return 200 '{envelope}'; }}
        location = /status {{ stub_status; }}
    }}
}}
"""


# A configuration of its own: what stands in a machine's own one differs from system to system.
CERTIFICATE_CONFIGURATION = """\
[req]
distinguished_name = name
x509_extensions = extensions
prompt = no
[name]
CN = steelyard bench
[extensions]
basicConstraints = critical, CA:FALSE
subjectAltName = IP:127.0.0.1
"""


class BenchError(Exception):
    """Why a bench run cannot go on, as one sentence."""


@dataclass(frozen=True)
class Used:
    """What a client process used, in seconds, with its output; its memory (KiB) by seconds since its start, where watched."""

    returncode: int
    output: str
    errors: str
    user_s: float
    system_s: float
    elapsed_s: float
    rss_over_time: list[tuple[float, int]] = field(default_factory=list)


def run_client(
    argv: Sequence[str], *, cpu: int | None, environment: dict[str, str] | None = None, watch_rss: bool = False
) -> Used:
    """Run a client to its end and read what it used, its children included, from the kernel.

    `cpu` is the processor it and its threads may use. With `watch_rss`, its memory is read ten times a second: what the
    kernel tells at the end as its greatest includes what this process had when it forked.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        begin = time.monotonic()
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env={**os.environ, **(environment or {})},
            preexec_fn=None if cpu is None else lambda: os.sched_setaffinity(0, {cpu}),
        )
        rss: list[tuple[float, int]] = []
        stop = threading.Event()
        watcher = threading.Thread(target=_watch_rss, args=(process.pid, begin, rss, stop))
        if watch_rss:
            watcher.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        elapsed = time.monotonic() - begin
        stop.set()
        if watch_rss:
            watcher.join()
        output.seek(0)
        errors.seek(0)
        return Used(
            process.returncode,
            output.read().decode(errors="replace"),
            errors.read().decode(errors="replace"),
            usage.ru_utime,
            usage.ru_stime,
            elapsed,
            rss,
        )


def resident_kib(pid: int) -> int:
    """The memory that a process has now; raises OSError or IndexError where it has ended."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * (os.sysconf("SC_PAGE_SIZE") // 1024)


def _watch_rss(pid: int, begin: float, found: list[tuple[float, int]], stop: threading.Event) -> None:
    while not stop.wait(0.1):
        try:
            kib = resident_kib(pid)
        except (OSError, IndexError):
            return
        if kib:
            found.append((time.monotonic() - begin, kib))


class BusyShare:
    """The share of time that each processor was busy between begin and `read`."""

    def __init__(self) -> None:
        self._begin = self._times()

    @staticmethod
    def _times() -> dict[int, tuple[int, int]]:
        """Per processor: jiffies not idle, and all."""
        found = {}
        for line in Path("/proc/stat").read_text().splitlines():
            name, *fields = line.split()
            if name.startswith("cpu") and name != "cpu":
                jiffies = [int(value) for value in fields[:8]]
                found[int(name[3:])] = (sum(jiffies) - jiffies[3] - jiffies[4], sum(jiffies))
        return found

    def read(self, cpu: int) -> float:
        busy, total = self._times()[cpu]
        busy_before, total_before = self._begin[cpu]
        return (busy - busy_before) / max(total - total_before, 1)


@dataclass
class Nginx:
    """Where it answers by HTTP/1.1, and where it was asked to by HTTP/2 with prior knowledge, or over TLS by the certificate of a
    file."""

    url: str
    http2_url: str
    tls_url: str
    certificate: Path

    def requests(self) -> int:
        """Requests that reached the server since its start, counted by itself, this question included."""
        with urlopen(self.url + "status", timeout=30) as answer:
            return int(answer.read().decode().split("\n")[2].split()[2])


@contextmanager
def nginx(program: str, keeper: str, *, http2: bool = False, tls: bool = False) -> Iterator[Nginx]:
    """The null server of the figures: one worker on its own processor, a fixed answer of 165 bytes.

    It runs below the keeper, so that it ends with this process however this process ends.
    """
    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as folder:
        port, http2_port, tls_port = _free_port(), _free_port(), _free_port()
        certificate, key = Path(folder) / "certificate.pem", Path(folder) / "key.pem"
        if tls:
            make_certificate(certificate, key)
        files = f"ssl_certificate {certificate}; ssl_certificate_key {key};"
        affinity = format(1 << SERVER_CPU, "b")
        text = NGINX_CONFIGURATION.format(
            affinity=affinity,
            folder=folder,
            port=port,
            http2_listen=f"listen 127.0.0.1:{http2_port} http2 backlog=16384;" if http2 else "",
            tls_listen=f"listen 127.0.0.1:{tls_port} ssl backlog=16384; {files}" if tls else "",
            envelope=ENVELOPE,
        )
        configuration = Path(folder) / "nginx.conf"
        configuration.write_text(text)
        argv = [keeper, "--log", f"{folder}/log", "--", program, "-p", folder, "-c", str(configuration), "-e", "stderr"]
        with _owned(argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            urls = f"http://127.0.0.1:{port}/", f"http://127.0.0.1:{http2_port}/", f"https://127.0.0.1:{tls_port}/"
            server = Nginx(*urls, certificate)
            wait_until(lambda: _answers(server), process, "nginx")
            yield server


def make_certificate(certificate: Path, key: Path) -> None:
    """A certificate on ECDSA P-256 for loopback that signs itself, and its key; raises BenchError."""
    configuration = key.with_suffix(".cnf")
    configuration.write_text(CERTIFICATE_CONFIGURATION)
    argv = [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-config", str(configuration), "-keyout", str(key), "-out", str(certificate),
    ]  # fmt: skip
    try:
        subprocess.run(argv, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BenchError(f"openssl cannot make a certificate: {error}") from error


def _answers(server: Nginx) -> bool:
    try:
        return server.requests() > 0
    except OSError:
        return False


class TestServer:
    """`steelyard-testserver`, which says in JSON lines where it listens and what it did."""

    __test__ = False  # Not a class of tests, whatever its name looks like.

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.url = f"http://{self.line()['listening']}/"

    def line(self) -> dict[str, Any]:
        """The next line of its standard output."""
        assert self._process.stdout is not None
        text = self._process.stdout.readline()
        if not text:
            raise BenchError("the test server ended unasked")
        found: dict[str, Any] = json.loads(text)
        return found

    def end(self) -> list[dict[str, Any]]:
        """End it, and give the lines that it had still to say."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        lines = [json.loads(text) for text in self._process.stdout]
        self._process.wait(30)
        return lines


@contextmanager
def test_server(program: str, *words: str) -> Iterator[TestServer]:
    argv = [program, "--cpu", str(SERVER_CPU), *words]
    with _owned(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield TestServer(process)


test_server.__test__ = False  # type: ignore[attr-defined]


@contextmanager
def _owned(argv: Sequence[str], **pipes: int) -> Iterator[subprocess.Popen[bytes]]:
    """A process that does not outlive the block: asked, then killed."""
    process = subprocess.Popen(argv, **pipes)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until(holds: Callable[[], bool], process: subprocess.Popen[bytes], name: str) -> None:
    """Wait until a server that has been started is there."""
    end = time.monotonic() + 20
    while not holds():
        if process.poll() is not None:
            raise BenchError(f"{name} ended at once with code {process.returncode}")
        if time.monotonic() > end:
            raise BenchError(f"{name} does not answer")
        time.sleep(0.02)


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port

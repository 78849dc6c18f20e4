"""The clients that are compared: how each is asked for the same load, and how what it says is read."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from processes import Used

REQUEST_BYTES = 258
CONTENT_TYPE = "text/xml; charset=utf-8"
SOAP_ACTION = '""'


def request_body() -> bytes:
    """A SOAP request of 258 bytes."""
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>'
        '<echoVoid xmlns="urn:steelyard:null-service:1">'
    )
    tail = "</echoVoid></soap:Body></soap:Envelope>"
    return (head + "<!--" + "x" * (REQUEST_BYTES - len(head) - len(tail) - 7) + "-->" + tail).encode()


@dataclass(frozen=True)
class Load:
    """The load that is asked of every client: `connections` kept alive, one thread, for `seconds`. With `streams` it is asked by
    HTTP/2, so many requests at once on each connection."""

    url: str
    connections: int
    seconds: int
    folder: Path
    streams: int = 0
    certificate: Path | None = None  # the one root of those clients that judge a server's

    @property
    def body(self) -> Path:
        path = self.folder / "request.xml"
        if not path.exists():
            path.write_bytes(request_body())
        return path


@dataclass(frozen=True)
class Client:
    """`command` gives the arguments for a load; `rate` reads the requests per second from what the client says."""

    name: str
    install: str
    command: Callable[[str, Load], list[str]]
    rate: Callable[[Used], float]
    version: tuple[str, ...] = ("--version",)

    def program(self, given: str | None = None) -> str | None:
        return given or shutil.which(self.name)


def _pattern(pattern: str) -> Callable[[Used], float]:
    def read(used: Used) -> float:
        found = re.search(pattern, used.output + used.errors)
        if found is None:
            raise ValueError(f"no rate in: {(used.output + used.errors)[-400:]!r}")
        return float(found.group(1).replace(",", ""))

    return read


def _engine(program: str, load: Load) -> list[str]:
    users = load.connections * max(load.streams, 1)
    return [
        program, "load", load.url, "--method", "POST", "--body", str(load.body),
        "--header", f"Content-Type: {CONTENT_TYPE}", "--header", f"SOAPAction: {SOAP_ACTION}",
        "--users", str(users), "--for", f"{load.seconds}s",
        *(["--http2", "--streams", str(load.streams)] if load.streams else []),
        "--expect-status", "200", "--expect-contains", "<echoVoidResponse", "--json",
    ]  # fmt: skip


def _wrk(program: str, load: Load) -> list[str]:
    # No `request` function, so that wrk builds the request once.
    script = load.folder / "request.lua"
    script.write_text(
        'wrk.method = "POST"\n'
        f"wrk.body = [==[{load.body.read_text()}]==]\n"
        f"wrk.headers['Content-Type'] = '{CONTENT_TYPE}'\n"
        f"wrk.headers['SOAPAction'] = '{SOAP_ACTION}'\n"
    )
    return [program, "-t1", f"-c{load.connections}", f"-d{load.seconds}s", "--latency", "-s", str(script), load.url]


def _ab(program: str, load: Load) -> list[str]:
    # ab reserves room for -n results, and -t alone would mean 50,000 of them.
    return [
        program, "-q", "-k", "-c", str(load.connections), "-t", str(load.seconds), "-n", "20000000",
        "-p", str(load.body), "-T", CONTENT_TYPE, "-H", f"SOAPAction: {SOAP_ACTION}", load.url,
    ]  # fmt: skip


def _h2load(program: str, load: Load) -> list[str]:
    protocol = f"-m{load.streams}" if load.streams else "--h1"
    return [
        program, protocol, "-t1", f"-c{load.connections}", "-D", str(load.seconds), "-d", str(load.body),
        "-H", f"content-type: {CONTENT_TYPE}", "-H", f"soapaction: {SOAP_ACTION}", load.url,
    ]  # fmt: skip


def _oha(program: str, load: Load) -> list[str]:
    return [
        program, *(["--http2", "-p", str(load.streams)] if load.streams else []),
        "--no-tui", "--output-format", "json", "-c", str(load.connections), "-z", f"{load.seconds}s",
        "-m", "POST", "-D", str(load.body), "-H", f"Content-Type: {CONTENT_TYPE}",
        "-H", f"SOAPAction: {SOAP_ACTION}", load.url,
    ]  # fmt: skip


def _k6(program: str, load: Load) -> list[str]:
    script = load.folder / "request.js"
    script.write_text(
        "import http from 'k6/http';\n"
        f"const body = {json.dumps(load.body.read_text())};\n"
        f"const headers = {json.dumps({'Content-Type': CONTENT_TYPE, 'SOAPAction': SOAP_ACTION})};\n"
        f"export const options = {{ vus: {load.connections}, duration: '{load.seconds}s' }};\n"
        f"export default function () {{ http.post({json.dumps(load.url)}, body, {{ headers }}); }}\n"
    )
    return [program, "run", "--quiet", "--no-usage-report", str(script)]


def _siege(program: str, load: Load) -> list[str]:
    settings = load.folder / "siegerc"
    settings.write_text(
        "connection = keep-alive\nlimit = 20000\nverbose = false\nlogging = false\njson_output = true\n"
    )
    # Its clock ends a run up to a second early; the rate that it says is by its own time.
    return [
        program, f"--rc={settings}", "-b", "-c", str(load.connections), "-t", f"{load.seconds + 1}S",
        f"--content-type={CONTENT_TYPE}", "-H", f"SOAPAction: {SOAP_ACTION}", f"{load.url} POST <{load.body}",
    ]  # fmt: skip


ENGINE = Client(
    "steelyard-engine",
    "cargo build --release --features testservers --manifest-path engine/Cargo.toml",
    _engine,
    lambda used: float(json.loads(used.output)["throughput_per_s"]),
)
PEERS = [
    Client("wrk", "apt-get install wrk", _wrk, _pattern(r"Requests/sec:\s+([\d.]+)"), ("-v",)),
    Client("ab", "apt-get install apache2-utils", _ab, _pattern(r"Requests per second:\s+([\d.]+)"), ("-V",)),
    Client("h2load", "apt-get install nghttp2-client", _h2load, _pattern(r"finished in [\d.]+m?s, ([\d.]+) req/s")),
    Client("oha", "cargo install oha", _oha, lambda used: float(json.loads(used.output)["summary"]["requestsPerSec"])),
    Client("k6", "go install go.k6.io/k6@latest", _k6, _pattern(r"http_reqs\.*:\s+\d+\s+([\d.]+)/s"), ("version",)),
    Client("siege", "apt-get install siege", _siege, _pattern(r'"transaction_rate":\s+([\d.]+)')),
]
# Those that are judged over TLS: they do HTTP/1.1 on one thread as the engine does. Neither judges the server's certificate.
TLS_PEERS = [peer for peer in PEERS if peer.name in ("wrk", "h2load")]
# Those that speak HTTP/2 by prior knowledge, and may be asked for as many requests at once as the engine.
HTTP2_PEERS = [peer for peer in PEERS if peer.name in ("h2load", "oha")]

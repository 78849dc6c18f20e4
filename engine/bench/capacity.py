"""Throughput and processor time of the engine against each peer, in pairs that alternate, against one nginx."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from clients import ENGINE, HTTP2_PEERS, PEERS, TLS_PEERS, Client, Load
from processes import CLIENT_CPU, SERVER_CPU, BenchError, BusyShare, Nginx, Used, nginx, run_client
from quiet import Quiet

# One connection for all, as h2load has it where nothing else is said.
HTTP2_STREAMS = 30
COLUMNS = [
    "peer", "connections", "pair", "place", "client", "seconds", "requests", "rate_per_s",
    "user_us_per_request", "system_us_per_request", "client_cpu_busy", "server_cpu_busy", "others_cpu",
]  # fmt: skip


@dataclass(frozen=True)
class Settings:
    engine: str
    nginx: str
    keeper: str
    pairs: int
    seconds: int
    connections: list[int]
    peers: list[str]
    quiet: Quiet


def versions(engine: str) -> dict[str, str]:
    """Each client's name with what it says of its version, or `not installed`."""
    found = {}
    for client in [ENGINE, *PEERS]:
        program = client.program(engine if client is ENGINE else None)
        if program is None:
            found[client.name] = f"not installed ({client.install})"
            continue
        with tempfile.TemporaryDirectory() as home:
            # siege makes itself a folder at home.
            environment = {**os.environ, "HOME": home}
            said = subprocess.run(
                [program, *client.version], capture_output=True, text=True, check=False, env=environment
            )
        number = re.search(r"\d+\.\d+(\.\d+)?", said.stdout + said.stderr)
        found[client.name] = number[0] if number else "installed"
    return found


def measure(settings: Settings) -> Iterator[dict[str, object]]:
    """One row for each client in each pair. In every other pair the peer goes first."""
    with (
        tempfile.TemporaryDirectory(prefix="steelyard-bench-") as folder,
        nginx(settings.nginx, settings.keeper) as server,
    ):
        for connections in settings.connections:
            load = Load(server.url, connections, settings.seconds, Path(folder))
            yield from _pairs(settings, PEERS, load, server)


def measure_http2(settings: Settings) -> Iterator[dict[str, object]]:
    """The same by HTTP/2, with all requests at once on one connection."""
    with (
        tempfile.TemporaryDirectory(prefix="steelyard-bench-") as folder,
        nginx(settings.nginx, settings.keeper, http2=True) as server,
    ):
        load = Load(server.http2_url, 1, settings.seconds, Path(folder), HTTP2_STREAMS)
        yield from _pairs(settings, HTTP2_PEERS, load, server)


def measure_tls(settings: Settings) -> Iterator[dict[str, object]]:
    """The same as `measure` over TLS: connections that are kept, so records and no handshakes."""
    with (
        tempfile.TemporaryDirectory(prefix="steelyard-bench-") as folder,
        nginx(settings.nginx, settings.keeper, tls=True) as server,
    ):
        load = Load(
            server.tls_url, max(settings.connections), settings.seconds, Path(folder), certificate=server.certificate
        )
        yield from _pairs(settings, TLS_PEERS, load, server)


def _pairs(settings: Settings, peers: list[Client], load: Load, server: Nginx) -> Iterator[dict[str, object]]:
    for peer in peers:
        program = peer.program()
        if peer.name not in settings.peers:
            continue
        if program is None:
            print(f"  {peer.name} is not installed, and left out: {peer.install}", file=sys.stderr)
            continue
        both = [(ENGINE, settings.engine), (peer, program)]
        for pair in range(settings.pairs):
            order = both if pair % 2 == 0 else both[::-1]
            rows = settings.quiet.measure(lambda: [run_once(*one, load, server) for one in order])  # noqa: B023
            for place, row in enumerate(rows):
                yield {"peer": peer.name, "connections": load.connections, "pair": pair, "place": place, **row}


def run_once(client: Client, program: str, load: Load, server: Nginx) -> dict[str, object]:
    """One client alone on its processor. Requests are counted by the server, for all clients alike."""
    argv = client.command(program, load)
    before = server.requests()
    busy = BusyShare()
    environment = {"HOME": str(load.folder)}
    if load.certificate is not None:
        environment["SSL_CERT_FILE"] = str(load.certificate)
    used = run_client(argv, cpu=CLIENT_CPU, environment=environment)
    client_busy, server_busy = busy.read(CLIENT_CPU), busy.read(SERVER_CPU)
    requests = server.requests() - before - 1
    try:
        rate = client.rate(used)
    except (ValueError, KeyError) as error:
        raise BenchError(f"{client.name} ended with code {used.returncode} and cannot be read: {error}") from error
    check_count(client, used, requests, rate)
    return {
        "client": client.name,
        "seconds": load.seconds,
        "requests": requests,
        "rate_per_s": round(rate, 1),
        "user_us_per_request": round(used.user_s * 1e6 / requests, 4),
        "system_us_per_request": round(used.system_s * 1e6 / requests, 4),
        "client_cpu_busy": round(client_busy, 4),
        "server_cpu_busy": round(server_busy, 4),
    }


def check_count(client: Client, used: Used, requests: int, rate: float) -> None:
    """Say when a client's own rate does not fit the requests that the server counted while it ran, its start included."""
    if requests <= 0:
        raise BenchError(f"{client.name} sent nothing: {(used.errors or used.output)[-300:]!r}")
    if not 0.98 <= rate / (requests / used.elapsed_s) <= 1.5:
        counted = f"the server counted {requests} in {used.elapsed_s:.1f} s"
        print(f"  {client.name} says {rate:.0f} requests a second; {counted}", file=sys.stderr)

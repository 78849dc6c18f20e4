"""Connections of a load: every address of a host, orderly ends, names, cookies, exact counts; against servers that count."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from command import Ran, steelyard
from steelyard.base.errors import NoAnswerError
from steelyard.base.http_client import HttpClient

Answer = Callable[[int], tuple[bytes, bool]]
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy"
SHORT = ("--users", "4", "--for", "0.5s", "--warm-up", "0.1s", "--json")


def right(_: int) -> tuple[bytes, bool]:
    """A right answer, after which the connection goes on."""
    return OK, True


@dataclass
class Counts:
    """What a server was asked: requests and connections by the address that they came to, and their heads."""

    requests: Counter[str] = field(default_factory=Counter)
    connections: Counter[str] = field(default_factory=Counter)
    heads: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


@contextmanager
def server(addresses: Sequence[str], answer: Answer = right) -> Iterator[tuple[int, Counts]]:
    """A server on one port of these addresses; `answer` gives that to the n-th request, and whether its connection goes on."""
    counts, port = Counts(), 0
    with ExitStack() as stack:
        for address in addresses:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            listener = stack.enter_context(socket.create_server((address, port), family=family, backlog=200))
            port = listener.getsockname()[1]
            threading.Thread(target=_accept, args=(listener, address, answer, counts), daemon=True).start()
            stack.callback(listener.shutdown, socket.SHUT_RDWR)  # wakes who accepts
        yield port, counts


def _accept(listener: socket.socket, address: str, answer: Answer, counts: Counts) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with counts.lock:
            counts.connections[address] += 1
        threading.Thread(target=_talk, args=(connection, address, answer, counts), daemon=True).start()


def _talk(connection: socket.socket, address: str, answer: Answer, counts: Counts) -> None:
    with connection, connection.makefile("rb") as stream:
        try:
            while head := _head(stream):
                length = next((int(line[15:]) for line in head.splitlines() if line.startswith("Content-Length:")), 0)
                stream.read(length)
                with counts.lock:
                    counts.requests[address] += 1
                    counts.heads.append(head)
                    number = counts.requests.total()
                said, goes_on = answer(number)
                connection.sendall(said)
                if not goes_on:
                    return
        except OSError:
            return


def _head(stream: Any) -> str:
    lines = []
    while (line := stream.readline()) not in (b"", b"\r\n"):
        lines.append(line.decode())
    return "".join(lines)


@pytest.fixture
def resolves(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Sequence[str]], None]:
    """Has a name resolve to these addresses."""
    known: dict[str, Sequence[str]] = {}
    real = socket.getaddrinfo

    def resolved(host: Any, port: Any, *settings: Any, **more: Any) -> Any:
        if host not in known:
            return real(host, port, *settings, **more)
        return [found for address in known[host] for found in real(address, port, *settings, **more)]

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    return known.__setitem__


def loaded(ran: Ran) -> dict[str, Any]:
    """The figures that a load printed, which are valid."""
    assert ran.code == 0, ran.err
    output: dict[str, Any] = json.loads(ran.out)
    assert output["valid"], output["why_not"]
    return output


def about(output: dict[str, Any], part: str) -> list[str]:
    return [note for note in output["notes"] if part in note]


@pytest.mark.parametrize(
    ("addresses", "listening"), [(("::1", "127.0.0.1"), "127.0.0.1"), (("127.0.0.1", "::1"), "::1")]
)
def test_a_server_that_listens_on_one_address_of_its_name_is_found_whichever_comes_first(
    addresses: Sequence[str], listening: str, tmp_path: Path, resolves: Callable[[str, Sequence[str]], None]
) -> None:
    resolves("both.test", addresses)
    with server([listening]) as (port, counts):
        output = loaded(steelyard("load", f"http://both.test:{port}/", *SHORT, folder=tmp_path))
    assert output["failed"] == 0 and output["sent"] == counts.requests.total() > 10
    assert about(output, "spread evenly") == []
    assert f"Host: both.test:{port}\r\n" in counts.heads[0]


def test_connections_are_dealt_over_all_addresses_that_accept_and_the_output_names_them(
    tmp_path: Path, resolves: Callable[[str, Sequence[str]], None]
) -> None:
    resolves("many.test", ["127.0.0.2", "127.0.0.3", "127.0.0.4"])
    with server(["127.0.0.2", "127.0.0.4"]) as (port, counts):
        output = loaded(steelyard("load", f"http://many.test:{port}/", "--users", "8", *SHORT[2:], folder=tmp_path))
    assert about(output, "spread evenly") == ["connections were spread evenly over 127.0.0.2, 127.0.0.4"]
    assert output["failed"] == 0 and output["sent"] == counts.requests.total()
    asked = {address: counts.connections[address] for address in ("127.0.0.2", "127.0.0.4")}
    # Four users each; the lab's look and the verification come beside them.
    assert min(asked.values()) >= 4 and max(asked.values()) - min(asked.values()) <= 3, asked


def test_a_name_with_an_address_of_another_machine_is_not_this_machine(
    tmp_path: Path, resolves: Callable[[str, Sequence[str]], None]
) -> None:
    resolves("mixed.test", ["127.0.0.1", "192.0.2.1"])
    with server(["127.0.0.1"]) as (port, counts):
        ran = steelyard("load", f"http://mixed.test:{port}/", *SHORT, folder=tmp_path)
    assert ran.code != 0 and "is not this machine" in ran.err
    assert counts.connections.total() == 0


def test_the_labs_own_question_goes_to_the_addresses_that_are_known_and_to_no_other() -> None:
    with server(["127.0.0.1"]) as (port, _):
        asked = HttpClient(f"http://no-such-host.invalid:{port}/", 5, addresses=["::1", "127.0.0.1"])
        assert asked.get({}).body == b"ok"
        asked.close()
        with pytest.raises(NoAnswerError):
            HttpClient(f"http://127.0.0.1:{port}/", 5, addresses=["127.0.0.9"]).get({})


@pytest.mark.parametrize(("users", "requests"), [(7, 1000), (7, 5), (4, 8)])
def test_as_many_requests_are_sent_as_are_asked_for(users: int, requests: int, tmp_path: Path) -> None:
    with server(["127.0.0.1"]) as (port, counts):
        words = ("--users", str(users), "--max-requests", str(requests), "--json")
        output = loaded(steelyard("load", f"http://127.0.0.1:{port}/", *words, folder=tmp_path))
    verified = output["outside_by"]["verification"]
    assert (output["completed"], output["sent"]) == (requests, requests + verified)
    assert counts.requests.total() == requests + verified
    assert f"{requests:,} requests" in output["load"]


def test_a_server_that_closes_every_connection_in_silence_costs_reconnects_and_no_failure(tmp_path: Path) -> None:
    with server(["127.0.0.1"], lambda _: (OK, False)) as (port, counts):
        output = json.loads(steelyard("load", f"http://127.0.0.1:{port}/", *SHORT, folder=tmp_path).out)
    assert output["failed"] == 0 and counts.requests.total() == output["sent"]
    # On a busy machine it often closes just when the next request comes, and then nobody knows whether it received that.
    assert all("may have received them" in why for why in output["why_not"])
    said = about(output, "sent again, since")
    assert len(said) == (output["reconnects"] > 0)
    assert all(note.startswith(f"{output['reconnects']} request") for note in said)


def test_the_pause_after_a_failure_is_shown_where_users_kept_one(tmp_path: Path) -> None:
    def every_third_fails(number: int) -> tuple[bytes, bool]:
        return (BUSY if number > 1 and number % 3 == 0 else OK), True  # the first verifies

    with server(["127.0.0.1"], every_third_fails) as (port, _):
        failed = json.loads(steelyard("load", f"http://127.0.0.1:{port}/", *SHORT, folder=tmp_path).out)
    with server(["127.0.0.1"], every_third_fails) as (port, _):
        words = ("--rate", "100/s", *SHORT[2:])
        by_rate = json.loads(steelyard("load", f"http://127.0.0.1:{port}/", *words, folder=tmp_path).out)
    with server(["127.0.0.1"]) as (port, _):
        well = loaded(steelyard("load", f"http://127.0.0.1:{port}/", *SHORT, folder=tmp_path))
    assert failed["failed"] > 0 and about(failed, "after a failed request") == [
        "each user waits 10 ms after a failed request"
    ]
    assert by_rate["failed"] > 0 and about(by_rate, "after a failed request") == []
    assert about(well, "after a failed request") == []


def test_a_cookie_of_the_users_own_a_path_and_a_name_in_any_script_are_sent(
    tmp_path: Path, resolves: Callable[[str, Sequence[str]], None]
) -> None:
    resolves("xn--mller-kva.test", ["127.0.0.1"])
    with server(["127.0.0.1"]) as (port, counts):
        url = f"http://müller.test:{port}/café/%41?q=ü"
        output = loaded(steelyard("load", url, "--header", "Cookie: a=b; c=d", *SHORT, folder=tmp_path))
    assert output["failed"] == 0
    assert counts.heads[-1].startswith("GET /caf%C3%A9/%41?q=%C3%BC HTTP/1.1\r\n")
    assert f"Host: xn--mller-kva.test:{port}\r\n" in counts.heads[-1]
    assert counts.heads[-1].count("Cookie: ") == 1 and "Cookie: a=b; c=d\r\n" in counts.heads[-1]


def test_a_service_file_may_name_its_host_and_path_in_any_script(
    tmp_path: Path, resolves: Callable[[str, Sequence[str]], None]
) -> None:
    resolves("xn--mller-kva.test", ["127.0.0.1"])
    with server(["127.0.0.1"]) as (port, counts):
        (tmp_path / "shop").mkdir()
        (tmp_path / "shop" / "a.txt").write_text("hello")
        (tmp_path / "shop" / "service.toml").write_text(
            f'name = "shop"\ntitle = "a shop"\nmeaning = "bytes"\npath = "/"\ntarget = "http://müller.test:{port}"\n'
            '[operations.a]\nmeaning = "a"\nsample = "a.txt"\npath = "/café"\n'
        )
        output = loaded(steelyard("load", "./shop", *SHORT, folder=tmp_path))
    assert output["failed"] == 0 and counts.heads[-1].startswith("POST /caf%C3%A9 HTTP/1.1\r\n")
    assert f"Host: xn--mller-kva.test:{port}\r\n" in counts.heads[-1]


def test_a_name_that_dns_cannot_have_is_refused_in_one_sentence(tmp_path: Path) -> None:
    ran = steelyard("load", "http://é..test/", *SHORT, folder=tmp_path)
    assert ran.code != 0 and ran.out == ""
    assert ran.err.startswith("error: the host of http://é..test is not a valid DNS name (IDNA)\nhint:")


@contextmanager
def nginx_with(folder: Path, directives: str) -> Iterator[str]:
    """The address of an nginx that speaks HTTP/2 without TLS, with these directives of its server."""
    nginx = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    if nginx is None:
        pytest.skip("nginx is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    places = "".join(
        f"{place}_temp_path {folder}/{place};" for place in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"pid {folder}/pid; error_log {folder}/error.log; daemon off; events {{}}\n"
        f"http {{ access_log off; {places} server {{ listen 127.0.0.1:{port} http2; {directives} }} }}\n"
    )
    with subprocess.Popen([nginx, "-c", folder / "nginx.conf"], stderr=subprocess.DEVNULL) as running:
        try:
            _await(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            running.terminate()


def test_redirects_are_followed_over_http_2_within_the_server(tmp_path: Path) -> None:
    served = 'location = / { return 302 /there; } location = /there { return 200 "ok"; }'
    with nginx_with(tmp_path, served) as address:
        words = ("--http2", "--follow-redirects", "--users", "3", "--max-requests", "30", "--json")
        output = loaded(steelyard("load", f"{address}/", *words, folder=tmp_path))
    assert (output["completed"], output["failed"], output["redirects"]) == (30, 0, 30)


def test_nginx_recycles_connections_of_http_2_in_order_and_no_request_fails(tmp_path: Path) -> None:
    with nginx_with(tmp_path, 'return 200 "ok";') as address:
        words = ("--http2", "--users", "30", "--max-requests", "20000", "--json")
        output = loaded(steelyard("load", f"{address}/", *words, folder=tmp_path))
    assert (output["completed"], output["failed"]) == (20_000, 0)
    # It closes each connection after 1,000 requests, whose streams of that moment go to the next one.
    assert output["reconnects"] > 0 and len(about(output, "sent again, since")) == 1


def _await(port: int) -> None:
    patience = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert time.monotonic() < patience, "nginx does not listen"
            time.sleep(0.05)

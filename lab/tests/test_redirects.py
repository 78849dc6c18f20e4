"""`load --follow-redirects`: redirects are a part of their request, lead only where they may, and are counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from answering import Reply, answering
from command import Ran, steelyard

WORDS = ("--users", "2", "--max-requests", "20", "--json")


@contextmanager
def shop(location: str, asked: Counter[str]) -> Iterator[str]:
    """A server that redirects from / to `location`; every other path is right."""

    def answer(request: BaseHTTPRequestHandler, _: bytes) -> Reply:
        asked[f"{request.command} {request.path} {request.headers['Host'].partition(':')[0]}"] += 1
        if request.path == "/":
            return 302, {"Location": location.format(port=request.server.server_address[1])}, b"over there"
        return 200, {}, b"here"

    with answering(answer) as address:
        yield address


def load(folder: Path, *words: str) -> Ran:
    return steelyard("load", *words, *WORDS, folder=folder)


def test_a_chain_is_one_request_and_its_redirects_are_counted(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    with shop("/there", asked) as address:
        outcome = load(tmp_path, address, "--method", "POST", "--body", "{}", "--follow-redirects").outcome
    assert (outcome["completed"], outcome["failed"], outcome["sent"]) == (20, 0, 21)
    assert outcome["redirects"] == 20 and outcome["statuses"] == {"200": 21}
    assert asked == {"POST / 127.0.0.1": 21, "GET /there 127.0.0.1": 21}
    assert "20 redirects were followed: the time of a request includes its redirects" in outcome["notes"]


def test_without_the_option_a_redirect_is_the_answer(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    with shop("/there", asked) as address:
        ran = load(tmp_path, address)
        outcome = load(tmp_path, address, "--expect", "status=302").outcome
    assert ran.code == 1 and "HTTP 302, expected 200" in ran.err
    assert (outcome["completed"], outcome["redirects"]) == (20, 0)
    assert set(asked) == {"GET / 127.0.0.1"}


def test_a_redirect_leads_to_another_name_of_this_machine_and_to_no_other_host(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    with shop("http://localhost:{port}/there", asked) as address:
        outcome = load(tmp_path, address, "--follow-redirects").outcome
    assert (outcome["completed"], asked["GET /there localhost"]) == (20, 21)
    with shop("http://other.test:{port}/there", asked) as address:
        ran = load(tmp_path, address, "--follow-redirects")
    assert ran.code == 1 and "a redirect to a host that is not declared" in ran.err, ran.err
    assert asked["GET /there other.test"] == 0


def service(folder: Path, target: str, more: str = "") -> None:
    (folder / "shop").mkdir()
    (folder / "shop" / "service.toml").write_text(
        f'name = "shop"\ntitle = "Shop"\nmeaning = "json"\npath = "/"\ntarget = "{target}"\n{more}\n'
        '[expect]\nfault = "any"\n[operations.get]\nmeaning = "an item"\nmethod = "GET"\n'
    )


def test_a_service_file_declares_further_hosts_whose_address_may_be_given(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    with shop("http://Other.test:{port}/there", asked) as address:
        port = address.rpartition(":")[2]
        service(tmp_path, address, 'redirect_hosts = ["other.test"]')
        given = ("--resolve", f"other.test:{port}:127.0.0.1")
        outcome = load(tmp_path, "./shop", "--follow-redirects", *given).outcome
    assert (outcome["completed"], outcome["redirects"], asked["GET /there other.test"]) == (20, 20, 21)


def test_a_declared_host_on_another_machine_needs_the_declaration_of_one(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    with shop("http://other.test/there", asked) as address:
        service(tmp_path, address, 'redirect_hosts = ["192.0.2.1"]')
        ran = load(tmp_path, "./shop", "--follow-redirects")
    assert ran.code == 1 and "is not this machine" in ran.err and not asked, ran.err


def test_an_endless_redirect_is_named(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    with shop("/", asked) as address:
        ran = load(tmp_path, address, "--follow-redirects")
    assert ran.code == 1 and "more than 10 redirects in a row" in ran.err, ran.err
    assert asked == {"GET / 127.0.0.1": 11}


def test_an_address_that_is_given_leaves_the_host_its_name(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    with shop("/there", asked) as address:
        port = address.rpartition(":")[2]
        given = ("--resolve", f"shop.test:{port}:127.0.0.1")
        outcome = load(tmp_path, f"http://shop.test:{port}/a", *given).outcome
        stranger = load(tmp_path, address, *given)
    assert outcome["completed"] == 20 and set(asked) == {"GET /a shop.test"}
    assert stranger.code == 64 and f"--resolve 127.0.0.1:{port}:ADDRESS" in stranger.err, stranger.err


@pytest.mark.parametrize("words", ["shop.test:80", "shop.test:80:name", "shop.test:0:127.0.0.1", "*:80:127.0.0.1"])
def test_words_that_give_no_address_are_refused(words: str, tmp_path: Path) -> None:
    ran = load(tmp_path, "http://shop.test/", "--resolve", words)
    assert ran.code == 64 and "is not HOST:PORT:ADDRESS" in ran.err, ran.err


def test_redirects_and_addresses_are_left_out_of_an_export_by_name(tmp_path: Path) -> None:
    ran = steelyard(
        "export",
        "http://shop.test:8080/",
        "--k6",
        "--follow-redirects",
        *("--resolve", "shop.test:8080:127.0.0.1", "--json"),
        folder=tmp_path,
    )
    assert ran.code == 0, ran.err
    left = {each["what"] for each in json.loads(ran.out)["tools"][0]["left_out"]}
    assert {"--follow-redirects", "--resolve"} <= left

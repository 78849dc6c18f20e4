"""Which clients work with which servers: a failure is a cell with its reason, and the page equals the stored results."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from programs import program
from rich.console import Console
from steelyard.base.errors import ToolchainError
from steelyard.base.progress import Progress

ROOT = Path(__file__).parents[2]
CONTRACT = ROOT / "services" / "soakit" / "contract"
CLIENT = """
title = "A client of a test"
version = "1"
language = "sh"
generate = ["sh", "-c", "cp '{wsdl}' '{made}/code'"]
compile = ["sh", "-c", "%s"]
call = ["sh", "-c", "%s"]
"""


@pytest.fixture(scope="module")
def tools() -> tuple[ModuleType, ModuleType]:
    """tools/interoperability.py and tools/client_calls.py."""
    module = program("interoperability")
    return module, sys.modules["client_calls"]


@pytest.fixture
def outcome(tools: tuple[ModuleType, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """How far a client comes whose compiler and call are these lines of shell."""
    page, calls = tools
    monkeypatch.setattr(calls, "CLIENTS", tmp_path)
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    request, answer = page.CARRIAGES["string"].envelopes(CONTRACT)

    def come(compiles: str, calling: str, said: str = "") -> Any:
        (tmp_path / "a").mkdir(exist_ok=True)
        (tmp_path / "a" / "client.toml").write_text(CLIENT % (compiles, calling))
        (tmp_path / "a" / "said").write_text(said)
        with Progress(Console(quiet=True)) as progress:
            ready = calls.provided("a", calls.clients()["a"], progress)
        wsdl = str(CONTRACT / "soakit.wsdl")
        made = calls.made(ready, wsdl, tmp_path / "made")
        if made.reached != "compiled":
            return made
        return calls.called(
            ready, calls.Asked(wsdl, "http://127.0.0.1:1/a", "buffetText", request, answer), tmp_path / "made"
        )

    yield come


def test_a_generator_whose_code_does_not_compile_is_a_cell_with_the_compilers_words(outcome: Any) -> None:
    came = outcome("echo compiling; echo '{made}/sources/a/Order.java:12: error: cannot find symbol'; exit 1", "true")
    assert (came.reached, came.said) == ("generated", "Order.java:12: error: cannot find symbol")


def test_a_call_that_fails_is_a_cell_without_folders_and_ports_of_this_machine(outcome: Any) -> None:
    came = outcome(
        "test -s '{made}/code'", "echo 'Fault at {made}/x: http://127.0.0.1:4711/a, /opt/b/c.jar' >&2; exit 3"
    )
    assert (came.reached, came.said) == ("compiled", "Fault at x: http://SERVER/a, c.jar")


def test_the_reason_is_the_error_and_not_the_line_of_a_source_that_a_program_shows_with_it(outcome: Any) -> None:
    came = outcome(
        "true",
        "cat said >&2; exit 1",
        "/lib/a.js:3\n  const error = make('failed')\n  ^\n\nError: no answer came\n    at a.js",
    )
    assert (came.reached, came.said) == ("compiled", "Error: no answer came")


def test_an_answer_counts_as_right_only_where_every_value_is_the_contracts(
    outcome: Any, tools: tuple[ModuleType, ModuleType]
) -> None:
    page, calls = tools
    right = calls.content_of(page.CARRIAGES["string"].envelopes(CONTRACT)[1])[0].text
    came = outcome("true", "cat said; test -s '{request}' && test -s '{values}'", right.replace("dozen", "Dozen"))
    assert came.reached == "answered"
    assert outcome("true", "true").said == "the answer is empty"
    assert came.said == "Value 1 of Violation 20 of the answer is 'Dozen', expected 'dozen'"


def test_what_clients_print_means_the_same_as_xml_as_json_and_within_a_text(
    tools: tuple[ModuleType, ModuleType],
) -> None:
    _, calls = tools
    places_as_xml = "<b:Place><b:X> </b:X></b:Place><b:Place><b:X>b</b:X></b:Place>"
    document = f'<b:V xmlns:b="urn:b"><b:Number>1</b:Number><b:Rest/>{places_as_xml}</b:V>'
    expected = {"Number": ["1"], "Rest": [""], "Place": [{"X": [" "]}, {"X": ["b"]}]}
    places = [{"X": " "}, {"X": "b"}]
    for printed in (
        document,
        f"<answer>{document}</answer>",
        json.dumps({"answer": document}),
        json.dumps(document),
        json.dumps({"Number": 1, "Rest": None, "Place": places}),
        json.dumps(
            {"attributes": {"xmlns": "urn:b"}, "V": {"Number": "1", "Rest": "", "Place": places, "$attributes": {}}}
        ),
    ):
        assert calls.told(printed) == expected, printed
    assert (
        calls.difference(expected, {**expected, "Place": [{"X": [" "]}]})
        == "Place occurs 1 times in the answer, expected 2"
    )


def test_a_client_whose_command_is_not_here_says_which(
    outcome: Any, tools: tuple[ModuleType, ModuleType], tmp_path: Path
) -> None:
    _, calls = tools
    outcome("true", "false")
    (tmp_path / "a" / "client.toml").write_text(
        (CLIENT % ("true", "true")) + 'needs = { commands = ["no-such-command"] }\n'
    )
    with Progress(Console(quiet=True)) as progress, pytest.raises(ToolchainError, match="no-such-command"):
        calls.provided("a", calls.clients()["a"], progress)


def test_the_page_shows_every_client_and_every_server_asked_and_names_those_not_asked(
    tools: tuple[ModuleType, ModuleType],
) -> None:
    page, calls = tools
    kept = page.raw()
    assert len(kept.servers) >= 3 and {cell.client for cell in kept.cells} | set(kept.missing) == set(calls.clients())
    text = page.page(kept)
    assert text == page.PAGE.read_text(encoding="utf-8")
    unasked = set(page.askable()) - set(kept.servers)
    assert all(f"| `{name}` |" in text for name in [*calls.clients(), *kept.servers])
    assert all(name in text.partition("Not tested yet: ")[2] for name in unasked)


def test_a_cell_says_how_far_it_came_why_and_by_whose_description(tools: tuple[ModuleType, ModuleType]) -> None:
    page, calls = tools
    client = next(iter(calls.clients()))
    server = page.AskedServer(
        title="S", version="1", stack="t", date="2026-01-01", publishes={"string": "", "xml": "HTTP status 405"}
    )
    cell = {"server": "s", "client": client}
    kept = page.Raw(
        servers={"s": server},
        cells=[
            page.Cell(**cell, carriage="string", published=True, reached="generated", said="no `symbol`"),
            page.Cell(**cell, carriage="xml", published=False, reached="right", said=""),
        ],
    )
    text = page.page(kept)
    assert f"| `{client}` | does not compile (1) |" in text and "1. `no 'symbol'`" in text
    assert f"| `{client}` | right \\* |" in text
    assert "Text: its description; Buffet: HTTP status 405" in text

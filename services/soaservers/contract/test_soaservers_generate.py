"""The contract holds together: exchanges fit the schema, sizes are met to the byte, and answers follow from requests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import etree

CONTRACT = Path(__file__).parent
SCRIPT = CONTRACT / "generate.py"
SIZES = {"single": 259, "large": 129_890, "pair": 262, "mesh": 260}
SCHEMA = etree.XMLSchema(etree.parse(str(CONTRACT / "soaservers.xsd")))
REQUESTS = sorted(CONTRACT.glob("exchanges/*/*.request.xml"))
SPACE = "{urn:steelyard:soaservers}"


def command(operation: str, seed: int, count: int, *sets: str) -> list[str]:
    words = [word for one in sets for word in ("--set", one)]
    return [sys.executable, str(SCRIPT), "--operation", operation, "--seed", str(seed), "--count", str(count), *words]


def generate(
    operation: str, *sets: str, seed: int = 1, count: int = 5, graph: Path | None = None
) -> list[dict[str, str]]:
    environment = {**os.environ, "STEELYARD_GRAPH": str(graph or "")}
    argv = command(operation, seed, count, *sets)
    done = subprocess.run(argv, capture_output=True, text=True, check=True, env=environment)
    return [json.loads(line) for line in done.stdout.splitlines()]


def payload(text: str) -> etree._Element:
    """The body's element as a document of its own, valid by the schema."""
    ((element,),) = etree.fromstring(text.encode())
    alone = etree.fromstring(etree.tostring(element, with_tail=False))
    SCHEMA.assertValid(alone)
    return alone


def parameters(element: etree._Element) -> list[str]:
    return [child.text or "" for child in element]


def tokens(element: etree._Element) -> list[tuple[str, int, list[str]]]:
    return [
        (
            token.findtext(f"{SPACE}service"),
            int(token.findtext(f"{SPACE}depth")),
            [carried.text or "" for carried in token.iter(f"{SPACE}parameter")],
        )
        for token in element
    ]


def mesh(name: str, depth: int) -> list[tuple[str, int]]:
    """Service and depth of each token below a service of the contract's own graph, read here a second way."""
    (service,) = etree.parse(CONTRACT / "graph.xml").xpath("//*[@name=$name]", name=name)
    below = [token for callee in service.get("calls", "").split() for token in mesh(callee, depth + 1)]
    return [(name, depth), *below]


@pytest.mark.parametrize("operation", SIZES)
def test_a_request_is_as_long_as_the_thesis_says_to_the_byte(operation: str) -> None:
    assert {len(exchange["request"].encode()) for exchange in generate(operation)} == {SIZES[operation]}


@pytest.mark.parametrize("operation", SIZES)
@pytest.mark.parametrize("size", [250, 251, 300, 5000])
def test_any_size_is_met_to_the_byte(operation: str, size: int) -> None:
    for exchange in generate(operation, f"{operation.capitalize()}Bytes={size}"):
        assert len(exchange["request"].encode()) == size


@pytest.mark.parametrize("operation", SIZES)
def test_a_random_answer_has_a_token_a_visit_with_the_requests_parameters(operation: str) -> None:
    shape = {"pair": [("main", 0), ("left", 1), ("right", 1)], "mesh": mesh("s1", 0)}.get(operation, [("single", 0)])
    for exchange in generate(operation):
        asked, answered = payload(exchange["request"]), payload(exchange["answer"])
        assert tokens(answered) == [(service, depth, parameters(asked)) for service, depth in shape]
        assert parameters(asked)[0].startswith(exchange["marker"])
    assert len({exchange["marker"] for exchange in generate(operation, count=50)}) == 50


@pytest.mark.parametrize("request_file", REQUESTS, ids=lambda path: f"{path.parent.name}/{path.name.split('.')[0]}")
def test_a_fixed_answer_follows_from_its_request(request_file: Path) -> None:
    shape = {"pair": [("main", 0), ("left", 1), ("right", 1)], "single": [("single", 0)]}[request_file.parent.name]
    answer_file = request_file.with_name(request_file.name.replace(".request.", ".answer."))
    asked, answered = (payload(path.read_bytes().decode()) for path in (request_file, answer_file))
    assert tokens(answered) == [(service, depth, parameters(asked)) for service, depth in shape]


@pytest.mark.parametrize("bad_file", sorted(CONTRACT.glob("bad/*.request.xml")), ids=lambda path: path.stem)
def test_bad_request_is_well_formed_but_no_request_of_the_orchestration(bad_file: Path) -> None:
    ((element,),) = etree.parse(bad_file).getroot()
    alone = etree.fromstring(etree.tostring(element))
    assert not SCHEMA.validate(alone) or etree.QName(element).localname == "propagate"


def test_same_seed_same_exchanges_other_seed_others() -> None:
    assert generate("mesh", seed=7) == generate("mesh", seed=7)
    assert generate("mesh", seed=7) != generate("mesh", seed=8)


def test_another_graph_gives_other_answers(tmp_path: Path) -> None:
    graph = tmp_path / "graph.xml"
    graph.write_text(
        '<graph xmlns="urn:steelyard:soaservers:graph" entry="top">'
        '<service name="top" calls="low low"/><service name="low"/></graph>'
    )
    (exchange,) = generate("mesh", count=1, graph=graph)
    found = [(service, depth) for service, depth, _ in tokens(payload(exchange["answer"]))]
    assert found == [("top", 0), ("low", 1), ("low", 1)]


def test_a_wrong_graph_is_named(tmp_path: Path) -> None:
    environment = {**os.environ, "STEELYARD_GRAPH": str(tmp_path / "none.xml")}
    done = subprocess.run(command("mesh", 1, 1), capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, "none.xml cannot be read" in done.stderr) == (1, True)


@pytest.mark.parametrize("wrong", ["Bytes=3", "PairBytes=-1", "MeshBytes=x", "MeshBytes"])
def test_a_wrong_parameter_is_refused_by_name(wrong: str) -> None:
    done = subprocess.run(command("mesh", 1, 1, wrong), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert wrong.split("=")[0] in done.stderr


@pytest.mark.parametrize("operation", SIZES)
def test_a_size_without_room_for_the_marker_is_refused_with_the_least(operation: str) -> None:
    sets = f"{operation.capitalize()}Bytes=200"
    done = subprocess.run(command(operation, 1, 1, sets), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    least = done.stderr.split(";")[1].split()[0]
    assert least.isdecimal() and 200 < int(least) <= 250
    generate(operation, sets.replace("200", least))

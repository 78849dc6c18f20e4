"""A graph of services is read and checked: every mistake that a user can make in the file is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph import GraphError, read

OWN = Path(__file__).with_name("graph.xml")


def written(tmp_path: Path, services: str, entry: str = 'entry="a"') -> Path:
    path = tmp_path / "graph.xml"
    path.write_text(f'<graph xmlns="urn:steelyard:soaservers:graph" {entry}>{services}</graph>')
    return path


def test_the_default_mesh_has_ten_services_and_makes_at_least_twenty_calls_a_request() -> None:
    graph = read(OWN)
    assert len(graph.services) == 10
    assert graph.calls().total() == 23
    assert set(graph.calls()) == set(graph.services) - {graph.entry}
    assert {service.parallel for service in graph.services.values() if service.calls} == {True, False}


def test_visits_come_in_the_declared_order_with_their_depth(tmp_path: Path) -> None:
    services = '<service name="d"/><service name="a" calls="c b d"/><service name="b" calls="d d"/><service name="c" calls="b"/>'
    graph = read(written(tmp_path, services))
    assert graph.visits() == [
        *[("a", 0), ("c", 1), ("b", 2), ("d", 3), ("d", 3)],
        *[("b", 1), ("d", 2), ("d", 2), ("d", 1)],
    ]
    assert graph.calls() == {"b": 2, "c": 1, "d": 5}


@pytest.mark.parametrize(
    ("services", "entry", "said"),
    [
        ('<service name="a" calls="b"/>', 'entry="a"', "a calls b, which is no service of the graph"),
        ('<service name="a" calls="b"/><service name="b" calls="a"/>', 'entry="a"', "in a circle: a -> b -> a"),
        ('<service name="a" calls="a"/>', 'entry="a"', "in a circle: a -> a"),
        ('<service name="a"/>', "", "it names no entry"),
        ('<service name="a"/>', 'entry="z"', "its entry z is no service"),
        ('<service name="a"/><service name="b"/>', 'entry="a"', "b is never called"),
        ('<service name="a"/><service name="a"/>', 'entry="a"', "there are two services a"),
        ('<service name="a" order="random"/>', 'entry="a"', "the order of a is sequential or parallel, not 'random'"),
        ('<service name="a" cals="b"/>', 'entry="a"', "unknown attribute 'cals'"),
        ('<service name="main"/>', 'entry="main"', "cannot be named 'main'"),
        ('<service name="a b"/>', 'entry="a b"', "cannot be named 'a b'"),
        ("<node/>", 'entry="a"', "a graph holds services only"),
        ("", 'entry="a"', "it has 0 services"),
        ("".join(f'<service name="a{n}"/>' for n in range(17)), 'entry="a0"', "it has 17 services"),
        (
            "".join(f'<service name="a{n}" calls="a{n + 1} a{n + 1}"/>' for n in range(10)) + '<service name="a10"/>',
            'entry="a0"',
            "a request would make 2046 calls; 1000 are the most",
        ),
        ("<", 'entry="a"', "is not XML"),
    ],
)
def test_a_wrong_graph_is_refused_with_the_mistake_and_the_file(
    tmp_path: Path, services: str, entry: str, said: str
) -> None:
    path = written(tmp_path, services, entry)
    with pytest.raises(GraphError) as refused:
        read(path)
    assert said in str(refused.value)
    assert str(path) in str(refused.value)


def test_a_missing_file_and_another_document_are_named(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="cannot be read: No such file"):
        read(tmp_path / "none.xml")
    other = tmp_path / "other.xml"
    other.write_text("<a/>")
    with pytest.raises(GraphError, match="its root is a, not graph"):
        read(other)

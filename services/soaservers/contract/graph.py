"""The graph of services of environment 3, read from its file and checked. Only the standard library is used."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from xml.etree import ElementTree

NAMESPACE = "urn:steelyard:soaservers:graph"
VARIABLE = "STEELYARD_GRAPH"
MOST_SERVICES = 16
MOST_CALLS = 1000
RESERVED = ("single", "main", "left", "right")
ORDERS = ("sequential", "parallel")


class GraphError(Exception):
    """A graph's file that cannot be used; its text names the file and what is wrong."""


@dataclass(frozen=True)
class Service:
    """One service, and the services that it calls in this order: one after the other, or all at once (`parallel`)."""

    name: str
    calls: tuple[str, ...]
    parallel: bool


@dataclass(frozen=True)
class Graph:
    """Services by name in the file's order, free of cycles; `entry` takes the client's request."""

    entry: str
    services: dict[str, Service]

    def visits(self) -> list[tuple[str, int]]:
        """Service and depth of every token that a request yields, in the answer's order; the entry's comes first."""
        return list(self._visits(self.entry, 0))

    def _visits(self, name: str, depth: int) -> Iterator[tuple[str, int]]:
        yield name, depth
        for callee in self.services[name].calls:
            yield from self._visits(callee, depth + 1)

    def calls(self) -> Counter[str]:
        """How often each service but the entry is called for one request."""
        return Counter(name for name, depth in self.visits() if depth > 0)


def chosen() -> Path:
    """The file that STEELYARD_GRAPH names, else the contract's own."""
    return Path(os.environ.get(VARIABLE) or Path(__file__).with_name("graph.xml"))


def read(path: Path) -> Graph:
    """The graph in a file; raises GraphError."""
    try:
        root = ElementTree.parse(path).getroot()
    except OSError as error:
        raise GraphError(f"{path} cannot be read: {error.strerror}") from None
    except ElementTree.ParseError as error:
        raise GraphError(f"{path} is not XML: {error}") from None
    try:
        return _checked(root)
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from None


def _checked(root: ElementTree.Element) -> Graph:
    if root.tag != f"{{{NAMESPACE}}}graph":
        raise GraphError(f"its root is {root.tag}, not graph in the namespace {NAMESPACE}")
    _known(root, {"entry"}, "graph")
    services: dict[str, Service] = {}
    for element in root:
        service = _service(element)
        if service.name in services:
            raise GraphError(f"there are two services {service.name}")
        services[service.name] = service
    if not 1 <= len(services) <= MOST_SERVICES:
        raise GraphError(f"it has {len(services)} services; 1 to {MOST_SERVICES} are possible")
    entry = root.get("entry")
    if entry is None:
        raise GraphError("it names no entry")
    if entry not in services:
        raise GraphError(f"its entry {entry} is no service of the graph")
    for service in services.values():
        for callee in service.calls:
            if callee not in services:
                raise GraphError(f"{service.name} calls {callee}, which is no service of the graph")
    return _reached(Graph(entry, services))


def _service(element: ElementTree.Element) -> Service:
    if element.tag != f"{{{NAMESPACE}}}service":
        raise GraphError(f"a graph holds services only, not {element.tag}")
    name, order = element.get("name", ""), element.get("order", "sequential")
    _known(element, {"name", "calls", "order"}, f"service {name}")
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_-]*", name) or name in RESERVED:
        raise GraphError(
            f"a service cannot be named '{name}' ({', '.join(RESERVED)} are those of the other environments)"
        )
    if order not in ORDERS:
        raise GraphError(f"the order of {name} is {' or '.join(ORDERS)}, not '{order}'")
    return Service(name, tuple(element.get("calls", "").split()), order == "parallel")


def _known(element: ElementTree.Element, names: set[str], what: str) -> None:
    for name in element.attrib:
        if name not in names:
            raise GraphError(f"{what} has an unknown attribute '{name}'; there are {', '.join(sorted(names))}")


def _reached(graph: Graph) -> Graph:
    """The graph itself, if it has no cycle, every service is called, and a request makes no more calls than is sensible."""
    try:
        callees_first = list(TopologicalSorter({s.name: s.calls for s in graph.services.values()}).static_order())
    except CycleError as error:
        raise GraphError(f"services call each other in a circle: {' -> '.join(reversed(error.args[1]))}") from None
    requests = Counter({graph.entry: 1})
    for name in reversed(callees_first):
        for callee in graph.services[name].calls:
            requests[callee] += requests[name]
    for name in graph.services:
        if requests[name] == 0:
            raise GraphError(f"{name} is never called: nothing leads to it from {graph.entry}")
    calls = requests.total() - 1
    if calls > MOST_CALLS:
        raise GraphError(f"a request would make {calls} calls; {MOST_CALLS} are the most")
    return graph

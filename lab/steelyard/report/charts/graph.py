"""The graph of the services that a request passes through, by depth."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from lxml import etree
from markupsafe import Markup, escape

from ...base.csvfiles import read_bytes
from ...base.errors import StoreError

_STEP_X, _STEP_Y, _WIDE, _HIGH, _EDGE = 118, 64, 70, 30, 14


@dataclass(frozen=True)
class Graph:
    """`svg` is the picture, `caption` its description, and `rows` (service, calls, order, times per request) its content."""

    svg: str
    caption: str
    rows: tuple[tuple[str, str, str, str], ...]


def graph(path: Path) -> Graph | None:
    """The graph in a file (elements `service` with `name`, `calls` and `order` below a root with an `entry`), or None.

    None where there is no such file, or it has another content; the service's own checks read it before the run.
    """
    try:
        root = etree.fromstring(
            read_bytes(path), etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        )
    except (StoreError, etree.XMLSyntaxError):
        return None
    services = {service.get("name", ""): service for service in root.iterchildren("{*}service")}
    calls = {name: service.get("calls", "").split() for name, service in services.items()}
    entry = root.get("entry", "")
    if entry not in calls or any(callee not in calls for callees in calls.values() for callee in callees):
        return None
    parallel = {name for name, service in services.items() if service.get("order") == "parallel"}
    depths = _depths(entry, calls)
    if depths is None:
        return None
    visits = _visits(depths, calls, entry)
    total = visits.total() - 1
    caption = (
        f"{len(calls)} services, {total} calls per request. Below each name is how often a request reaches it. A solid line "
        "is a call that waits for the one before it; dashed lines are calls made in parallel."
    )
    rows = tuple(
        (
            name,
            ", ".join(callees) or "none",
            ("in parallel" if name in parallel else "in sequence") if len(callees) > 1 else "",
            str(visits[name]),
        )
        for name, callees in calls.items()
    )
    return Graph(_draw_graph(depths, calls, parallel, visits), caption, rows)


def _depths(entry: str, calls: dict[str, list[str]]) -> dict[str, int] | None:
    """The longest path from the entry to each service; None for a graph with a cycle."""
    depths = {entry: 0}
    changed = True
    while changed:
        changed = False
        for name in list(depths):
            for callee in calls[name]:
                if depths.get(callee, -1) < depths[name] + 1:
                    depths[callee] = depths[name] + 1
                    changed = True
                    if depths[callee] > len(calls):
                        return None
    return depths


def _visits(depths: dict[str, int], calls: dict[str, list[str]], entry: str) -> Counter[str]:
    visits = Counter({entry: 1})
    for name in sorted(depths, key=depths.__getitem__):
        for callee in calls[name]:
            visits[callee] += visits[name]
    return visits


def _draw_graph(depths: dict[str, int], calls: dict[str, list[str]], parallel: set[str], visits: Counter[str]) -> str:
    columns: dict[int, list[str]] = {}
    for name in depths:
        columns.setdefault(depths[name], []).append(name)
    tallest = max(len(names) for names in columns.values())
    width, height = (len(columns) - 1) * _STEP_X + _WIDE + 2 * _EDGE, (tallest - 1) * _STEP_Y + _HIGH + 2 * _EDGE
    middle = {
        name: (
            _EDGE + _WIDE / 2 + depth * _STEP_X,
            _EDGE + _HIGH / 2 + (place + (tallest - len(names)) / 2) * _STEP_Y,
        )
        for depth, names in columns.items()
        for place, name in enumerate(names)
    }
    lines = []
    for name, callees in calls.items():
        for callee in callees if name in middle else ():
            (x, y), (to_x, to_y) = middle[name], middle[callee]
            x, to_x = x + _WIDE / 2, to_x - _WIDE / 2 - 6
            bend = (to_x - x) / 2
            dash = ' stroke-dasharray="4 3"' if name in parallel else ""
            way = f"M{x:g},{y:g}C{x + bend:g},{y:g} {to_x - bend:g},{to_y:g} {to_x:g},{to_y:g}"
            lines.append(f'<path d="{way}" fill="none" stroke="var(--muted)" stroke-width="1.2"{dash}/>')
            lines.append(f'<path d="M{to_x:g},{to_y - 3.5:g}l6,3.5l-6,3.5Z" fill="var(--muted)"/>')
    for name, (x, y) in middle.items():
        box = f'x="{x - _WIDE / 2:g}" y="{y - _HIGH / 2:g}" width="{_WIDE}" height="{_HIGH}" rx="5"'
        lines.append(f'<rect {box} fill="var(--panel)" stroke="var(--series-0)"/>')
        lines.append(
            f'<text x="{x:g}" y="{y - 1:g}" text-anchor="middle" font-size="12" fill="var(--ink)">{escape(name)}</text>'
        )
        times = f"{visits[name]}\u00d7"
        lines.append(
            f'<text x="{x:g}" y="{y + 11:g}" text-anchor="middle" font-size="9.5" fill="var(--muted)">{times}</text>'
        )
    head = f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" aria-hidden="true">'
    return str(Markup(head + "".join(lines) + "</svg>"))

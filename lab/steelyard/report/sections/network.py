"""Traffic over the link to a declared host: bytes, packets, the link's share, and retransmissions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...analyse.analysis import Analysis
from ...analyse.indices import carried_bytes_per_s
from ...analyse.instrument import link_uses
from ...base.text import plural, value_text
from ...models.records import Cell
from ...results.stored_run import Run
from ...results.tables import LinkUse, ProcessorTime
from ..section import Section
from ..subjects import cells


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where all ran on loopback."""
    run = analysis.run
    rows = [row for cell in cells(run) for row in _rows(run, cell)]
    if not rows:
        return None
    processors = [row for cell in cells(run) for row in _processors(run, cell)]
    return {"carried": rows, "hosts": list(_hosts(run)), "bandwidth": _bandwidth(run), "processors": processors}


def _rows(run: Run, cell: Cell) -> Iterator[tuple[str, ...]]:
    """Cell, host, interface, MB/s in and out, packets per second in and out, link share in percent, segments retransmitted.

    Over all measured slices, and so over all subjects.
    """
    seen: dict[tuple[str, str], list[LinkUse]] = {}
    for use in link_uses(run, cell):
        seen.setdefault((use.host, use.interface), []).append(use)
    for (host, interface), uses in seen.items():
        if any(use.bytes_in or use.bytes_out for use in uses):
            yield cell.name, host, interface, *_figures(uses)


def _processors(run: Run, cell: Cell) -> Iterator[tuple[str, ...]]:
    """Cell, host, its processors, and their busy and stolen shares of time in percent.

    Only where the subjects' host is another machine. The engine's machine has no name there.
    """
    seen: dict[str, list[ProcessorTime]] = {}
    for trial in run.trials:
        for number, plan in trial.plans.items():
            if plan.phase == "measure" and plan.cell == cell.name:
                for row in trial.machine.get(number, ()):
                    seen.setdefault(row.host, []).append(row)
    if not any(seen):
        return
    for host, rows in seen.items():
        spent = sum(row.user_s + row.system_s + row.idle_s + row.steal_s for row in rows) or 1.0
        busy, stolen = sum(row.user_s + row.system_s for row in rows), sum(row.steal_s for row in rows)
        shares = (value_text(100 * busy / spent), value_text(100 * stolen / spent))
        yield cell.name, host or "the engine's", str(len({row.cpu for row in rows})), *shares


def _figures(uses: Sequence[LinkUse]) -> Iterator[str]:
    seconds = sum(use.end_ns - use.begin_ns for use in uses) / 1e9
    yield value_text(sum(use.bytes_in for use in uses) / seconds / 1e6)
    yield value_text(sum(use.bytes_out for use in uses) / seconds / 1e6)
    yield value_text(sum(use.packets_in for use in uses) / seconds)
    yield value_text(sum(use.packets_out for use in uses) / seconds)
    shares = [(use.link_share, use.end_ns - use.begin_ns) for use in uses if use.link_share is not None]
    busy = sum(share * length for share, length in shares) / max(1, sum(length for _, length in shares))
    yield value_text(100 * busy) if shares else ""
    again = [use.sent_again for use in uses if use.sent_again is not None]
    yield str(sum(again)) if again else ""


def _hosts(run: Run) -> Iterator[str]:
    """A description of each declared host."""
    declared = run.environment.get("hosts")
    for name, host in declared.items() if isinstance(declared, Mapping) else ():
        if isinstance(host, Mapping):
            limits = [f"{host[key]:g} {unit}" for key, unit in _LIMITS if isinstance(host.get(key), int | float)]
            where = _WHERE.get(host.get("reach", ""))
            runs = {"engine": "the load engine", "server": "the subjects"}.get(host.get("role", ""))
            yield f"{name} ({', '.join([f'{where}', str(host.get('address', '')), *limits, *_machine(host)])}): {runs}"


def _machine(host: Mapping[str, object]) -> Iterator[str]:
    """The description of a host's machine, if it is another machine."""
    known = host.get("machine")
    if isinstance(known, Mapping):
        yield plural(int(known.get("processors", 0)), "processor")
        yield from (str(known[key]) for key in ("processor", "kernel") if known.get(key))


_WHERE = {
    "here": "this machine",
    "namespace": "a network namespace of this machine",
    "ssh": "another machine, reached by ssh",
}
_LIMITS = (("rate_mbit", "Mbit/s each way"), ("delay_ms", "ms each way"))


def _bandwidth(run: Run) -> str:
    """The whole of the link shares; empty where it is unknown."""
    carried, link = carried_bytes_per_s(run.environment), run.environment.get("link")
    if carried is None or not isinstance(link, Mapping):
        return ""
    return f"The link carries {value_text(carried / 1e6)} MB/s each way, by {link.get('known_by', '')}."


SECTION = Section("network", content)

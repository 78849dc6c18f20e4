"""ARCHITECTURE.md's code map, from each module's first sentence: `python tools/rooms.py [--check]`."""

from __future__ import annotations

import ast
from pathlib import Path

from kept import ROOT, between, keep

LAB = ROOT / "lab" / "steelyard"
# Ground first: a room imports only what stands before it (lab/tests/test_rooms.py).
ROOMS = (
    *("base", "models", "statistics", "results", "catalogue", "plan", "hosts", "workload", "analyse"),
    *("report", "measure", "calibration", "cluster", "judging", "commands"),
)
BEGIN, END = "<!-- map: made by tools/rooms.py -->", "<!-- /map -->"


def first_sentence(path: Path) -> str:
    """What a module says that it is for."""
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(said.split("\n\n")[0].split())


def code_map() -> str:
    """A heading a room, with what belongs there, and a line a module."""
    blocks = []
    for room in ROOMS:
        folder = LAB / room
        modules = [path for path in sorted(folder.rglob("*.py")) if path.name != "__init__.py"]
        lines = [f"- `{path.relative_to(folder).as_posix()}`: {first_sentence(path)}" for path in modules]
        blocks.append(f"**`{room}/`** {first_sentence(folder / '__init__.py')}\n\n" + "\n".join(lines))
    return "\n\n".join(blocks)


if __name__ == "__main__":
    page = ROOT / "ARCHITECTURE.md"
    raise SystemExit(keep(page, between(page.read_text(encoding="utf-8"), BEGIN, END, code_map()), "`make map`"))

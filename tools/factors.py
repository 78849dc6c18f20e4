"""Makes docs/reference/factors.md from the servers' descriptors: `python tools/factors.py [--check]`."""

from __future__ import annotations

import sys

from kept import ROOT, keep
from steelyard.catalogue import entries
from steelyard.models.server import Factor

PAGE = ROOT / "docs" / "reference" / "factors.md"

INTRODUCTION = """\
# Factors

Settings that may change results. A study gives them to a part of a subject (`factors = { heap = "1g" }`), and a user on the
command line: `steelyard compare tomcat-metro tomcat-metro@heap=1g@gc=Parallel`. This page is made by `make factors` from the
descriptors in `servers/`; `steelyard servers check NAME@FACTOR=VALUE` shows that a value works.

Where sameness is fair, defaults are the same: servers on a JVM get a heap of 256 MB, least and most, touched at the start, as the
paper of 2004 has it (its text also says 1 GB: `heap=1g`), the collector G1, 200 worker threads, and the number of processors
said outright (`-XX:ActiveProcessorCount`, those that the server is pinned to; `cpus` asks for fewer than all that subjects have).
"""


def factors() -> dict[tuple[str, str], list[tuple[str, Factor]]]:
    """Each factor by its name and meaning, with the servers that have it so."""
    found: dict[tuple[str, str], list[tuple[str, Factor]]] = {}
    for name in entries.server_files():
        for factor, model in entries.server(name).model.all_factors().items():
            found.setdefault((factor, model.meaning), []).append((name, model))
    return found


def line(name: str, meaning: str, having: list[tuple[str, Factor]]) -> str:
    """A row: what it is, and which servers have it with which default and choices."""
    by_values: dict[str, list[str]] = {}
    for server, factor in having:
        default = f"**{factor.default}**" if factor.default else "empty"
        others = [choice for choice in factor.choices or [] if choice != factor.default]
        by_values.setdefault(", ".join([default, *others]), []).append(server)
    values = "<br>".join(f"{values}: {', '.join(servers)}" for values, servers in by_values.items())
    return f"| `{name}` | {meaning} | {values} |"


def page() -> str:
    """The whole page."""
    rows = [line(name, meaning, having) for (name, meaning), having in sorted(factors().items())]
    head = ["| factor | meaning | **default**, other choices: servers |", "| --- | --- | --- |"]
    return INTRODUCTION + "\n" + "\n".join([*head, *rows]) + "\n"


def main() -> int:
    """Write the page, or with --check fail where it is stale."""
    return keep(PAGE, page(), "`make factors`")


if __name__ == "__main__":
    sys.exit(main())

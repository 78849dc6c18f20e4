"""Makes docs/reference/factors.md from the servers' descriptors: `python tools/factors.py [--check]`."""

from __future__ import annotations

import sys

from kept import ROOT, keep
from steelyard.catalogue import entries
from steelyard.models.server import Factor

PAGE = ROOT / "docs" / "reference" / "factors.md"

INTRODUCTION = """\
# Factors

Factors are settings that may change results. A study sets them for a part of a subject (`factors = { heap = "1g" }`), and a user
on the command line: `steelyard compare tomcat-metro tomcat-metro@heap=1g@gc=Parallel`. This page is made by `make factors` from the
descriptors in `servers/`; `steelyard servers check NAME@FACTOR=VALUE` shows whether a value works.

Defaults are equal where that is fair. Servers on a JVM get a heap of 256 MB, minimum and maximum, touched at the start, as in the
paper of 2004 (whose text also mentions 1 GB: `heap=1g`), the garbage collector G1, 200 worker threads, and an explicit number of
processors (`-XX:ActiveProcessorCount`, those that the server is pinned to; `cpus` selects fewer than the subjects' share).
"""


def factors() -> dict[tuple[str, str], list[tuple[str, Factor]]]:
    """Each factor by name and meaning, with its servers."""
    found: dict[tuple[str, str], list[tuple[str, Factor]]] = {}
    for name in entries.server_files():
        for factor, model in entries.server(name).model.all_factors().items():
            found.setdefault((factor, model.meaning), []).append((name, model))
    return found


def line(name: str, meaning: str, having: list[tuple[str, Factor]]) -> str:
    """A row: a factor, and its servers by default and choices."""
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

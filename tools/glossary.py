"""Makes docs/glossary.md from the terms of reports (lab/steelyard/report/terms.toml): `python tools/glossary.py [--check]`."""

from __future__ import annotations

import sys

from kept import ROOT, keep
from steelyard.report.terms import terms

PAGE = ROOT / "docs" / "glossary.md"
INTRODUCTION = """\
# Glossary

Reports use the same definitions. This page is made by `make glossary` from `lab/steelyard/report/terms.toml`.
"""


def page() -> str:
    """The whole page: a line a term, in alphabetical order."""
    lines = [f"- **{term.term}**: {term.meaning}" for term in sorted(terms(), key=lambda term: term.term.lower())]
    return INTRODUCTION + "\n" + "\n".join(lines) + "\n"


def main() -> int:
    """Write the page, or with --check fail where it is stale."""
    return keep(PAGE, page(), "`make glossary`")


if __name__ == "__main__":
    sys.exit(main())

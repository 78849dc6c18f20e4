"""The notes of a release, from CHANGELOG.md, and how to cite it: `python tools/release_notes.py v0.1.0 [URL]`."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def notes(tag: str, version: str, changelog: str) -> str:
    """The section of the version that `tag` names; raises ValueError where the tag, the version and the section disagree."""
    if tag != f"v{version}":
        raise ValueError(f"the tag {tag} is not the version {version}; tag v{version}, or change the version first")
    heading = re.search(rf"^## {re.escape(version)} \((.*)\)\n", changelog, re.MULTILINE)
    if heading is None:
        raise ValueError(f"CHANGELOG.md has no section '## {version} (DATE)'; add one")
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", heading[1]):
        raise ValueError(f"CHANGELOG.md has {version} ({heading[1]}); write the release date there")
    return re.split(r"^## ", changelog[heading.end() :], maxsplit=1, flags=re.MULTILINE)[0].strip() + "\n"


def citation(version: str, changelog: str, address: str) -> str:
    """The BibTeX entry of the version, whose year is in the changelog and whose page is below the repository's address."""
    year = re.search(rf"^## {re.escape(version)} \((\d{{4}})-", changelog, re.MULTILINE)
    assert year is not None, "notes() has found the date"
    return (
        "\n## Cite\n\n"
        "    @software{steelyard,\n"
        "      author = {{The Steelyard authors}},\n"
        "      title = {Steelyard: a laboratory that compares web services},\n"
        f"      version = {{{version}}},\n"
        f"      year = {{{year[1]}}},\n"
        f"      url = {{{address}/releases/tag/v{version}}}\n"
        "    }\n"
    )


def main() -> int:
    """Print the notes, or one sentence about the obstacle to the release."""
    version = tomllib.loads((ROOT / "lab" / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    try:
        print(notes(sys.argv[1], version, changelog), end="")
        for address in sys.argv[2:3]:
            print(citation(version, changelog, address), end="")
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

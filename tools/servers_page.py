"""Writes docs/reference/servers.md from the results of `make test-servers` in servers.json: `python tools/servers_page.py
[--check]`."""

from __future__ import annotations

import sys
from pathlib import Path

from steelyard.catalogue import entries
from steelyard.commands import listing
from steelyard.models.outputs.catalogue import Checked, ServerRow, ServersOutput

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "docs" / "reference" / "servers.json"
PAGE = KEPT.with_suffix(".md")

INTRODUCTION = """\
# Servers

This page is made by `make servers` from `servers.json`, which `make test-servers` writes. `steelyard servers check` fetches,
builds, starts, verifies and stops each server with the service `wstest` and the defaults of its descriptor. A server without an
implementation of `wstest` is checked with its first service.

- *deploy*: the service answered correctly. *contract*: every exchange in every spelling was answered correctly, every bad request
  refused, and all columns to its right passed, except for the deviations listed below, which descriptors record.
- *keep-alive*: requests answered on one connection, which then survived a pause of the whole server for 25 s (`freeze`).
- *sockets*: all TCP and UDP sockets that any of its processes listens on.
- *two at once*: a second instance ran beside the first, both answered, and both ended without leftover processes.
- *redeploy*: from the command to replace the service until the new one answered correctly, in place or by a restart of the server.
- *stop*: from SIGTERM until no process was left. *cold start*: from the start of the process until the service counts requests.
- *memory*: resident, of all processes together, after the contract and before any load.

Times and memory are from a single run, so do not compare them. `steelyard compare` compares servers.
"""


def written(found: ServersOutput) -> str:
    """The page."""
    rows = [row for row in found.servers if row.kind == "server"]
    tried = [row for row in rows if row.contract is not None]
    text = INTRODUCTION
    sittings: dict[str, list[str]] = {}
    for row in tried:
        sittings.setdefault(_sitting(row.checked), []).append(row.name)
    most = max(sittings, key=lambda sitting: len(sittings[sitting]), default="")
    for sitting, names in sittings.items():
        text += f"\n{'Checked' if sitting == most else ', '.join(names)} {sitting}.\n"
    text += "\n## Results\n\n" + _table(list(listing.CHECKS), [listing.findings(row) for row in tried])
    text += _listed("What failed", [(row, [row.reason]) for row in tried if row.reason])
    absent = [row for row in rows if row.contract is None]
    text += _listed("Never run by us", [(row, [row.reason]) for row in absent if row.never_run])
    text += _listed("Not available where this was run", [(row, [row.reason]) for row in absent if not row.never_run])
    text += "\n## Products\n\n" + _table(
        ["server", "product", "version", "stack", "language", "JDK"],
        [[row.name, row.title, row.version, row.stack, row.language, str(row.jdk or "")] for row in rows],
    )
    deviating = [(row, [f"`{key}`: {why}" for key, why in row.deviations.items()]) for row in rows if row.deviations]
    return text + _listed("Deviations, by server", deviating)


def _sitting(at: Checked | None) -> str:
    """The time and setup of a check, for a sentence."""
    if at is None:
        return "at an unrecorded time"
    changed = ", files changed" * at.revision.endswith("+")
    return (
        f"on {at.date}, revision {at.revision[:12]}{changed}, on {at.processors} processors ({at.processor}), "
        f"{at.memory_bytes / 2**30:.0f} GiB, {at.distribution}, {at.kernel}"
    )


def complaints(found: ServersOutput, page: str) -> list[str]:
    """Sentences on stale results or a stale page; empty where all is current."""
    here, kept = set(entries.server_files()), {row.name for row in found.servers}
    said = [f"servers/{name} is not in {KEPT.name}: `make test-servers` checks it" for name in sorted(here - kept)]
    said += [f"{KEPT.name} holds {name}, which is not in servers/" for name in sorted(kept - here)]
    if page != written(found):
        said.append(f"{PAGE.name} differs from {KEPT.name}: `make servers` rewrites it")
    return said


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *([_cell(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _listed(title: str, said: list[tuple[ServerRow, list[str | None]]]) -> str:
    if not said:
        return ""
    lines = [
        line for row, texts in said for line in (f"- **{row.name}**", *(f"  - {_cell(text)}" for text in texts if text))
    ]
    return f"\n## {title}\n\n" + "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())


def main() -> int:
    """Rewrite the page, or with --check say why it is stale and fail."""
    found = ServersOutput.model_validate_json(KEPT.read_text(encoding="utf-8"))
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(written(found), encoding="utf-8")
        return 0
    said = complaints(found, PAGE.read_text(encoding="utf-8") if PAGE.is_file() else "")
    print("\n".join(said), file=sys.stderr, end="\n" if said else "")
    return int(bool(said))


if __name__ == "__main__":
    sys.exit(main())

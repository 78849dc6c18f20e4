"""Makes build/kits/SERVER.zip for the kit's service: `tools/kits.py [SERVER...]`; without names, for all servers available here.

A kit holds a fetched and built server, the service's WAR or program with its sources, the start scripts, a client that calls it
and compares the answers with the contract's, and the developer's journal. Its README lists its requirements and commands.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import interoperability
import kit_texts
import productivity
from kept import ROOT
from kit_texts import SERVICE, Kit
from rich.console import Console
from steelyard.base.errors import SteelyardError
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import subject
from steelyard.models.study import PartSpec, SubjectSpec

KITS = ROOT / "build" / "kits"
MAKERS = ("target", ".")  # name prefixes of working files of compilers and the lab


def main() -> int:
    """Make the kits; an unavailable server is reported, and is an error where it was named."""
    named = sys.argv[1:]
    left = 0
    for name in named or interoperability.askable():
        try:
            print(write(provided(name), KITS))
        except SteelyardError as error:
            print(f"{name}: no kit: {error.message}", file=sys.stderr)
            left += 1
    return int(bool(named and left))


def provided(name: str) -> Kit:
    """A server fetched and built with the service; raises SteelyardError."""
    spec = SubjectSpec(label=name, parts=[PartSpec(server=name)])
    with Progress(Console(stderr=True, quiet=True)) as progress:
        front = subject.provide_subject(spec, entries.service(SERVICE), progress).front
    return Kit(front.server, front.server.model.implementation or "", front.cache)


def write(kit: Kit, into: Path) -> Path:
    """Write the kit's archive; its one leading folder has the server's name."""
    into.mkdir(parents=True, exist_ok=True)
    place = into / f"{kit.server.name}.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for name, path in sorted(files(kit).items()):
            archive.write(path, f"{kit.server.name}/{name}")
        for name, text in sorted(kit_texts.made(kit).items()):
            archive.writestr(f"{kit.server.name}/{name}", text)
    return place


def files(kit: Kit) -> dict[str, Path]:
    """The files that a kit copies, by their paths in it: committed files, the WAR, and fetched files."""
    service = ROOT / "services" / SERVICE
    rooms = [
        kit.server.folder,
        ROOT / "servers" / "common",
        ROOT / "services" / "common",
        service / "contract",
        kit.folder,
    ]
    rooms += [
        *sorted(productivity.taken_in(kit.folder)),
        service / "service.toml",
        service / "README.md",
        ROOT / "LICENSE",
    ]
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *map(str, rooms)], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    copied = {name: ROOT / name for name in listed.split("\0") if name}
    if kit.war.is_file():
        copied[kit.war.relative_to(ROOT).as_posix()] = kit.war
    return copied | {f"product/{name}": path for name, path in _fetched(kit.product)}


def _fetched(product: Path) -> Iterator[tuple[str, Path]]:
    """A server's fetched and built files, without other services' builds and without logs."""
    others = entries.service_files().keys() - {SERVICE}
    for path in sorted(product.rglob("*")):
        parts = path.relative_to(product).parts
        # only at the place of a build's output: a product may have a folder of any name further down
        of_another = not others.isdisjoint(parts[:1]) or (parts[0] == "npm" and not others.isdisjoint(parts[1:2]))
        if of_another or parts[0].startswith(MAKERS) or parts[0].endswith(".log") or not path.is_file():
            continue
        yield "/".join(parts), path


if __name__ == "__main__":
    sys.exit(main())

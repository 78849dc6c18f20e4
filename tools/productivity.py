"""Makes docs/reference/productivity.md, the size and effort of each implementation of the kit: `tools/productivity.py [--build]
[--check]`.

Hand-written lines are counted in the committed files. With --build the implementations' generators run, and their output is
counted and stored in productivity.json with a hash of its inputs; the page is stale where these have changed.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kept import ROOT, keep, rows
from steelyard.catalogue import entries

SERVICE, STUDY = "soakit", "soakit"
PAGE = ROOT / "docs" / "reference" / "productivity.md"
KEPT = PAGE.with_suffix(".json")
CODE = {
    ".java": "Java", ".cs": "C#", ".go": "Go", ".rs": "Rust", ".py": "Python", ".js": "JavaScript", ".mjs": "JavaScript",
    ".php": "PHP", ".c": "C", ".h": "C", ".cpp": "C++",
}  # fmt: skip
GENERATORS = ("pom.xml", "generate.sh")  # the scripts that run them
# files that build, deploy or configure; tools write locks and checksums, which are not counted
CONFIGURATION = {".xml", ".toml", ".json", ".config", ".asmx", ".mod", ".sh", ".ini", ".conf", ".properties"}
BY_TOOLS = re.compile(r"(^|[.-])lock(\.json)?$|\.sum$|\.sha256$")
TESTS = re.compile(r"(^|/)tests?/|(^|/)test_|_test\.|Test\.(java|php)$|\.test\.")
# a line that begins so is a comment, including Python's and Go's kinds
COMMENT = re.compile(r"^(//|/\*|\*|#(?!include|define|if|end)|<!--|--)")
INTRODUCTION = """\
# Size and effort of each implementation

This page is made by `make productivity` from the implementations of the kit (`services/soakit/`), which all implement the same
contract. All numbers are counted:

- *code*, *files*: hand-written lines of source, and their files. Blank lines, comment lines and tests are not counted.
- *shared*: lines in other folders that its build includes: shared by services, or another implementation's.
- *configuration*, *files*: build files, descriptors and scripts. Locks and checksums are written by tools, and not counted.
- *touched*: all files of both kinds, written or changed by hand.
- *steps*: the build steps of its server's descriptor, the goals of its `pom.xml` beyond Maven's own, its own generator.
- *generated*: lines and files that its generators make from the contract, counted when they last ran. *None*: it has no
  generator. Code that a server's own build generates counts for that server.

Lines do not measure effort. A line contains more in one language than in another. The Java sources offer four techniques and three
parsers; the others have one of each. Generated lines are no work until somebody must read them.
"""


@dataclass(frozen=True)
class Lines:
    """Counted lines, and their files."""

    lines: int = 0
    files: int = 0


@dataclass(frozen=True)
class Implementation:
    """The counts of an implementation; `generated` is None where its generators last ran on other inputs, or never."""

    name: str
    servers: tuple[str, ...]
    languages: tuple[str, ...]
    code: Lines
    shared: Lines
    configuration: Lines
    steps: int
    generated: Lines | None


def said_in(text: str) -> int:
    """The lines of a source that are neither blank nor only a comment."""
    count, within = 0, False
    for line in (line.strip() for line in text.splitlines()):
        if within:
            within = "*/" not in line and "-->" not in line
            continue
        if not line:
            continue
        if COMMENT.match(line):
            opened = line.startswith(("/*", "<!--"))
            within = opened and "*/" not in line and "-->" not in line
            continue
        count += 1
    return count


def counted(files: Sequence[Path]) -> Lines:
    """The count of some files."""
    return Lines(sum(said_in(file.read_text(encoding="utf-8", errors="replace")) for file in files), len(files))


def committed(folder: Path) -> list[Path]:
    """The source files of a folder, without tests and files written by tools."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", str(folder)], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    files = [ROOT / name for name in listed.split("\0") if name]
    return [
        file for file in files if not BY_TOOLS.search(file.name) and not TESTS.search(str(file.relative_to(folder)))
    ]


def of_kind(files: Sequence[Path], suffixes: Sequence[str]) -> list[Path]:
    """The files with these suffixes."""
    return [file for file in files if file.suffix in suffixes]


def taken_in(folder: Path) -> set[Path]:
    """Other folders with sources that an implementation's build files name."""
    named: set[Path] = set()
    for file in of_kind(committed(folder), [*CONFIGURATION]):
        for path in re.findall(r"(?:\.\./)+[\w./-]+", file.read_text(encoding="utf-8", errors="replace")):
            other = (file.parent / path).resolve()
            within = folder in (other, *other.parents)
            if (
                within or not other.is_dir() or other == folder.parent / "contract"
            ):  # every project has one, and nothing runs it
                continue
            if of_kind(committed(other), [*CODE]):
                named.add(other)
    return {path for path in named if not any(other in path.parents for other in named)}


def steps_of(folder: Path, servers: Sequence[str]) -> int:
    """The build steps: of its first server's descriptor, Maven's beyond its own goals, and its generator."""
    descriptor = entries.server(servers[0]).model if servers else None
    poms = [file.read_text(encoding="utf-8") for file in committed(folder) if file.name == "pom.xml"]
    goals = sum(len(re.findall(r"<execution>", pom)) for pom in poms)
    return (len(descriptor.build) if descriptor else 0) + goals + (folder / "generate.sh").is_file()


def made_from(folder: Path) -> str:
    """A hash of the contract's schemas and of the generator scripts."""
    contract = [file for file in committed(folder.parent / "contract") if file.suffix in (".xsd", ".wsdl")]
    rest = [file for file in committed(folder) if file.name in GENERATORS]
    digest = hashlib.sha256()
    for file in sorted([*contract, *rest]):
        digest.update(f"{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def generates(folder: Path) -> bool:
    """Whether an implementation has generators of its own."""
    return any((folder / name).is_file() for name in GENERATORS)


def generated_by(folder: Path) -> Lines:
    """The output of an implementation's generators when they run now; raises CalledProcessError."""
    if (folder / "pom.xml").is_file():
        goals = [*("-B", "-q", "-f", str(folder / "pom.xml")), "-Dspotless.check.skip", "generate-sources"]
        subprocess.run(["mvn", *goals], check=True)
        made = folder / "target" / "generated-sources"
        return counted([file for file in sorted(made.rglob("*")) if file.suffix in CODE])
    with TemporaryDirectory() as site:
        subprocess.run(["sh", str(folder / "generate.sh"), site], check=True)
        return counted([file for file in sorted(Path(site).rglob("*")) if file.suffix in CODE])


def kept_counts() -> dict[str, dict[str, Any]]:
    """The counts of the generators' last run, by implementation."""
    return dict(json.loads(KEPT.read_text(encoding="utf-8"))) if KEPT.is_file() else {}


def build(folders: Sequence[Path]) -> None:
    """Run the generators whose inputs have changed since their last run, and store the counts of their output."""
    kept = kept_counts()
    for folder in filter(generates, folders):
        of = made_from(folder)
        if kept.get(folder.name, {}).get("made_from") != of:
            made = generated_by(folder)
            kept[folder.name] = {"made_from": of, "lines": made.lines, "files": made.files}
            KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def implementations(service: str = SERVICE) -> Iterator[Implementation]:
    """All implementations of a service, by name."""
    kept = kept_counts()
    models = {name: entries.server(name).model for name in entries.server_files()}
    for folder in folders_of(service):
        servers = tuple(sorted(name for name, model in models.items() if model.implementation == folder.name))
        files, before = committed(folder), kept.get(folder.name, {})
        code = of_kind(files, [*CODE])
        shared = [file for other in sorted(taken_in(folder)) for file in of_kind(committed(other), [*CODE])]
        made = Lines(before["lines"], before["files"]) if before.get("made_from") == made_from(folder) else None
        yield Implementation(
            name=folder.name,
            servers=servers,
            languages=tuple(dict.fromkeys(CODE[file.suffix] for file in code)),
            code=counted(code),
            shared=counted(shared),
            configuration=counted(of_kind(files, [*CONFIGURATION])),
            steps=steps_of(folder, servers),
            generated=made if generates(folder) else Lines(),
        )


def folders_of(service: str) -> list[Path]:
    """The folders of a service's implementations that a server's descriptor names."""
    known = {entries.server(name).model.implementation for name in entries.server_files()}
    folder = ROOT / "services" / service
    return sorted(place for place in folder.iterdir() if place.is_dir() and place.name in known)


def row(told: Implementation) -> str:
    """A line of the page's table."""
    touched = told.code.files + told.configuration.files
    made = (
        "stale: `make productivity`"
        if told.generated is None
        else f"{told.generated.lines:,} in {told.generated.files}"
    )
    if told.generated == Lines():
        made = "none"
    cells = (
        *(f"`{told.name}`", ", ".join(told.languages), f"{told.code.lines:,}", str(told.code.files)),
        *(f"{told.shared.lines:,}", f"{told.configuration.lines:,}", str(told.configuration.files)),
        *(str(touched), str(told.steps), made),
    )
    return f"| {' | '.join(cells)} |"


def page() -> str:
    """The whole page."""
    all_told = list(implementations())
    headings = (
        "implementation",
        "language",
        "code",
        "files",
        "shared",
        "configuration",
        "files",
        "touched",
        "steps",
        "generated",
    )
    table = [f"| {' | '.join(headings)} |", "| --- | --- |" + " ---: |" * (len(headings) - 2), *map(row, all_told)]
    runs = [f"- `{told.name}` is for {', '.join(told.servers)}." for told in all_told]
    runs.append("\n`services/soakit/README.md` lists the servers that cannot run it, and other parts that are missing.")
    words = rows(ROOT / "papers" / STUDY / "words.csv")
    quoted = ["| server of 2005 | quoted from the kit | slide |", "| --- | --- | --- |"]
    quoted += [f'| {each["server"]} | "{each["said"]}" | {each["source"]} |' for each in words]
    beside = "The kit of 2005 has no counts. Its own statements on the effort are listed here; no conclusion is drawn from both."
    return "\n".join([INTRODUCTION, *table, "", *runs, "", "## Statements of the kit", "", beside, "", *quoted, ""])


def main() -> int:
    """Write the page, or with --check fail where it is stale, or what was generated is."""
    if "--build" in sys.argv[1:]:
        build(folders_of(SERVICE))
    stale = [told.name for told in implementations() if told.generated is None]
    if stale and "--check" in sys.argv[1:]:
        print(
            f"the generated code of {', '.join(stale)} is not counted; `make productivity` counts it", file=sys.stderr
        )
        return 1
    return keep(PAGE, page(), "`make productivity`")


if __name__ == "__main__":
    sys.exit(main())

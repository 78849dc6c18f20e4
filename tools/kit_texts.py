"""The texts of a kit: its README, the developer's journal, the start script, and the client's requests."""

from __future__ import annotations

import platform
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import interoperability
import productivity
from kept import ROOT
from steelyard.catalogue import entries
from steelyard.catalogue.entries import Entry
from steelyard.models.server import Argv, Server

SERVICE = interoperability.SERVICE
TEMPLATES = ROOT / "tools" / "kit"
# one request per use case, and one with its document as a string: endpoint, operation, exchange
REQUESTS = (
    ("TVDinner", "tv-dinner", "wrapped"),
    ("SushiBoats", "sushi-boats", "wrapped"),
    ("Buffet", "buffet", "wrapped"),
    ("Text", "buffet", "text"),
)
# replacements for the placeholders of argument lists in start.sh, and in a shell in the server's folder
STARTING = {name: f'"${name}"' for name in ("host", "port", "scratch", "cache", "service")}
BUILDING = {"cache": '"$PWD/../../product"', "service": f'"$PWD/../../services/{SERVICE}"'}


@dataclass(frozen=True)
class Kit:
    """The parts of a kit: the server, its implementation, and the folder of its fetched and built files."""

    server: Entry[Server]
    implementation: str
    product: Path

    @property
    def folder(self) -> Path:
        """The implementation's sources."""
        return ROOT / "services" / SERVICE / self.implementation

    @property
    def war(self) -> Path:
        """The WAR of its build, if any."""
        return self.folder / "target" / f"{SERVICE}.war"


def made(kit: Kit) -> dict[str, str]:
    """The generated files of a kit, by their paths in it."""
    texts = {"README.md": readme(kit), "JOURNAL.md": journal(kit), "start.sh": start(kit.server.model)}
    texts["client.sh"] = (TEMPLATES / "client.sh").read_text(encoding="utf-8")
    return texts | {f"client/{SERVICE}/{name}": envelope for name, envelope in exchanges()}


def exchanges() -> Iterator[tuple[str, str]]:
    """The client's requests, and the contract's answers to them."""
    contract = entries.service(SERVICE).folder / "contract"
    for endpoint, operation, exchange in REQUESTS:
        envelopes = interoperability.Carriage(endpoint, endpoint, "", exchange).envelopes(contract, operation)
        for part, envelope in zip(("request", "answer"), envelopes, strict=True):
            yield f"{endpoint}/{part}.xml", envelope.decode()


def start(server: Server) -> str:
    """The script that prepares the server and runs it in the foreground."""
    jdk = [f': "${{JAVA_HOME:?names no folder of a JDK {server.needs.jdk}}}"'] if server.needs.jdk else []
    defaults = [f'export {name}="${{{name}-{value}}}"' for name, value in variables(server).items()]
    prepare = [shell(argv, STARTING) for argv in server.prepare]
    return "\n".join(
        [
            "# Runs the server in the foreground, on this machine's loopback only: start.sh [PORT] (8080). Ctrl-C ends it.",
            "# A setting of JOURNAL.md is changed by its variable: NAME=VALUE sh start.sh",
            "set -eu",
            *jdk,
            'here=$(cd "$(dirname "$0")" && pwd)',
            f"host=127.0.0.1 port=${{1:-8080}} cache=$here/product service=$here/services/{SERVICE} scratch=$(mktemp -d)",
            "export STEELYARD_HOST=$host STEELYARD_PORT_SERVER=$port",
            "export STEELYARD_CPUS=${STEELYARD_CPUS:-$(getconf _NPROCESSORS_ONLN)}",
            *defaults,
            f'cd "$here/servers/{server.name}"',
            *prepare,
            f"exec {shell(server.start, STARTING)}",
            "",
        ]
    )


def variables(server: Server) -> dict[str, str]:
    """The default of each setting, of the server and the service, by its variable in scripts; all are plain characters."""
    service = entries.service(SERVICE).model
    of_service = {
        name: factor
        for name, factor in service.factors.items()
        if name not in service.generate_with  # what only requests are made by
        and (factor.implementations is None or server.implementation in factor.implementations)
    }
    both = {**server.factors, **of_service}
    return {f"STEELYARD_{name.upper()}": both[name].default for name in sorted(both)}


def shell(argv: Argv, places: Mapping[str, str]) -> str:
    """An argument list as a line of shell, with replacements for its placeholders."""
    return " ".join(
        "".join(
            places[piece] if number % 2 else shlex.quote(piece) * bool(piece)
            for number, piece in enumerate(re.split(rf"\{{({'|'.join(places)})\}}", word))
        )
        for word in argv
    )


def readme(kit: Kit) -> str:
    """The README: what the kit is and needs, and how it is run, called and built."""
    server = kit.server.model
    running = [f"- `{command}`" for command in server.needs.commands]
    building = [f"`{command}`" for command in server.needs.build_commands]
    packages = [package for artifact in server.artifacts for package in artifact.apt or []]
    needs = [f"- a JDK {server.needs.jdk}, whose folder `JAVA_HOME` names"] if server.needs.jdk else []
    needs += running + ([f"- Debian's packages {', '.join(packages)}"] if packages else [])
    steps = [f"    {shell(argv, BUILDING)}" for argv in server.build]
    more = f"This also needs {', '.join(building)}. " if building else ""
    rebuild = ["## Rebuild it", "", f"{more}From `servers/{server.name}`:", "", *steps, "", ""] if steps else []
    return (
        (TEMPLATES / "README.md")
        .read_text(encoding="utf-8")
        .format(
            service=SERVICE,
            server=server.name,
            title=server.title,
            version=server.version,
            stack=server.stack,
            language=server.language,
            implementation=kit.implementation,
            machine=f"{platform.system()} on {platform.machine()}",
            needs="\n".join(needs or ["- nothing else to run it"]),
            built=f", and the WAR (`{kit.war.relative_to(ROOT / 'services' / SERVICE)}`)" if kit.war.is_file() else "",
            rebuild="\n".join(rebuild),
        )
    )


def journal(kit: Kit) -> str:
    """The developer's journal of this server: hand-written parts where they exist, the rest from stored results."""
    server = kit.server.model
    own = kit.server.folder / "JOURNAL.md"
    told = (ROOT / "services" / SERVICE / "README.md").read_text(encoding="utf-8")
    fixed = {
        f"STEELYARD_{name.upper()}" for artifact in server.artifacts for name in artifact.when
    }  # by what the kit holds
    defaults = {
        name: f"`{value}`" if value else "empty" for name, value in variables(server).items() if name not in fixed
    }
    parts = [
        f"# Developer's journal: {SERVICE} on {server.title} {server.version}",
        _without_title(own) if own.is_file() else "",
        f"## How the server is set\n\n{_without_title(kit.server.folder / 'README.md')}",
        f"## The implementation `{kit.implementation}`\n\n{section(told, kit.implementation)}",
        _listed("The schema in its binding", column(told, kit.implementation), "There are no entries by type."),
        f"## Size and effort\n\n{_took(kit.implementation)}",
        _listed("Findings: deviations from the contract", server.deviations, "There are none."),
        _listed("Findings: clients that work with it", _asked_by(kit.server.name), "No client was tested yet."),
        _listed("Tuning: parameters that papers tuned, and their values here", server.tuning, "There are none."),
        _listed("Settings, with their defaults", defaults, "There are none."),
    ]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _without_title(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("\n")[2].strip()


def section(page: str, title: str) -> str:
    """The text below a heading of a page; empty without the heading."""
    inside = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    return inside.group(1).strip() if inside else ""


def column(page: str, implementation: str) -> dict[str, str]:
    """An implementation's column in the page's table of bindings, by type of the schema; empty without one."""
    lines = [line for line in section(page, "What bindings cannot do").splitlines() if line.startswith("|")]
    heading, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    place = next((number for number, cell in enumerate(heading) if cell.startswith(f"`{implementation}`")), None)
    return {} if place is None else {row[0].replace("`", ""): row[place] for row in rows}


def _asked_by(server: str) -> dict[str, str]:
    said: dict[str, str] = {}
    for cell in interoperability.raw().cells:
        if cell.server == server:
            carriage = interoperability.CARRIAGES[cell.carriage].title.lower()
            why = f", `{cell.said.replace('`', chr(39))}`" if cell.said else ""
            said[f"{cell.client}, {carriage}"] = f"{interoperability.WORDS[cell.reached]}{why}"
    return said


def _took(implementation: str) -> str:
    told = next((each for each in productivity.implementations(SERVICE) if each.name == implementation), None)
    if told is None:
        return "It is not counted."
    generated = told.generated.lines if told.generated else 0
    return (
        f"{told.code.lines:,} lines of code in {told.code.files} files, {told.shared.lines:,} shared with others, "
        f"{told.configuration.lines:,} of configuration in {told.configuration.files} files; {generated:,} lines are generated. "
        f"It is built in {told.steps} steps."
    )


def _listed(title: str, said: Mapping[str, str], otherwise: str) -> str:
    lines: Sequence[str] = [f"- `{name}`: {meaning}" for name, meaning in said.items()] or [otherwise]
    return "\n".join([f"## {title}", "", *lines])

"""Makes docs/reference/interoperability.md, which clients work with which servers: `interoperability.py [--ask NAMES] [--check]`.

With --ask each client generator (tools/clients) gets the description of the kit's service that each named server publishes, and
its code calls that server; the results are stored in interoperability.json. Without, the page is made from the stored results.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from client_calls import Asked, Reached, Ready, called, clients, made, provided, shortened
from kept import ROOT, keep
from pydantic import BaseModel, ConfigDict
from rich.console import Console
from steelyard.base import paths
from steelyard.base.errors import NoAnswerError, SteelyardError
from steelyard.base.http_client import HttpClient
from steelyard.base.lock import machine_lock
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import cpus, launch, subject
from steelyard.hosts.running import RunningSubject
from steelyard.models.study import PartSpec, SubjectSpec

SERVICE = "soakit"
PAGE = ROOT / "docs" / "reference" / "interoperability.md"
KEPT = PAGE.with_suffix(".json")
PUBLISHED_SECONDS = 60.0
PATIENCE = 4.0  # nothing is measured, so slow machines get more time
WORDS: dict[Reached, str] = {
    "right": "right",
    "answered": "answers wrong",
    "compiled": "no answer",
    "generated": "does not compile",
    "nothing": "not generated",
}
INTRODUCTION = """\
# Which clients work with which servers

This page is made by `make interoperability` from the raw data in `interoperability.json`. Each client generator (`tools/clients`)
gets the description of the kit's service (`services/soakit`) that a server publishes, and its code calls that server once. The
same order is sent twice:

- *as a string*: operation `buffetText` at `/soakit/Text`; each generator only has to bind a string;
- *as XML*: operation `buffet` at `/soakit/Buffet`; the order and its answer pass through the generated classes.

The order breaks every rule of the Buffet once (`contract/exchanges/buffet/every-rule`), and the answer must name each of them.

- *right*: generated, compiled and called, and every value of the answer is the contract's.
- *answers wrong*: the call was answered with a wrong value. *no answer*: the generated code compiles, but the call fails.
- *does not compile*: the compiler rejects the generated code. *not generated*: the generator fails.

A package that binds at run time generates no code: reading the description counts as generation, and nothing is compiled. If a
server publishes no description, the client gets the contract's own file instead, and the cell ends in an asterisk. The number
after a failure refers to a note with the first line of the reason, as printed by the generator, the compiler or the client.
"""


class Kept(BaseModel):
    """A part of the raw data."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Cell(Kept):
    """The result of a client with a server for one form of the document."""

    server: str
    carriage: str
    client: str
    published: bool
    reached: Reached
    said: str

    @property
    def place(self) -> tuple[str, str, str]:
        """The key of the cell: of two with the same key, the later is stored."""
        return self.server, self.carriage, self.client


class AskedServer(Kept):
    """A tested server: its versions, the date, and for each address why it publishes no description (empty: it does)."""

    title: str
    version: str
    stack: str
    date: str
    publishes: dict[str, str]


class Raw(Kept):
    """All stored results: servers by name, reasons for unavailable clients by name, cells in order."""

    servers: dict[str, AskedServer] = {}
    missing: dict[str, str] = {}
    cells: list[Cell] = []

    @property
    def absent(self) -> dict[str, str]:
        """Reasons for unavailable clients without any results, by name."""
        had = {cell.client for cell in self.cells}
        return {name: said for name, said in self.missing.items() if name not in had}


@dataclass(frozen=True)
class Carriage:
    """One form of the order: the heading, the endpoint, the operation, and the contract's exchange."""

    title: str
    endpoint: str
    operation: str
    exchange: str

    def envelopes(self, contract: Path, operation: str = "buffet") -> tuple[bytes, bytes]:
        """The contract's request and answer for an operation's exchange."""
        stem = contract / "exchanges" / operation / self.exchange
        together = stem.with_name(f"{stem.name}.exchange.json")
        if together.is_file():
            exchange = json.loads(together.read_text(encoding="utf-8"))
            return exchange["request"].encode(), exchange["answer"].encode()
        parts = (stem.with_name(f"{stem.name}.{part}.xml").read_bytes() for part in ("request", "answer"))
        return next(parts), next(parts)


CARRIAGES = {
    "string": Carriage("As a string", "Text", "buffetText", "every-rule-text"),
    "xml": Carriage("As XML", "Buffet", "buffet", "every-rule"),
}


def askable() -> list[str]:
    """The servers with an implementation of the service."""
    folder = entries.service(SERVICE).folder
    models = {name: entries.server(name).model for name in entries.server_files()}
    return sorted(
        name for name, model in models.items() if model.implementation and (folder / model.implementation).is_dir()
    )


def raw() -> Raw:
    """The stored results."""
    return Raw.model_validate_json(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else Raw()


def ask(names: Sequence[str], wanted: Sequence[str], progress: Progress) -> None:
    """Test these servers with these clients, and store each result; raises the errors of a server's start."""
    ready: dict[str, Ready] = {}
    missing = dict(raw().missing)
    for name in wanted:
        missing.pop(name, None)
        try:
            ready[name] = provided(name, clients()[name], progress)
        except SteelyardError as error:
            missing[name] = shortened(error.message)
    with TemporaryDirectory(prefix="interoperability-") as work:
        for name in names:
            for server, cell in _asked(name, ready, Path(work), progress):
                before = raw()
                left = [each for each in before.cells if each.place != cell.place]
                servers = dict(sorted({**before.servers, name: server}.items()))
                kept = Raw(servers=servers, missing=dict(sorted(missing.items())), cells=_in_order([*left, cell]))
                KEPT.write_text(kept.model_dump_json(indent=1) + "\n", encoding="utf-8")


def _in_order(cells: Sequence[Cell]) -> list[Cell]:
    return sorted(cells, key=lambda cell: cell.place)


def _asked(name: str, ready: dict[str, Ready], work: Path, progress: Progress) -> Iterator[tuple[AskedServer, Cell]]:
    """Start a server, and call it with every client in both forms: a cell for each, with the server's description."""
    service = entries.service(SERVICE)
    with ExitStack() as stack:
        # locked only while starting, which would disturb a measurement
        with machine_lock("interoperability"):
            spec = SubjectSpec(label=name, parts=[PartSpec(server=name)])
            provided_subject = subject.provide_subject(spec, service, progress)
            logs = work / name / "logs"
            logs.mkdir(parents=True)
            up = launch.running_subject(
                provided_subject, logs, cpus.share(), random.Random(), progress, patience=PATIENCE
            )
            running = stack.enter_context(up)
        publishes = {key: _published(running, carriage) for key, carriage in CARRIAGES.items()}
        model = provided_subject.front.server.model
        date = time.strftime("%Y-%m-%d", time.gmtime())
        server = AskedServer(
            title=model.title, version=model.version, stack=model.stack, date=date, publishes=publishes
        )
        contract = stack.enter_context(_served(service.folder / "contract"))
        for cell in _cells(name, running, publishes, f"{contract}/{SERVICE}.wsdl", ready, work):
            yield server, cell


def _cells(
    name: str, running: RunningSubject, publishes: dict[str, str], own: str, ready: dict[str, Ready], work: Path
) -> Iterator[Cell]:
    """A cell for each client and form; `own` is the address of the contract's own description."""
    contract = entries.service(SERVICE).folder / "contract"
    for key, carriage in CARRIAGES.items():
        request, answer = carriage.envelopes(contract)
        address = _address(running, carriage)
        published = publishes[key] == ""
        wsdl = f"{address}?wsdl" if published else own
        asked = Asked(wsdl, address, carriage.operation, request, answer)
        for client in ready.values():
            # code from the contract's own file is shared by all servers
            folder = work / (name if published else "contract") / (key if published else "both") / client.name
            outcome = made(client, wsdl, folder)
            if outcome.reached == "compiled":
                outcome = called(client, asked, folder)
            cell = Cell(
                server=name,
                carriage=key,
                client=client.name,
                published=published,
                reached=outcome.reached,
                said=outcome.said,
            )
            print(f"{name} {key} {client.name}: {cell.reached} {cell.said}", file=sys.stderr)
            yield cell


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """A loopback address that serves a folder's files: not every generator reads files."""
    server = ThreadingHTTPServer((paths.HOST, 0), partial(_Files, directory=str(folder)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield paths.url(server.server_port, "")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Files(SimpleHTTPRequestHandler):
    """The files of a folder, as XML."""

    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".wsdl": "text/xml", ".xsd": "text/xml"}

    def log_message(self, *_words: object) -> None:
        """Nothing is said of what was asked for."""


def _address(running: RunningSubject, carriage: Carriage) -> str:
    return f"{running.url.rpartition('/')[0]}/{carriage.endpoint}"


def _published(running: RunningSubject, carriage: Carriage) -> str:
    """Why a server publishes no description at an address; empty where it does."""
    conversation = HttpClient(f"{_address(running, carriage)}?wsdl", PUBLISHED_SECONDS)
    try:
        answer = conversation.get({})
    except NoAnswerError as error:
        return shortened(str(error))
    finally:
        conversation.close()
    if answer.status != 200:
        return f"HTTP status {answer.status}"
    return "" if b"http://schemas.xmlsoap.org/wsdl/" in answer.body else "its answer is not a WSDL"


def page(kept: Raw) -> str:
    """The whole page."""
    known = clients()
    lines = [INTRODUCTION]
    for key, carriage in CARRIAGES.items():
        lines += [f"## {carriage.title}", "", *_matrix(kept, key), ""]
    lines += [
        "## The clients",
        "",
        "| client | product | version | language | makes code |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, client in known.items():
        makes = "yes" if client.compile else "no"
        lines.append(f"| `{name}` | {client.title} | {client.version} | {client.language} | {makes} |")
    if kept.absent:
        lines += ["", "Not available where this was run:", ""]
        lines += [f"- `{name}`: {said}" for name, said in kept.absent.items()]
    lines += [
        "",
        "## The servers",
        "",
        "| server | product | stack | tested on | publishes |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, server in kept.servers.items():
        says = "; ".join(
            f"{CARRIAGES[key].endpoint}: {why or 'its description'}" for key, why in server.publishes.items()
        )
        product = f"{server.title} {server.version}"
        lines.append(f"| `{name}` | {product} | {server.stack} | {server.date} | {says} |")
    left = [name for name in askable() if name not in kept.servers]
    if left:
        lines += ["", f"Not tested yet: {', '.join(left)}. `make interoperability SERVERS=NAME,NAME` tests them."]
    return "\n".join([*lines, ""])


def _matrix(kept: Raw, carriage: str) -> list[str]:
    """The table of one form, a row per client, with its notes; equal texts share a note."""
    notes: list[str] = []
    servers = list(kept.servers)
    cells = {(cell.client, cell.server): cell for cell in kept.cells if cell.carriage == carriage}
    lines = [f"| client | {' | '.join(servers)} |", "| --- |" + " --- |" * len(servers)]
    for name in clients():
        row = [_cell(cells.get((name, server)), notes, name in kept.absent) for server in servers]
        lines.append(f"| `{name}` | {' | '.join(row)} |")
    return [*lines, "", *(f"{number}. {note}" for number, note in enumerate(notes, 1))]


def _cell(cell: Cell | None, notes: list[str], missing: bool) -> str:
    if cell is None:
        return "not available" if missing else "not asked"
    text = WORDS[cell.reached]
    if cell.said:
        note = f"`{cell.said.replace('`', chr(39))}`"
        if note not in notes:
            notes.append(note)
        text += f" ({notes.index(note) + 1})"
    return text if cell.published else f"{text} *".replace("*", "\\*")


def main() -> int:
    """Test servers, if requested, and write the page, or with --check fail where it is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ask", metavar="SERVERS", help="server names, separated by commas, or all")
    parser.add_argument("--clients", metavar="NAMES", help="with --ask: only these clients, separated by commas")
    parser.add_argument("--check", action="store_true", help="fail where the page is stale")
    options = parser.parse_args()
    if options.ask:
        names = askable() if options.ask == "all" else options.ask.split(",")
        with Progress(Console(stderr=True, quiet=True)) as progress:
            ask(names, options.clients.split(",") if options.clients else list(clients()), progress)
    return keep(PAGE, page(raw()), "`tools/interoperability.py`")


if __name__ == "__main__":
    sys.exit(main())

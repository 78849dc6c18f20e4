"""Asks a service by what a client generator makes of a description: tools/clients/NAME/client.toml says how each is run.

A client is an argument list that generates, one that compiles, where there is something to compile, and one that calls an
operation and prints the answer. What fails is a result, with what the generator, the compiler or the client said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from kept import ROOT
from lxml import etree
from pydantic import BaseModel, ConfigDict
from steelyard.base import configuration
from steelyard.base.errors import KeeperError
from steelyard.base.progress import Progress
from steelyard.catalogue.entries import Entry
from steelyard.hosts import build, fetch, keeper
from steelyard.hosts.toolchain import require
from steelyard.models.server import Argv, Artifact, Needs, Server

CLIENTS = ROOT / "tools" / "clients"
STEP_SECONDS = 900.0  # of one generator, compiler or call
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
SAID_LENGTH = 240
NO_DTD = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
Reached = Literal["nothing", "generated", "compiled", "answered", "right"]
# Lines of what a program says that are likely to say why it failed, the surer first, and lines that are none.
ERROR = re.compile(r"^(?:Caused by: )?[\w.$]*(?:Error|Exception|Fault)\b|(?i:\berror:)")
REASON = re.compile(r"(?i)error|exception|fault|cannot|could not|failed|not found|no operation|unable")
NOISE = re.compile(r"^(\s*at |\s*\.\.\. \d+ more|\s*\^|npm |WARN|.*\bWARN(ING)?\b)")


class Client(BaseModel):
    """A client generator, as its folder describes it.

    The argument lists run in its folder. {cache} holds its artifacts, {made} is the folder for what it makes, {wsdl} the
    description's address or file; {address} and {operation} are what is asked, {request} a file with the operation's element,
    {values} one with the same as JSON. Without `compile` nothing is compiled; without `call` it is not asked.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    version: str
    language: str
    needs: Needs = Needs()
    artifacts: list[Artifact] = []
    generate: Argv
    compile: Argv | None = None
    call: Argv | None = None


@dataclass(frozen=True)
class Ready:
    """A client whose artifacts are here, and the environment that it runs in."""

    name: str
    model: Client
    cache: Path
    environment: Mapping[str, str]


@dataclass(frozen=True)
class Asked:
    """What is asked: an operation at an address, by a description; `request` and `answer` are the contract's envelopes."""

    wsdl: str
    address: str
    operation: str
    request: bytes
    answer: bytes


@dataclass(frozen=True)
class Outcome:
    """How far a client came, and what was said where it came no further."""

    reached: Reached
    said: str = ""


def clients() -> dict[str, Client]:
    """All that stand in tools/clients, by name."""
    files = sorted(CLIENTS.glob("*/client.toml"))
    return {file.parent.name: configuration.load(file, Client) for file in files}


def provided(name: str, client: Client, progress: Progress) -> Ready:
    """The client with what it is made of fetched, as a server's is; raises ToolchainError or FetchError."""
    environment = require(client.needs, name)
    about = {"title": client.title, "version": client.version, "stack": client.title, "language": client.language}
    like_a_server = Server(
        **about, name=f"client-{name}", artifacts=client.artifacts, start=client.generate, ready=client.generate
    )
    folder = CLIENTS / name
    entry = Entry(like_a_server.name, folder, folder / "client.toml", like_a_server)
    return Ready(name, client, fetch.fetch(entry, progress, environment), environment)


def made(ready: Ready, wsdl: str, folder: Path) -> Outcome:
    """Generate and compile into `folder`, which is made, unless that was done before; what was said is kept there."""
    kept = folder / "outcome.json"
    if kept.is_file():
        return Outcome(**json.loads(kept.read_text(encoding="utf-8")))
    folder.mkdir(parents=True)
    outcome = _made(ready, {"wsdl": wsdl, "made": str(folder)}, folder)
    kept.write_text(json.dumps(outcome.__dict__), encoding="utf-8")
    return outcome


def _made(ready: Ready, values: Mapping[str, str], folder: Path) -> Outcome:
    for step, before in (("generate", "nothing"), ("compile", "generated")):
        argv = getattr(ready.model, step)
        if argv is None:
            continue
        log = folder / f"{step}.log"
        try:
            keeper.run(_words(ready, argv, values), log=log, **_surroundings(ready))
        except KeeperError as error:
            return Outcome(before, reason(log, error))
    return Outcome("compiled")


def called(ready: Ready, asked: Asked, folder: Path) -> Outcome:
    """Ask by what was made in `folder`, and hold the answer to the contract's."""
    payload = content_of(asked.request)
    request, values_file, log = folder / "request.xml", folder / "request.json", folder / "call.log"
    request.write_bytes(etree.tostring(payload))
    values_file.write_text(json.dumps(values_of(payload)), encoding="utf-8")
    values = {"wsdl": asked.wsdl, "made": str(folder), "address": asked.address, "operation": asked.operation}
    values |= {"request": str(request), "values": str(values_file)}
    if ready.model.call is None:
        return Outcome("compiled", "no call is written for it")
    try:
        printed = keeper.output(_words(ready, ready.model.call, values), log=log, **_surroundings(ready))
    except KeeperError as error:
        return Outcome("compiled", reason(log, error))
    if not printed.strip():
        return Outcome("answered", "the answer holds nothing")
    try:
        answer = told(printed)
    except (ValueError, etree.XMLSyntaxError) as error:
        return Outcome("answered", shortened(f"what it prints is no document: {error}: {printed}"))
    different = difference(told(etree.tostring(content_of(asked.answer)).decode()), answer)
    return Outcome("answered", shortened(different)) if different else Outcome("right")


def _words(ready: Ready, argv: Sequence[str], values: Mapping[str, str]) -> list[str]:
    return build.placeholders(list(argv), {**values, "cache": str(ready.cache)})


def _surroundings(ready: Ready) -> dict[str, Any]:
    return {"cwd": CLIENTS / ready.name, "environment": ready.environment, "seconds": STEP_SECONDS}


def content_of(envelope: bytes) -> etree._Element:
    """The element in an envelope's body."""
    (payload,) = etree.fromstring(envelope, NO_DTD).find(f"{{{SOAP}}}Body")
    return payload


def values_of(element: etree._Element) -> Any:
    """What an element holds: a text, or by their local names what its children do; a list where there are several of a name."""
    if len(element) == 0:
        return element.text or ""
    values: dict[str, Any] = {}
    for child in element:
        name, value = etree.QName(child).localname, values_of(child)
        if name not in values:
            values[name] = value
        elif isinstance(values[name], list):
            values[name].append(value)
        else:
            values[name] = [values[name], value]
    return values


def told(printed: str) -> Any:
    """The values of a document that was printed, as XML or JSON; wrappers around it, and documents in a text, are opened."""
    text = printed.strip()
    value = json.loads(text) if text[:1] in '{"' else values_of(etree.fromstring(text.encode(), NO_DTD))
    while True:
        if isinstance(value, dict) and len(plain := _plain(value)) == 1 and not isinstance(plain[0], list):
            value = plain[0]
        elif isinstance(value, str) and value.strip().startswith("<"):
            value = values_of(etree.fromstring(value.strip().encode(), NO_DTD))
        else:
            return _canonical(value)


def _plain(value: Mapping[str, Any]) -> list[Any]:
    """What a mapping holds that is no attribute, by the ways in which libraries mark these."""
    return [each for name, each in value.items() if not name.startswith("$") and name != "attributes"]


def _canonical(value: Any) -> Any:
    """All leaves as texts, nothing as an empty one, and a single value as a list of itself."""
    if isinstance(value, dict):
        kept = {name: each for name, each in value.items() if not name.startswith("$") and name != "attributes"}
        return {
            name: [_canonical(each) for each in (inner if isinstance(inner, list) else [inner])]
            for name, inner in kept.items()
        }
    return "" if value is None else str(value)


def difference(expected: Any, answered: Any, place: str = "the answer") -> str:
    """The first place where two documents differ, as a sentence; empty where they do not."""
    if isinstance(expected, dict) and isinstance(answered, dict):
        for name in [*expected, *(name for name in answered if name not in expected)]:
            wanted, given = expected.get(name, []), answered.get(name, [])
            if len(wanted) != len(given):
                return f"{name} stands {len(given)} times in {place}, expected {len(wanted)}"
            for number, pair in enumerate(zip(wanted, given, strict=True), 1):
                if different := difference(*pair, place=f"{name} {number} of {place}"):
                    return different
        return ""
    return "" if expected == answered else f"{place} is {answered!r}, expected {expected!r}"


def reason(log: Path, error: KeeperError) -> str:
    """Why a step failed, from what it wrote: the first line that says so, or else the last."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not NOISE.match(line)]
    sure = [line for line in lines if ERROR.search(line)]
    likely = [line for line in lines if REASON.search(line)]
    telling = [*sure, *likely, *lines[-1:], error.message][0]
    return shortened(telling)


def shortened(text: str) -> str:
    """A text in which no folder and no address of this machine stands, of a length for a table's note."""
    text = re.sub(r"https?://[\d.]+:\d+", "http://SERVER", text)
    text = re.sub(r"(?<![\w:/])/(?:[^\s:/'\"]+/)+", "", text)
    text = " ".join(text.split())
    return text if len(text) <= SAID_LENGTH else text[:SAID_LENGTH] + " ..."

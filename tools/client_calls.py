"""Calls a service with code from client generators: tools/clients/NAME/client.toml describes each generator.

A client has an argument list that generates code, one that compiles it, if needed, and one that calls an operation and prints the
answer. A failure is a result, with the message of the generator, the compiler or the client.
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
STEP_SECONDS = 900.0  # time limit in s of one generator, compiler or call
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
SAID_LENGTH = 240
NO_DTD = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
Reached = Literal["nothing", "generated", "compiled", "answered", "right"]
# Output lines that probably hold the reason of a failure, the most certain first; and lines that never do.
ERROR = re.compile(r"^(?:Caused by: )?[\w.$]*(?:Error|Exception|Fault)\b|(?i:\berror:)")
REASON = re.compile(r"(?i)error|exception|fault|cannot|could not|failed|not found|no operation|unable")
NOISE = re.compile(r"^(\s*at |\s*\.\.\. \d+ more|\s*\^|npm |WARN|.*\bWARN(ING)?\b)")


class Client(BaseModel):
    """A client generator, from its folder.

    The argument lists run in its folder. {cache} holds its artifacts, {made} is the output folder, {wsdl} the description's
    address or file; {address} and {operation} are the target of the call, {request} is a file with the operation's element,
    {values} one with the same as JSON. Without `compile` nothing is compiled; without `call` it is not called.
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
    """A client with fetched artifacts, and its environment."""

    name: str
    model: Client
    cache: Path
    environment: Mapping[str, str]


@dataclass(frozen=True)
class Asked:
    """A call: an operation at an address, with its description; `request` and `answer` are the contract's envelopes."""

    wsdl: str
    address: str
    operation: str
    request: bytes
    answer: bytes


@dataclass(frozen=True)
class Outcome:
    """The last step that a client reached, and the message of the step that failed."""

    reached: Reached
    said: str = ""


def clients() -> dict[str, Client]:
    """All clients in tools/clients, by name."""
    files = sorted(CLIENTS.glob("*/client.toml"))
    return {file.parent.name: configuration.load(file, Client) for file in files}


def provided(name: str, client: Client, progress: Progress) -> Ready:
    """The client with its artifacts fetched, like a server's; raises ToolchainError or FetchError."""
    environment = require(client.needs, name)
    about = {"title": client.title, "version": client.version, "stack": client.title, "language": client.language}
    like_a_server = Server(
        **about, name=f"client-{name}", artifacts=client.artifacts, start=client.generate, ready=client.generate
    )
    folder = CLIENTS / name
    entry = Entry(like_a_server.name, folder, folder / "client.toml", like_a_server)
    return Ready(name, client, fetch.fetch(entry, progress, environment), environment)


def made(ready: Ready, wsdl: str, folder: Path) -> Outcome:
    """Generate and compile into `folder`, created here, unless that was done before; messages are stored there."""
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
    """Call with the code in `folder`, and compare the answer with the contract's."""
    payload = content_of(asked.request)
    request, values_file, log = folder / "request.xml", folder / "request.json", folder / "call.log"
    request.write_bytes(etree.tostring(payload))
    values_file.write_text(json.dumps(values_of(payload)), encoding="utf-8")
    values = {"wsdl": asked.wsdl, "made": str(folder), "address": asked.address, "operation": asked.operation}
    values |= {"request": str(request), "values": str(values_file)}
    if ready.model.call is None:
        return Outcome("compiled", "it has no call in client.toml")
    try:
        printed = keeper.output(_words(ready, ready.model.call, values), log=log, **_surroundings(ready))
    except KeeperError as error:
        return Outcome("compiled", reason(log, error))
    if not printed.strip():
        return Outcome("answered", "the answer is empty")
    try:
        answer = told(printed)
    except (ValueError, etree.XMLSyntaxError) as error:
        return Outcome("answered", shortened(f"its output is not a document: {error}: {printed}"))
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
    """The value of an element: its text, or its children's values by local name; a list for repeated names."""
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
    """The values of a printed document, XML or JSON; wrappers around it, and documents in a text, are opened."""
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
    """A mapping without attributes, in the ways that libraries mark these."""
    return [each for name, each in value.items() if not name.startswith("$") and name != "attributes"]


def _canonical(value: Any) -> Any:
    """All leaves as texts, missing values as empty texts, and a single value as a list of one."""
    if isinstance(value, dict):
        kept = {name: each for name, each in value.items() if not name.startswith("$") and name != "attributes"}
        return {
            name: [_canonical(each) for each in (inner if isinstance(inner, list) else [inner])]
            for name, inner in kept.items()
        }
    return "" if value is None else str(value)


def difference(expected: Any, answered: Any, place: str = "the answer") -> str:
    """The first difference between two documents, as a sentence; empty where they are equal."""
    if isinstance(expected, dict) and isinstance(answered, dict):
        for name in [*expected, *(name for name in answered if name not in expected)]:
            wanted, given = expected.get(name, []), answered.get(name, [])
            if len(wanted) != len(given):
                return f"{name} occurs {len(given)} times in {place}, expected {len(wanted)}"
            for number, pair in enumerate(zip(wanted, given, strict=True), 1):
                if different := difference(*pair, place=f"{name} {number} of {place}"):
                    return different
        return ""
    return "" if expected == answered else f"{place} is {answered!r}, expected {expected!r}"


def reason(log: Path, error: KeeperError) -> str:
    """The reason of a failed step, from its output: the first line that states it, else the last line."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not NOISE.match(line)]
    sure = [line for line in lines if ERROR.search(line)]
    likely = [line for line in lines if REASON.search(line)]
    telling = [*sure, *likely, *lines[-1:], error.message][0]
    return shortened(telling)


def shortened(text: str) -> str:
    """A text without folders and addresses of this machine, short enough for a table's note."""
    text = re.sub(r"https?://[\d.]+:\d+", "http://SERVER", text)
    text = re.sub(r"(?<![\w:/])/(?:[^\s:/'\"]+/)+", "", text)
    text = " ".join(text.split())
    return text if len(text) <= SAID_LENGTH else text[:SAID_LENGTH] + " ..."

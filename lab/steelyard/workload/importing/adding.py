"""The `add` command with a WSDL: a WAR becomes a service that every server of Steelyard can run."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tomli_w
from lxml import etree

from ...base import configuration, paths
from ...base.errors import ConfigurationError, ImportRefusedError
from ...base.temporary_folder import temporary_folder
from ...catalogue import entries
from ...models.outputs.own_service import AddOutput, LeftOut
from ...models.service import Operation, Service
from .bounded import convert_in_bounds
from .names import ENVELOPES, WSDL, local
from .new_folder import name_of
from .programs import GIVEN, IMPLEMENTATIONS
from .war import War, read_war

_PLACE = re.compile(r"\{\{[^}]+\}\}")
_HEAD = """\
# Made by `steelyard add` from WAR.
# An answer is right if it belongs to the operation and matches the schema. If contract/exchanges/OPERATION/sample.answer.xml
# exists, the answer must also have its values. For more requests, add NAME.request.xml beside sample.request.xml.
"""


@dataclass(frozen=True)
class Wanted:
    """The input of `add`: the user's program (a WAR for a WSDL), its description, the service's name, and the path where it answers
    (None: taken from the WAR or the description)."""

    program: str
    description: str
    name: str | None
    path: str | None
    also: Sequence[str] = ()
    ports: Sequence[str] = ()


def add(wanted: Wanted) -> AddOutput:
    """Make a service of a WAR and its WSDL in the user's own folder of services.

    Writes all of it or nothing; raises SteelyardError.
    """
    given = Path(wanted.program)
    war = read_war(given)
    name, place = free_place(wanted.name or given.stem)
    with temporary_folder(place.parent) as scratch:
        made = scratch / name
        imported = convert_in_bounds(wanted.description, made, wanted.also, wanted.ports)
        model = configuration.load(made / "service.toml", Service)
        kept, left = _keep_verifiable(made, model)
        if not kept:
            raise ImportRefusedError(
                f"no operation of {wanted.description} can be called: {left[0].what}: {left[0].why}"
            )
        path = f"/{name}{_endpoint(wanted, war, model, made)}"
        _write(made, given, model, kept, path)
        configuration.load(made / "service.toml", Service)
        made.rename(place)
    return AddOutput(
        service=name,
        kind="war",
        folder=str(place),
        path=path,
        operations=list(kept),
        changing=[each for each in kept if each in imported.changing],
        servers=servers_of(IMPLEMENTATIONS["war"]),
        left_out=[*imported.left_out, *left],
        notes=[*imported.notes, *war.contexts, *war.soap_notes],
    )


def free_place(wanted: str) -> tuple[str, Path]:
    """The name of a new service, and its folder in the user's own folder of services, which exists afterwards.

    Raises ConfigurationError where the name is taken.
    """
    name = name_of(Path(wanted))
    room = paths.user_folder() / "services"
    if name in entries.service_files() or (room / name).exists():
        raise ConfigurationError(
            f"the service '{name}' exists already", hint=f"choose another name with --name, or remove {room / name}"
        )
    room.mkdir(parents=True, exist_ok=True)
    return name, room / name


def servers_of(implementation: str) -> list[str]:
    """The servers that run an implementation, except those that need a licence."""
    known = (entries.server(name) for name in entries.server_files())
    return [each.name for each in known if each.model.implementation == implementation and each.model.licence is None]


def _keep_verifiable(made: Path, model: Service) -> tuple[dict[str, Operation], list[LeftOut]]:
    """The operations whose answers can be verified, those without side effects first, and the reasons for leaving out
    the others."""
    kept: dict[str, Operation] = {}
    left = []
    for name, operation in sorted(model.operations.items(), key=lambda pair: pair[1].changes_data):
        why = _why_not(made, operation)
        if why is None:
            kept[name] = operation
        else:
            left.append(LeftOut(what=f"operation {name}", why=why))
    return kept, left


def _why_not(made: Path, operation: Operation) -> str | None:
    text = (made / (operation.sample or "")).read_text(encoding="utf-8")
    if ENVELOPES["1.1"] not in text:
        return "its messages are SOAP 1.2, which the contract test does not support"
    if operation.answer_element is None:
        return "the WSDL does not describe its answer, so it cannot be verified"
    if operation.expect.schema_kept is False:
        return "its messages are SOAP-encoded, so no schema describes its answer"
    if _PLACE.search(text):
        return "parts of its request change with every request, so it cannot be verified before the load"
    return None


def _endpoint(wanted: Wanted, war: War, model: Service, made: Path) -> str:
    """The path in the WAR where the service answers: from the user, else from the WAR, else from the WSDL.

    Raises ImportRefusedError.
    """
    if wanted.path is not None:
        if not wanted.path.startswith("/"):
            raise ConfigurationError(f"--path must begin with /, and is '{wanted.path}'", hint="--path /Orders")
        return wanted.path.rstrip("/")
    below = _below_context(model.path)
    if not war.endpoints:
        return below or f"/{_service_name(made / (model.wsdl or ''))}"
    if len(war.endpoints) == 1:
        return next(iter(war.endpoints.values()))
    if below in war.endpoints.values():
        return below
    raise ImportRefusedError(
        f"{wanted.program} has several endpoints ({', '.join(war.endpoints.values())}), and none has the path of the WSDL",
        hint="choose one with --path",
    )


def _below_context(path: str) -> str:
    """The path of a WSDL without its first part, the context of its deployment."""
    return "".join(f"/{part}" for part in path.partition("?")[0].split("/")[2:] if part)


def _service_name(wsdl: Path) -> str:
    root = etree.parse(str(wsdl), etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)).getroot()
    names = [each.get("name") for each in root.iter(f"{{{WSDL}}}service")]
    return next((name for name in names if name), "")


def _write(made: Path, war: Path, model: Service, kept: Mapping[str, Operation], path: str) -> None:
    """Write the implementation with its WAR, the exchanges, and a new service.toml."""
    room = made / IMPLEMENTATIONS["war"]
    room.mkdir()
    shutil.copyfile(war, room / GIVEN["war"])
    operations: dict[str, object] = {}
    for name, operation in kept.items():
        exchanges = made / "contract" / "exchanges" / name
        exchanges.mkdir(parents=True)
        shutil.move(made / (operation.sample or ""), exchanges / "sample.request.xml")
        operations[name] = {
            "element": local(_request_element(exchanges / "sample.request.xml")),
            "answer_element": operation.answer_element,
            "meaning": operation.meaning,
            "changes_data": operation.changes_data,
            "headers": operation.headers,
            **({"path": f"{path}{_below_context(operation.path)}"} if operation.path else {}),
        }
    shutil.rmtree(made / "samples")
    content = {
        "name": made.name,
        "title": model.title,
        "meaning": "soap-schema",
        "path": path,
        "description": "?wsdl",
        "schema": model.schema_file,
        "wsdl": model.wsdl,
        "operations": operations,
    }
    text = _HEAD.replace("WAR", war.name) + tomli_w.dumps(content)
    (made / "service.toml").write_text(text, encoding="utf-8")


def _request_element(request: Path) -> str:
    """The tag of the element that a request's body holds."""
    body = etree.parse(str(request)).getroot().find(f"{{{ENVELOPES['1.1']}}}Body")
    return next((str(child.tag) for child in (body if body is not None else []) if isinstance(child.tag, str)), "")

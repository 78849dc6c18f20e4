"""Converts a gRPC contract to a service folder, and reports what was left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import tomli_w
from google.protobuf.descriptor import FileDescriptor, MethodDescriptor

from ....base import paths
from ....base.errors import ContractError, ImportRefusedError
from ....base.text import first_names, lower_first
from ....models.outputs.own_service import ImportOutput
from ... import protobuf
from ..folder import LATER, TARGET, changes_state, first_reason, head_of, import_output
from ..left_out import Left
from ..names import one_line
from ..new_folder import name_of
from .compiling import files_of
from .samples import MessageSamples

SCHEMA = "contract/service.protoset"
HEADERS = {"Content-Type": "application/grpc", "TE": "trailers"}
MOST_OPERATIONS = 1_000
_PORT = 50051  # the usual one in examples of gRPC
_LISTED = 10
_CHANGES = """
# `changes_data` keeps an operation from being loaded without --writes. It was guessed from the name: please check.
# Samples are messages in JSON, which `load` encodes. A grpc-status other than 0 is a failure. The messages of
# stored answers are compared with the contract.
"""


@dataclass(frozen=True)
class _Call:
    """A method with its name in the folder and its sample message."""

    name: str
    method: MethodDescriptor
    sample: Any

    @property
    def path(self) -> str:
        return f"/{self.method.containing_service.full_name}/{self.method.name}"

    @property
    def changes_data(self) -> bool:
        return changes_state(lower_first(self.method.name))


def import_grpc(
    compiled: bytes, place: str, target: str, made: Path, out: Path, services: Sequence[str]
) -> ImportOutput:
    """Write the service of a compiled contract into the folder `made`, which will be moved to `out`. `services` limits the import
    to those named.

    Raises ImportRefusedError if the contract is not complete or none of its methods can be called.
    """
    methods = _methods(files_of(compiled, place), services)
    left: list[Left] = []
    calls = _calls(methods, left)
    if not calls:
        raise ImportRefusedError(f"no method of {place} can be called{first_reason(left)}")
    notes = []
    streams = [call.name for call in calls if call.method.server_streaming]
    if streams:
        notes.append(
            f"the answers of {first_names(streams, _LISTED)} are streams: their time is that of the whole stream, which must "
            "end; `load` also shows the time to the first message and between two"
        )
    if urlsplit(target).path.strip("/"):
        raise ImportRefusedError(
            f"--target {target[:200]} has a path, but a gRPC call has its own", hint="write http://HOST:PORT"
        )
    if not target:
        target = paths.url(_PORT, "")
        notes.append(
            f"a contract names no server: `target` in service.toml is set to {target}; --target URL names another"
        )
    _write(made, name_of(out), place, target, calls)
    (made / SCHEMA).write_bytes(compiled)
    return import_output(out, place, {call.name: call.changes_data for call in calls}, left, notes)


def _methods(files: Sequence[FileDescriptor], wanted: Sequence[str]) -> list[MethodDescriptor]:
    """The methods of all services, or of those `wanted`; those of Google's own files only if they are wanted."""
    services = [service for file in files for service in file.services_by_name.values()]
    names = [service.full_name for service in services]
    for each in wanted:
        if each not in names:
            raise ImportRefusedError(
                f"there is no service '{each}'", hint=f"there are {', '.join(names[:10]) or 'none'}"
            )
    chosen = [
        service
        for service in services
        if service.full_name in wanted or not (wanted or service.full_name.startswith("google."))
    ]
    return [method for service in chosen for method in service.methods]


def _calls(methods: Sequence[MethodDescriptor], left: list[Left]) -> list[_Call]:
    """The methods that can be called with one message; the others are noted in `left`."""
    times = Counter(method.name.lower() for method in methods)
    names = Counter(f"{method.containing_service.name}.{method.name}".lower() for method in methods)
    calls: list[_Call] = []
    for method in methods:
        where = f"{method.containing_service.full_name}.{method.name}"
        if method.client_streaming:
            left.append(Left(where, "its client sends a stream of messages"))
            continue
        if len(calls) == MOST_OPERATIONS:
            left.append(Left(where, f"{MOST_OPERATIONS:,} operations are imported at most"))
            continue
        sample = MessageSamples().message(method.input_type)
        sample = {} if sample is None else sample
        try:
            protobuf.encode_json(json.dumps(sample), method.input_type)
        except ContractError as error:
            left.append(Left(where, f"no valid request can be made for it: {one_line(error.message, 300)}"))
            continue
        own = f"{method.containing_service.name}.{method.name}"
        short = method.name if times[method.name.lower()] == 1 else own if names[own.lower()] == 1 else where
        calls.append(_Call(short, method, sample))
    return calls


def _write(folder: Path, name: str, place: str, target: str, calls: Sequence[_Call]) -> None:
    """Write contract/, samples/ and service.toml."""
    for room in ("contract", "samples"):
        (folder / room).mkdir()
    text = head_of(place, name)
    text += tomli_w.dumps({"name": name, "title": name, "meaning": "grpc", "schema": SCHEMA})
    where = {"target": target.rstrip("/"), "path": calls[0].path, "headers": HEADERS}
    text += TARGET + tomli_w.dumps(where) + _CHANGES
    operations = {}
    for call in calls:
        file = f"samples/{call.name}.json"
        (folder / file).write_text(json.dumps(call.sample, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        stream = ", a stream of answers" if call.method.server_streaming else ""
        operations[call.name] = {
            "meaning": f"{call.method.containing_service.name}.{call.method.name}{stream}",
            "path": call.path,
            "sample": file,
            "changes_data": call.changes_data,
        }
    (folder / "service.toml").write_text(text + tomli_w.dumps({"operations": operations}) + LATER, encoding="utf-8")

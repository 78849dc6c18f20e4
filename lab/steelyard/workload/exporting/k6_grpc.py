"""Exports a k6 script for gRPC: the compiled contract beside it, messages as JSON, and the status of each answer as a check."""

from __future__ import annotations

import json
from http import HTTPStatus
from pathlib import Path
from typing import Any

from ...base.errors import ConfigurationError, ContractError
from ...models.outputs.own_service import LeftOut
from .k6 import approximations, duration_text, fill_script, load_options, pause_line, secret_texts, why_not_filled
from .planned import ExportedOperation, PlannedExport

_OF_GRPC = ("content-type", "te")  # headers that k6 sends by itself
_OF_BYTES = ("contains", "matches", "length")  # rules on a message as it was sent
_CONNECTIONS = LeftOut(what="connections", why="each user of k6 has one, whereas many users of `load` share one")


def k6_grpc_files(plan: PlannedExport) -> tuple[dict[str, str | bytes], list[LeftOut]]:
    """The script, its data and the compiled contract by file name, and what the script does not express. Raises ConfigurationError
    if the contract cannot be read."""
    target, words = plan.load_target, plan.words
    name = target.name.replace(":", "-")
    script, data, protoset = f"{name}.k6.js", f"{name}.k6.json", f"{name}.protoset"
    reasons = {operation.name: _why_not(plan, operation) for operation in plan.operations}
    left_out = [*plan.left_out, *approximations(plan), _CONNECTIONS]
    left_out += [LeftOut(what=operation, why=why) for operation, why in reasons.items() if why is not None]
    operations = [operation for operation in plan.operations if reasons[operation.name] is None]
    left_out += [rule for operation in operations for rule in _rules_left_out(operation)]
    texts = {
        "SERVICE": name,
        "LOAD": words.profile if words.rates is None else "a rate",
        "FILE": script,
        "DATA": data,
        "PROTOSET": protoset,
        "ADDRESS": json.dumps(target.address),
        **secret_texts(plan),
        "OPERATION_LIST": json.dumps([_operation(operation) for operation in operations], indent=2),
        "OPTIONS": json.dumps(load_options(plan, "grpc_req_duration"), indent=2),
        "PAUSE": pause_line(plan.think),
        "TIMEOUT": json.dumps(duration_text(words.timeout_seconds)),
    }
    assert target.schema is not None
    try:
        messages = {operation.name: _messages(target.schema, operation) for operation in operations}
        contract = target.schema.read_bytes()
    except (OSError, ContractError) as error:
        raise ConfigurationError(f"the contract of {target.name} cannot be read: {error}") from None
    files: dict[str, str | bytes] = {
        script: fill_script("k6_grpc_script.js", texts),
        data: json.dumps(messages, ensure_ascii=False) + "\n",
        protoset: contract,
    }
    return files, left_out


def _why_not(plan: PlannedExport, operation: ExportedOperation) -> str | None:
    """Why the script cannot call an operation; None if it can."""
    if plan.load_target.operations[operation.name].streams:
        return "its answer is a stream of messages, which the script does not read"
    return why_not_filled(operation.places - plan.secret_values.keys())


def _rules_left_out(operation: ExportedOperation) -> list[LeftOut]:
    """The rules on an answer's bytes and HTTP status, which k6 does not show for gRPC."""
    rules = [rule for rule in _OF_BYTES if getattr(operation.rule, rule) is not None]
    rules += [] if HTTPStatus.OK in operation.rule.status else ["status"]
    why = "k6 has a gRPC answer as JSON, without its bytes and its HTTP status"
    return [LeftOut(what=f"rule {rule} of {operation.name}", why=why) for rule in rules]


def _operation(operation: ExportedOperation) -> dict[str, Any]:
    headers = {key: value for key, value in operation.headers.items() if key.lower() not in _OF_GRPC}
    return {
        "name": operation.name,
        "method": operation.rows[0][0].lstrip("/"),
        "metadata": headers,
        "weight": operation.weight,
        "filled": bool(operation.places),
        "fault": operation.rule.fault,
    }


def _messages(contract: Path, operation: ExportedOperation) -> list[Any]:
    """The messages of an operation as values of JSON; raises ContractError."""
    from .. import protobuf  # loaded late: other services need no protobuf
    from ..body_formats.grpc import messages

    kind = protobuf.method_at(contract, operation.rows[0][0]).input_type
    return [json.loads(protobuf.decode_json(messages(body)[0], kind)) for _, body in operation.rows]

"""Rules that are too slow to check on every answer, and are checked on stored answers: paths, and the schema."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxml import etree

from ..base.errors import ConfigurationError, ContractError, why_unread
from ..models.service import Expect
from . import protobuf
from .body_formats import json_values
from .body_formats.grpc import messages
from .importing.names import standalone
from .load_operation import LoadOperation
from .load_target import LoadTarget
from .soap.messages import parse

if TYPE_CHECKING:
    import xmlschema

_ENVELOPES = ("http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope")


def rules_of(expect: Expect, schema: Path | None) -> list[str]:
    """The rules that are checked only on stored answers, as text: `xpath //a`, `schema`."""
    rules = [f"xpath {path}" for path in expect.xpath] + [f"jsonpath {path}" for path in expect.jsonpath]
    rules += [f"answer {Path(expect.answer).name}"] if expect.answer is not None else []
    return rules + (["schema"] if judges_schema(expect, schema) else [])


def judges_schema(expect: Expect, schema: Path | None) -> bool:
    """Whether answers are checked against the schema: if there is one, unless the rules disable it."""
    return schema is not None and expect.schema_kept is not False and expect.fault in (None, "absent")


def difference(answer: bytes, expect: Expect, schema: Path | None, json_of: str | None = None) -> str | None:
    """How a stored answer breaks the rules, as a sentence; None if it keeps them.

    `schema` is an XML Schema of SOAP messages, or a JSON Schema if `json_of` names the answer's operation. Raises
    ConfigurationError if a rule is invalid.
    """
    try:
        for path in expect.xpath:
            if not _found_by_xpath(path, parse(answer)):
                return f"xpath {path} finds nothing"
        for path in expect.jsonpath:
            if not _found_by_jsonpath(path, json.loads(answer)):
                return f"jsonpath {path} finds nothing"
        problem = None if expect.answer is None else _file_difference(answer, Path(expect.answer))
        if problem is None and schema is not None and judges_schema(expect, schema) and answer.strip():
            problem = (
                _schema_violation(parse(answer), schema)
                if json_of is None
                else json_values.breaks(answer, schema, json_of)
            )
    except ContractError as error:
        return error.message
    except (json.JSONDecodeError, RecursionError):
        return "it is not JSON"
    return problem


def broken_by(answer: bytes, load_target: LoadTarget, operation: str) -> str | None:
    """How a stored answer to a target's operation breaks its rules, as a sentence; None if it keeps them."""
    known = load_target.operations[operation]
    described = operation if known.described is None else known.described
    schema = load_target.schema if described else None
    if load_target.meaning == "grpc" and schema is not None:
        return _grpc_difference(answer, known, schema)
    return difference(answer, known.expect, schema, described if load_target.meaning == "json" else None)


def _grpc_difference(answer: bytes, known: LoadOperation, schema: Path) -> str | None:
    """How the messages of an answer break the compiled contract, or one of them the other rules."""
    try:
        kind = protobuf.method_at(schema, known.path).output_type
        texts = []
        for message in messages(answer):
            if judges_schema(known.expect, schema):
                protobuf.values(message, kind)
            texts.append(protobuf.decode_json(message, kind))
    except ContractError as error:
        return error.message
    return next(
        (broken for text in texts if (broken := difference(text.encode(), known.expect, None)) is not None), None
    )


def require_rules(expect: Expect) -> None:
    """Raise ConfigurationError if a rule is invalid, or names a missing file, before any answer arrives."""
    for path in expect.xpath:
        _compiled_xpath(path)
    if expect.jsonpath:
        from jsonpath import JSONPathError, compile

        for path in expect.jsonpath:
            try:
                compile(path)
            except JSONPathError as error:
                raise ConfigurationError(f"'{path}' is not a JSONPath: {str(error).splitlines()[0]}") from None
    if expect.answer is not None:
        _right_answer(Path(expect.answer))


def _compiled_xpath(path: str) -> None:
    try:
        etree.XPath(path)
    except etree.XPathError as error:
        raise ConfigurationError(
            f"'{path}' is not a valid XPath: {error}", hint="local-name() needs no prefixes"
        ) from None


def _file_difference(answer: bytes, file: Path) -> str | None:
    return json_values.value_difference(answer, _right_answer(file))


def _right_answer(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the right answer {file} cannot be read: {why_unread(error)}") from None


def _found_by_xpath(path: str, root: etree._Element) -> bool:
    try:
        return bool(root.xpath(path, namespaces={key: uri for key, uri in root.nsmap.items() if key}))
    except etree.XPathError as error:
        raise ConfigurationError(
            f"'{path}' is not a valid XPath: {error}", hint="local-name() needs no prefixes"
        ) from None


def _found_by_jsonpath(path: str, document: Any) -> bool:
    from jsonpath import JSONPathError, findall

    try:
        return any(value not in (False, None, "") for value in findall(path, document))
    except JSONPathError as error:
        raise ConfigurationError(f"'{path}' is not a JSONPath: {str(error).splitlines()[0]}") from None


def _schema_violation(root: etree._Element, schema: Path) -> str | None:
    bodies: Sequence[Any] = [child for space in _ENVELOPES for child in root.iterfind(f"{{{space}}}Body")]
    inside = [child for body in bodies for child in body if isinstance(child.tag, str)]
    if not bodies or not inside:
        return None if bodies else f"it is not a SOAP envelope but <{etree.QName(root).localname}>"
    from xmlschema import XMLSchemaValidationError

    declared = schema_of_messages(schema).maps.elements.get(inside[0].tag)
    if declared is None:
        return f"the schema has no element {etree.QName(inside[0]).localname}"
    try:
        declared.validate(standalone(inside[0]))
    except XMLSchemaValidationError as error:
        return f"{etree.QName(inside[0]).localname} breaks the schema: {' '.join(str(error.reason).split())[:200]}"
    return None


@cache
def schema_of_messages(schema: Path) -> xmlschema.XMLSchema:
    """The schema of SOAP messages in a file, which is read once."""
    import xmlschema  # loaded late: other services than SOAP need none of it

    return xmlschema.XMLSchema(str(schema), allow="local", defuse="always")

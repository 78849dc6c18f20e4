"""JSON: answers are compared by typed values, so the order of keys, white space and escapes do not matter."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.errors import ContractError
from ...models.service import Exchange
from ..body_format import BadRequest, BodyFormat, Spelling, first_difference
from ..soap.messages import single

if TYPE_CHECKING:
    import jsonschema

Pair = tuple[str, Any]
_DEEP = 100_000  # nested arrays


class JsonValues(BodyFormat):
    """Objects, arrays, texts, numbers, booleans and null; values of different types are never equal."""

    request_ending = answer_ending = "json"
    content_type = "application/json"

    def difference(self, answer: bytes, expected: str, operation: str) -> str | None:
        schema = self.service.model.schema_file
        broken = None if schema is None else breaks(answer, self.service.folder / schema, operation)
        return broken or value_difference(answer, expected, self.service.model.singles)

    def spellings(self, exchange: Exchange) -> Iterator[Spelling]:
        yield from super().spellings(exchange)
        if not exchange.request:
            return  # a request without a body has one spelling
        value = json.loads(exchange.request, parse_float=_Number, parse_int=_Number)
        yield Spelling("other order of keys", _serialize(value, order=_reverse_pairs))
        yield Spelling("pretty printed", _serialize(value, comma=",\n    ", colon=": "))
        yield Spelling("white space", _serialize(value, comma="\t ,\r\n", colon=" :\n ") + b" \n")
        yield Spelling("compact", _serialize(value))
        yield Spelling("UTF-8", _serialize(value, text=lambda text: json.dumps(text, ensure_ascii=False)))
        yield Spelling("escapes", _serialize(value, text=_escape_all))
        yield Spelling("exponents", _serialize(value, number=_with_exponent))

    def request_value(self, body: bytes) -> object:
        return _comparable(_read(body), self.service.model.singles) if body else None

    def bad_requests(self, written: Sequence[tuple[str, Exchange]], file: Path) -> list[BadRequest]:
        del file  # JSON cannot name a file
        exchange = next((exchange for _, exchange in written if exchange.request), None)
        if exchange is None:
            return []
        good = exchange.request.encode()
        bodies = {
            "malformed-json": good.rstrip()[:-1],
            "not-json": b"this is not JSON",
            "empty-body": b"",
            "two-values": good + b" " + good,
            "single-quotes": b"{'a': 'b'}",
            "not-utf-8": b'{"\xff\xfe": "\xc3"}',
            "ten-megabytes": b'{"a": "' + b"x" * 10_000_000,
            "very-deep": b"[" * _DEEP,
        }
        return [BadRequest(name, body, exchange.operation) for name, body in bodies.items()]


def breaks(answer: bytes, schema: Path, operation: str) -> str | None:
    """How an answer breaks the schema of its operation's answers, as a sentence; None if it matches."""
    try:
        error = next(_validator(schema, operation).iter_errors(_read(answer)), None)
    except ContractError as error:
        return error.message
    except RecursionError:
        return "the answer is nested too deeply to be validated"
    return None if error is None else f"the answer breaks the schema: {error.message:.200} at {error.json_path}"


def value_difference(answer: bytes, expected: str, singles: Collection[str] = ()) -> str | None:
    """How the values of an answer differ from the expected ones, as a sentence;

    None if they do not. Numbers under the keys `singles` have 32 bits.
    """
    try:
        got, wanted = _comparable(_read(answer), singles), _comparable(_read(expected), singles)
    except ContractError as error:
        return error.message
    return None if got == wanted else first_difference(got, wanted)


class _Number(str):
    """A number as it was written."""


def _read(document: bytes | str) -> Any:
    """A JSON document as values; raises ContractError if it is invalid or ambiguous."""
    try:
        text = document if isinstance(document, str) else document.decode()
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_number, parse_float=_decimal)
    except RecursionError:
        raise ContractError("the answer is nested too deeply to be parsed") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise ContractError(f"the answer is not JSON: {error}; it begins {document[:120]!r}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        twice = next(key for key, _ in pairs if [name for name, _ in pairs].count(key) > 1)
        raise ContractError(f"the answer has the key '{twice}' twice in one object")
    return read


def _no_number(word: str) -> Any:
    raise ContractError(f"the answer contains {word}, which is not JSON")


def _decimal(written: str) -> int | float:
    """A number: an integer exactly, however it is written, any other as the nearest double."""
    exact = Decimal(written)
    small = exact.adjusted() < 400  # larger numbers are no doubles, and would only be long
    return int(exact) if small and exact == exact.to_integral_value() else float(written)


def _comparable(value: Any, singles: Collection[str]) -> Any:
    """A value in comparable form: booleans differ from numbers, unlike with Python's `==`, and numbers under the keys
    `singles` are rounded to 32 bits."""
    if isinstance(value, dict):
        return {
            key: single(item) if key in singles and _is_number(item) else _comparable(item, singles)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_comparable(item, singles) for item in value]
    return _Truth(value) if isinstance(value, bool) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class _Truth:
    """true or false, equal to nothing but itself."""

    def __init__(self, value: bool) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Truth) and other._value == self._value

    def __hash__(self) -> int:
        return hash((_Truth, self._value))

    def __repr__(self) -> str:
        return json.dumps(self._value)


def _serialize(
    value: Any,
    *,
    order: Callable[[Iterable[Pair]], Iterable[Pair]] = list,
    comma: str = ",",
    colon: str = ":",
    text: Callable[[str], str] = json.dumps,
    number: Callable[[str], str] = str,
) -> bytes:
    """Serialize a document with another order of keys, other white space, or other forms of texts and numbers."""

    def write(part: Any) -> str:
        if isinstance(part, dict):
            return f"{{{comma.join(text(key) + colon + write(item) for key, item in order(part.items()))}}}"
        if isinstance(part, list):
            return f"[{comma.join(map(write, part))}]"
        if isinstance(part, _Number):
            return number(part)
        return text(part) if isinstance(part, str) else json.dumps(part)

    return write(value).encode()


def _reverse_pairs(pairs: Iterable[Pair]) -> list[Pair]:
    return list(pairs)[::-1]


def _with_exponent(written: str) -> str:
    """A fraction as `15e-1`. An integer stays: some parsers rightly reject an integer with an exponent."""
    if "." not in written:
        return written
    sign, digits, exponent = Decimal(written).as_tuple()
    return f"{'-' * sign}{''.join(map(str, digits))}e{exponent}"


def _escape_all(text: str) -> str:
    """A text with every letter as a `\\u` escape, and slashes with a backslash."""
    raw = text.encode("utf-16-be", "surrogatepass")
    units = [raw[at : at + 2] for at in range(0, len(raw), 2)]
    return '"' + "".join(r"\/" if unit == b"\0/" else rf"\u{unit.hex()}" for unit in units) + '"'


@cache
def _validator(path: Path, operation: str) -> jsonschema.Draft202012Validator:
    """The validator of an operation's answers; raises ContractError if the schema cannot be used."""
    import jsonschema  # loaded late: only services with a schema of their answers need it
    from referencing import Registry

    schema = _checked_schema(path)
    if operation not in schema["$defs"]:
        raise ContractError(f"the schema {path} has no '{operation}' under $defs", hint="add it")
    # A reference to another file is an error then: nothing is fetched over a network.
    return jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{operation}"}, registry=Registry())


@cache
def _checked_schema(path: Path) -> dict[str, Any]:
    """The schema in a file, which is checked once for all operations; raises ContractError if it is not a schema."""
    import jsonschema  # loaded late: only services with a schema of their answers need it

    try:
        schema = json.loads(path.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
    except (OSError, ValueError, jsonschema.SchemaError) as error:
        raise ContractError(f"the schema {path} cannot be read: {error!s:.200}") from None
    if not isinstance(schema, dict) or not isinstance(schema.get("$defs"), dict):
        raise ContractError(f"the schema {path} has no $defs", hint="add one for each operation")
    return schema

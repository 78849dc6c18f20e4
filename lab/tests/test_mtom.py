"""MTOM as a format: a package means the same as the service's own exchange, and hostile packages do no harm."""

from __future__ import annotations

import base64
from email import message_from_bytes
from email.policy import HTTP
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from steelyard.base.errors import ContractError
from steelyard.base.http_client import Answer
from steelyard.catalogue import entries
from steelyard.catalogue.formats import service_in_format
from steelyard.models.service import Exchange
from steelyard.workload import contract, exchanges, refusals
from steelyard.workload.body_formats import meaning_of
from steelyard.workload.soap import packages

OWN = entries.service("wstest")
WSTEST = service_in_format(OWN, {"format": "mtom"})
MEANING = meaning_of(WSTEST)
WRITTEN = dict(exchanges.contract_exchanges(WSTEST))
EVERY_BYTE = WRITTEN["echoSynthetic/all-bytes"]
# As Metro writes it: line before the first boundary, a boundary with colons, heads in its own order and capitals.
BYTES = bytes(range(256)) + b"\r\n--\r\n"


def package_of(content: bytes, *, encoding: str = "binary", reference: str = "cid:a%40b", end: str = "--") -> bytes:
    start, _, rest = EVERY_BYTE.answer.partition("<bytes>")
    include = f'<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="{reference}"/>'
    envelope = f"{start}<bytes>{include}{rest[rest.index('</bytes>') :]}"
    return (
        b"\r\n--uuid:4b\r\nContent-Id: <rootpart>\r\ncontent-type: Application/XOP+xml; charset=utf-8\r\n\r\n"
        + envelope.encode()
        + f"\r\n--uuid:4b\r\nContent-Transfer-Encoding: {encoding}\r\nContent-Id: <a@b>\r\n\r\n".encode()
        + content
        + f"\r\n--uuid:4b{end}\r\n".encode()
    )


def right_answer(content: bytes) -> str:
    start, _, rest = EVERY_BYTE.answer.partition("<bytes>")
    return f"{start}<bytes>{base64.b64encode(content).decode()}{rest[rest.index('</bytes>') :]}"


def test_bytes_stand_in_a_part_of_their_own_and_are_named_in_their_place() -> None:
    body = MEANING.body(EVERY_BYTE.request)
    head = f"Content-Type: {MEANING.content_type}\r\n\r\n".encode()
    root, content = message_from_bytes(head + body, policy=HTTP).iter_parts()  # read by the standard library
    assert root.get_content_type() == "application/xop+xml"
    assert base64.b64encode(bytes(range(9))) not in body
    assert (content["Content-ID"], content["Content-Transfer-Encoding"]) == ("<0@steelyard>", "binary")
    assert bytes(range(256)) * 3 in body
    assert 'href="cid:0@steelyard"' in root.get_payload()
    assert body.count(b"--steelyard-boundary") == 3


@pytest.mark.parametrize("name", ["echoVoid/void", "echoStruct/three", "getOrder/first"])
def test_what_has_no_bytes_is_a_package_of_one_part(name: str) -> None:
    exchange = WRITTEN.get(name) or next(one for key, one in WRITTEN.items() if key.startswith(name.partition("/")[0]))
    assert MEANING.body(exchange.request).count(b"--steelyard-boundary") == 2


def test_every_spelling_means_the_same_in_other_bytes() -> None:
    for exchange in WRITTEN.values():
        spellings = list(MEANING.spellings(exchange))
        assert len({spelling.body for spelling in spellings}) >= 10
        first, *others = (MEANING.request_value(spelling.body) for spelling in spellings)
        assert all(value == first for value in others)


def test_answers_of_other_stacks_are_read() -> None:
    assert MEANING.difference(package_of(BYTES), right_answer(BYTES), "echoSynthetic") is None
    assert MEANING.difference(package_of(b""), right_answer(b""), "echoSynthetic") is None
    plain = WRITTEN["echoStruct/three"].answer  # nothing in it needs a package
    assert MEANING.difference(plain.encode(), plain, "echoStruct") is None


@given(st.binary(max_size=300))
def test_any_bytes_come_through(content: bytes) -> None:
    exchange = Exchange(operation="echoSynthetic", request=right_answer(content), answer=right_answer(content))
    assert MEANING.difference(MEANING.body(exchange.answer), exchange.answer, "echoSynthetic") is None
    wrong = MEANING.difference(MEANING.body(exchange.answer), right_answer(content + b"x"), "echoSynthetic")
    assert wrong is not None and "bytes" in wrong


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"", "neither XML nor a MIME package"),
        (b"\0" * 2000, "neither XML nor a MIME package"),
        (package_of(BYTES, end=""), "the package has no closing boundary"),
        (package_of(BYTES, encoding="base64"), "has the encoding base64"),
        (package_of(BYTES, reference="cid:nobody"), "includes 'cid:nobody', which is not an unused part"),
        (package_of(BYTES).replace(b"Application/XOP+xml", b"text/plain"), "first part is text/plain"),
        (b"--a\r\nno head\r\n--a--", "has no headers"),
        (b"--a\r\n--a--", "has no headers"),
        (package_of(BYTES).replace(b"</bytes>", b"</bytes><b>"), "not XML"),
    ],
)
def test_what_is_no_package_is_said(answer: bytes, said: str) -> None:
    assert said in (MEANING.difference(answer, EVERY_BYTE.answer, "echoSynthetic") or "")


def test_a_part_is_included_once_so_that_nothing_grows() -> None:
    include = b'<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:a@b"/>'
    twice = package_of(BYTES).replace(b"</bytes>", b"</bytes><bytes>" + include + b"</bytes>")
    assert "not an unused part" in (MEANING.difference(twice, EVERY_BYTE.answer, "echoSynthetic") or "")


@given(st.binary(max_size=200), st.binary(max_size=200), st.sampled_from([b"--a", b"\r\n--a", b"\r\n\r\n", b"<"]))
def test_no_answer_breaks_the_reader(first: bytes, second: bytes, between: bytes) -> None:
    for body in (first + between + second, b"--a\r\n" + first + between + second + b"\r\n--a--"):
        try:
            packages.envelope_of(body)
        except ContractError:
            continue


@given(st.data())
def test_a_damaged_package_is_an_error_or_an_envelope(data: st.DataObject) -> None:
    body = bytearray(package_of(BYTES))
    for place in data.draw(st.lists(st.integers(0, len(body) - 1), min_size=1, max_size=8)):
        body[place] = data.draw(st.integers(0, 255))
    difference = MEANING.difference(bytes(body), right_answer(BYTES), "echoSynthetic")
    assert difference is None or isinstance(difference, str)


def test_bad_requests_are_those_of_soap_in_a_package_and_some_of_packages_own() -> None:
    file = OWN.file
    packed = {bad.name: bad for bad in refusals.bad_requests(WSTEST, file)}
    plain = {bad.name: bad for bad in refusals.bad_requests(OWN, file)}
    ours = {"wrong-types", "number-too-large", "broken-base64"}  # of which the contract has bodies
    assert packed.keys() == plain.keys() - ours | {"no-package", "part-that-is-not-there"}
    for name, bad in plain.items():
        if name not in ours and not name.startswith("busy"):
            assert bad.body in packed[name].body
    assert b'"cid:not-0@steelyard"' in packed["part-that-is-not-there"].body


def test_a_text_that_is_sent_would_show_a_leak() -> None:
    echo = MEANING.echo(list(WRITTEN.items()))
    assert echo is not None
    body = echo.with_text("&e;")
    assert b"&e;" in body and body.startswith(b"--steelyard-boundary") and body.endswith(b"--steelyard-boundary--\r\n")


def test_it_is_asked_with_the_header_of_a_package_and_judged_by_its_marker() -> None:
    headers = contract.request_headers(WSTEST.model, "echoSynthetic")
    assert headers == {"Content-Type": packages.content_type(), "SOAPAction": '""'}
    (exchange,) = exchanges.generate_exchanges(WSTEST, "echoSynthetic", seed=1, count=1, parameters={"NumBytes": 64})
    rule = MEANING.rule(exchange)
    assert rule.contains == exchange.marker and str(exchange.marker).encode() in MEANING.body(exchange.answer)
    fault = Answer(500, MEANING.body(exchange.answer).replace(b"echoSyntheticResponse", b"soap:Fault"))
    assert MEANING.refusal_problem(fault) is None
    assert [spelling.name for spelling in islice(MEANING.spellings(exchange), 3)] == [
        "as given",
        "another boundary",
        "bytes in the envelope",
    ]

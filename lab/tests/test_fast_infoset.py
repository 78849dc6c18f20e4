"""Fast Infoset as a meaning: what is written in binary means what the service's own exchange means, and no document can do harm."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from steelyard.base.errors import ContractError
from steelyard.base.http_client import Answer
from steelyard.catalogue import entries
from steelyard.catalogue.formats import spoken
from steelyard.models.service import Exchange
from steelyard.workload import contract, exchanges, refusals
from steelyard.workload.body_formats import meaning_of
from steelyard.workload.soap.fast_infoset import octets
from steelyard.workload.soap.fast_infoset.reading import read
from steelyard.workload.soap.fast_infoset.writing import written

OWN = entries.service("wstest")
WSTEST = spoken(OWN, {"format": "fast-infoset"})
MEANING = meaning_of(WSTEST)
WRITTEN = dict(exchanges.written(WSTEST))
EVERY_BYTE = WRITTEN["echoSynthetic/all-bytes"]
HEAD = octets.HEAD + b"\0"

# By hand from X.891: names are written once and then numbered, and so are texts; ends share octets where they can.
KNOWN = {
    "<a/>": "e0000001 00 3c00 61 ff",
    "<a>b</a>": "e0000001 00 3c0061 90 62 ff",
    '<a b="" c="d"/>': "e0000001 00 7c0061 780062 ff 780063 4064 ff f0",
    "<a><b/><b/></a>": "e0000001 00 3c0061 3c0062 f0 01 ff f0",
    '<p:a xmlns:p="u">é</p:a>': "e0000001 00 38 cf 0070 0075 f0 3f 81 81 0061 91 c3a9 ff",
    "<a><b>hey</b><b>hey</b></a>": "e0000001 00 3c0061 3c0062 92 00 686579 f0 01 a0 ff f0",
}


def same(one: etree._Element, other: etree._Element) -> bool:
    return said(one) == said(other)


def said(root: etree._Element) -> list[tuple[object, ...]]:
    """What a document says, its prefixes aside."""
    return [
        (each.tag, dict(each.attrib), each.text or "", each.tail or "", len(each)) for each in root.iter(etree.Element)
    ]


@pytest.mark.parametrize(("xml", "document"), KNOWN.items())
def test_documents_are_written_as_the_standard_has_them(xml: str, document: str) -> None:
    root = etree.fromstring(xml)
    assert written(root).hex() == document.replace(" ", "")
    assert same(read(bytes.fromhex(document)), root)


@pytest.mark.parametrize(
    ("kind", "limits"),
    [
        (octets.INDEX_ON_2, [(63, 1), (64, 2), (8255, 2), (8256, 3), (octets.MOST_NUMBERS - 1, 3)]),
        (octets.INDEX_ON_3, [(31, 1), (32, 2), (2079, 2), (2080, 3), (526367, 3), (526368, 4)]),
        (octets.INDEX_ON_4, [(15, 1), (16, 2), (1039, 2), (1040, 3), (263183, 3), (263184, 4)]),
        (octets.LENGTH_ON_2, [(63, 1), (64, 2), (319, 2), (320, 5), (2**32, 5)]),
        (octets.LENGTH_ON_5, [(7, 1), (8, 2), (263, 2), (264, 5)]),
        (octets.LENGTH_ON_7, [(1, 1), (2, 2), (257, 2), (258, 5)]),
    ],
)
def test_numbers_take_as_many_octets_as_the_standard_says(kind: octets.Number, limits: list[tuple[int, int]]) -> None:
    assert [len(octets.number(value, kind, 0)) for value, _ in limits] == [count for _, count in limits]


def test_a_number_beyond_all_forms_is_an_error() -> None:
    with pytest.raises(ValueError, match="beyond what Fast Infoset can write"):
        octets.number(2**33, octets.LENGTH_ON_7, 0)


@pytest.mark.parametrize(
    ("chunk", "text"),
    [
        ("8c 06 00 00ff10", "AP8Q"),  # base64
        ("8c 02 00 00ff10", "00FF10"),  # hexadecimal
        ("8c 0a 01 fffe0003", "-2 3"),  # 16 bits
        ("8c 0e 09 fffffffe000000037fffffff", "-2 3 2147483647"),  # 32 bits
        ("8c 12 05 fffffffffffffffe", "-2"),  # 64 bits
        ("8c 14 0a", "true false true false"),
        ("8c 15 3aa8", "true false true false true false true false true"),  # three bits of the last octet are none
        ("8c 1a 05 3fc000007f800000", "1.5 INF"),  # floats
        ("8c 1e 05 bff8000000000000", "-1.5"),  # doubles
        ("8c 22 0d 00112233445566778899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeff"),
        ("8c 26 00 c3a920", "é "),  # a CDATA section
        ("88 00 1f", "1"),  # digits, four bits each
        ("88 06 01 2008a07a", "2008-07-"),  # a date's characters
        ("86 01 00e90041", "éA"),  # UTF-16
    ],
)
def test_texts_come_in_alphabets_and_by_algorithms(chunk: str, text: str) -> None:
    document = HEAD + bytes.fromhex("3c0061") + bytes.fromhex(chunk) + b"\xff"
    assert read(document).text == text


def test_bytes_are_written_as_they_are() -> None:
    body = MEANING.body(EVERY_BYTE.request)
    assert bytes(range(256)) * 3 in body
    assert len(body) < 0.8 * len(EVERY_BYTE.request)


def test_every_spelling_means_the_same_in_other_bytes() -> None:
    for exchange in WRITTEN.values():
        spellings = list(MEANING.spellings(exchange))
        assert len({spelling.body for spelling in spellings}) == len(spellings) >= 5
        first, *others = (MEANING.request_value(spelling.body) for spelling in spellings)
        assert all(value == first for value in others)
    names = {spelling.name for spelling in MEANING.spellings(EVERY_BYTE)}
    assert {"every text written out", "bytes as base64", "other prefixes"} <= names


def test_a_right_answer_is_told_from_a_wrong_one() -> None:
    for exchange in WRITTEN.values():
        answer = MEANING.body(exchange.answer)
        assert MEANING.difference(answer, exchange.answer, exchange.operation) is None
    asked = WRITTEN["echoStruct/integers"]
    other = re.sub(r"<varInt>-?\d+", "<varInt>17", asked.answer, count=1)
    assert other != asked.answer
    assert "varInt" in (MEANING.difference(MEANING.body(other), asked.answer, "echoStruct") or "")


NAMES = st.from_regex(r"[a-zé][a-z0-9é.-]{0,8}", fullmatch=True)
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"), max_size=400
)


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> etree._Element:
    spaces = draw(st.dictionaries(NAMES, st.sampled_from(["urn:a", "urn:b", "http://c/d"]), max_size=2))
    names = [f"{{{space}}}{draw(NAMES)}" for space in spaces.values()] + [draw(NAMES)]
    element = etree.Element(draw(st.sampled_from(names)), nsmap=spaces)
    for name in draw(st.lists(st.sampled_from(names), unique=True)):
        element.set(name, draw(TEXTS))
    element.text = draw(TEXTS)
    for child in draw(st.lists(trees(depth - 1), max_size=3)) if depth else []:
        child.tail = draw(TEXTS)
        element.append(child)
    return element


@settings(deadline=None)
@given(trees(), st.booleans())
def test_any_document_comes_back(tree: etree._Element, numbered: bool) -> None:
    assert same(read(written(tree, numbered=numbered)), tree)


@settings(deadline=None)
@given(st.lists(st.integers(0, 1200), min_size=1, max_size=3000))
def test_names_and_texts_of_any_number_come_back(numbers: list[int]) -> None:
    root = etree.Element("root")
    for number in numbers:
        etree.SubElement(root, f"e{number}", {f"a{number}": f"v{number}"}).text = f"t{number}"
    assert same(read(written(root)), root)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"", "cut short"),
        (b"<a/>", "no Fast Infoset document"),
        (octets.HEAD, "cut short"),
        (octets.HEAD + b"\x20", "tables or notations of its own"),
        (HEAD + b"\xf0", "has no root"),
        (HEAD + b"\x3c\x00a", "cut short"),
        (HEAD + b"\x3c\x00a\xff\x00", "something follows"),
        (HEAD + b"\x3c\x00a\xf0\x3c\x00b\xff", "two roots"),
        (HEAD + b"\x3c\x00a\xf0\xff", "more ends than beginnings"),
        (HEAD + b"\x80\x00", "text outside its root"),
        (HEAD + b"\x05\xff", "names entry 6 of a table of 0"),
        (HEAD + b"\x3c\x00a\xa3\xff", "names entry 4 of a table of 0"),
        (HEAD + b"\x3c\x60\xff\xff\xff\xff", "cut short"),
        (HEAD + b"\xc4\xf0\x3c\x00a\xff", "that SOAP has none of"),
        (HEAD + b"\x3c\x00a\xca\x00e\x00u\xff", "that SOAP has none of"),
        (HEAD + b"\x3c\x00a\xe1\x00t\x00c\xff", "that SOAP has none of"),
        (HEAD + b"\x3c\x00 \xff", "none of XML"),
        (HEAD + b"\x3c\x00a\x80\xff\xff", "none of XML"),
        (HEAD + b"\x3c\x00a\x80\x00\xff", "none of XML"),
        (HEAD + b"\x7c\x00a\x78\x00b\xff\x00\xff\xff\xf0", "two attributes b"),
        (HEAD + b"\x3c\x00a\x8c\xfc\x00\xff", "algorithm (64) that is not built in"),
        (HEAD + b"\x38\x00", "namespace of the Fast Infoset document is written wrongly"),
        (HEAD + b"\x3c\x00a" + b"\x00" * 300, "elements deep"),
    ],
)
def test_what_is_no_document_is_said(answer: bytes, said: str) -> None:
    assert said in (MEANING.difference(answer, EVERY_BYTE.answer, "echoSynthetic") or "")


def test_an_end_too_many_is_passed_over_at_the_end_of_a_document() -> None:
    """As CXF writes it: the document of echoVoid's answer, from its server."""
    answer = bytes.fromhex(
        "e00000010038cf03736f617028687474703a2f2f736368656d61732e786d6c736f61702e6f72672f736f61702f656e76656c6f70652ff03f818107456e76656c6f7065"
        "3f818103426f647938cd1375726e3a737465656c796172643a777374657374f03d820f6563686f566f6964526573706f6e7365fffff0"
    )
    right = WRITTEN["echoVoid/void"]
    assert MEANING.difference(answer, right.answer, right.operation) is None
    assert "something follows" in (MEANING.difference(answer + b"\xf0", right.answer, right.operation) or "")


def test_numbers_of_a_long_text_do_not_grow_beyond_an_answer() -> None:
    long = 2**20
    text = b"\x93" + (long - 259).to_bytes(4, "big") + b"x" * long
    with pytest.raises(ContractError, match="more than 67,108,864 characters"):
        read(HEAD + b"\x3c\x00a" + text + b"\xa0" * 100 + b"\xff")


def test_numbers_of_a_long_name_do_not_grow_beyond_an_answer() -> None:
    long = 2**20
    name = b"\x3c\x60" + (long - 321).to_bytes(4, "big") + b"x" * long
    with pytest.raises(ContractError, match="more than 67,108,864 characters"):
        read(HEAD + name + b"\x00\xf0" * 100 + b"\xff")
    assert len(read(HEAD + name + b"\x00\xf0" * 20 + b"\xff")) == 20


@given(st.binary(max_size=200))
def test_no_answer_breaks_the_reader(body: bytes) -> None:
    for answer in (body, HEAD + body, HEAD + b"\x3c\x00a" + body):
        try:
            read(answer)
        except ContractError:
            continue


@given(st.data())
def test_a_damaged_document_is_an_error_or_an_envelope(data: st.DataObject) -> None:
    body = bytearray(MEANING.body(WRITTEN["echoStruct/integers"].answer))
    for place in data.draw(st.lists(st.integers(0, len(body) - 1), min_size=1, max_size=8)):
        body[place] = data.draw(st.integers(0, 255))
    difference = MEANING.difference(bytes(body), WRITTEN["echoStruct/integers"].answer, "echoStruct")
    assert difference is None or isinstance(difference, str)


def test_bad_requests_are_those_that_are_documents_and_some_of_its_own() -> None:
    asked = {bad.name: bad.body for bad in refusals.bad_requests(WSTEST, OWN.file)}
    assert asked.keys() == {
        *("unknown-operation", "unknown-namespace", "cut-short", "not-fast-infoset", "empty-body", "ten-megabytes"),
        *(
            "doctype",
            "name-in-no-table",
            "longer-than-it-is",
            "external-entity",
            "busy-beyond-a-second",
            "busy-no-number",
        ),
    }
    assert len(asked["ten-megabytes"]) > 10_000_000
    assert asked["external-entity"].count(OWN.file.as_uri().encode()) == 2
    for name in ("doctype", "name-in-no-table", "longer-than-it-is", "external-entity", "cut-short"):
        with pytest.raises(ContractError):
            read(asked[name])


def test_a_text_that_is_sent_would_show_a_leak() -> None:
    echo = MEANING.echo(list(WRITTEN.items()))
    assert echo is not None
    assert b">said so<" in MEANING.readable(echo.saying("said so"))


def test_it_is_asked_with_its_media_type_and_judged_by_its_marker() -> None:
    headers = contract.request_headers(WSTEST.model, "echoSynthetic")
    media = "application/fastinfoset"
    assert headers == {"Content-Type": media, "Accept": media, "SOAPAction": '""'}
    (exchange,) = exchanges.generated(WSTEST, "echoSynthetic", seed=1, count=1, parameters={"NumBytes": 64})
    rule = MEANING.rule(exchange)
    assert rule.contains == exchange.marker and str(exchange.marker).encode() in MEANING.body(exchange.answer)
    fault = WRITTEN["echoVoid/void"].answer.replace("echoVoidResponse", "Fault")
    assert MEANING.not_refused(Answer(500, written(etree.fromstring(fault.encode())))) is not None, "no fault of SOAP"
    envelope = "http://schemas.xmlsoap.org/soap/envelope/"
    soap = f'<s:Envelope xmlns:s="{envelope}"><s:Body><s:Fault><faultstring>no</faultstring></s:Fault></s:Body></s:Envelope>'
    assert MEANING.not_refused(Answer(500, written(etree.fromstring(soap)))) is None
    wrong = Exchange(operation="echoVoid", request="", answer="", fault=True)
    assert (MEANING.rule(wrong).status, MEANING.rule(wrong).fault, MEANING.rule(wrong).contains) == (
        [500],
        "any",
        "Fault",
    )

"""Comparison of answers in each format: equivalent spellings, reported differences, and checks that are not possible."""

from __future__ import annotations

import base64
import csv
import json
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from pydantic import ValidationError
from steelyard.base.errors import ContractError
from steelyard.base.http_client import Answer
from steelyard.catalogue.entries import Entry
from steelyard.models.service import Exchange, Service
from steelyard.workload import corpus, exchanges, refusals
from steelyard.workload.body_format import BodyFormat
from steelyard.workload.body_formats import MEANINGS, meaning_of
from steelyard.workload.contract import merge_headers

PLACES = {"title": "//h1", "links": "//a/@href", "count": "count(//li)"}
SCHEMA = {"$defs": {"ask": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}}


def service(folder: Path, meaning: str, **more: Any) -> Entry[Service]:
    """A service of one operation, `ask`, whose generator prints the exchanges that stand in a file."""
    model = Service.model_validate(
        {
            "name": "small",
            "title": "Small",
            "meaning": meaning,
            "path": "/small",
            "operations": {"ask": {"meaning": "computes a value", **({"places": PLACES} if meaning == "html" else {})}},
            "generate": ["sh", "-c", "cat made.jsonl"],
            **more,
        }
    )
    return Entry("small", folder, folder / "service.toml", model)


def made(folder: Path, *found: dict[str, Any]) -> None:
    """What the generator is to print."""
    (folder / "made.jsonl").write_text("".join(json.dumps({"operation": "ask", **one}) + "\n" for one in found))


def difference(meaning: BodyFormat, answer: str | bytes, expected: str) -> str | None:
    return meaning.difference(answer.encode() if isinstance(answer, str) else answer, expected, "ask")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('{"a": 1, "b": [true, null]}', ' {\n"b":[ true ,null],"a":1.0}\r\n'),
        ('"caf\\u00e9 \\/"', '"café /"'),
        ('"\\uD834\\uDD1E"', '"𝄞"'),
        ("15e-1", "1.5"),
        ("0.1", "0.1000000000000000055511151231257827"),
        ("1e2", "100"),
        ("-0", "0"),
        ("123456789012345678901234567890", "123456789012345678901234567890.0"),
    ],
)
def test_json_values_are_the_same_however_they_are_written(tmp_path: Path, answer: str, expected: str) -> None:
    meaning = meaning_of(service(tmp_path, "json"))
    assert difference(meaning, answer, expected) is None
    assert difference(meaning, expected, answer) is None


@pytest.mark.parametrize(
    ("answer", "expected", "said"),
    [
        ('{"a": 1}', '{"a": "1"}', "/a is 1, expected '1'"),
        ('{"a": true}', '{"a": 1}', "/a is true, expected 1"),
        ('{"a": 0}', '{"a": false}', "/a is 0, expected false"),
        ('{"a": null}', "{}", "/a is not expected"),
        ("{}", '{"a": null}', "/a is missing"),
        ('{"a": [1, 2]}', '{"a": [2, 1]}', "/a[0] is 1, expected 2"),
        ("[1]", "[1, 2]", "the answer holds 1 items, expected 2"),
        ('"a "', '"a"', "the answer is 'a ', expected 'a'"),
        ("9007199254740993", "9007199254740992", "is 9007199254740993"),
        ("1.5000000000000002", "1.5", "is 1.5000000000000002"),
        ('{"a": 1, "a": 1}', '{"a": 1}', "the key 'a' twice"),
        ("NaN", "1", "NaN, which is not JSON"),
        ("<html/>", "1", "not JSON"),
        ("", "1", "not JSON"),
        ("1e999999999", "1", "expected 1"),
        ("[" * 200_000, "1", "too deep"),
        (b'"\xff"', '"a"', "not JSON"),
    ],
)
def test_a_difference_of_json_is_said_with_its_place(
    tmp_path: Path, answer: str | bytes, expected: str, said: str
) -> None:
    found = difference(meaning_of(service(tmp_path, "json")), answer, expected)
    assert found is not None and said in found and len(found) < 400


def test_a_json_answer_keeps_the_schema_where_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "answers.json").write_text(json.dumps(SCHEMA))
    judged = meaning_of(service(tmp_path, "json", schema="answers.json"))
    assert difference(judged, '{"n": 7.0}', '{"n": 7}') is None
    assert "breaks the schema: 'n' is a required property" in (difference(judged, "{}", "{}") or "")
    assert difference(meaning_of(service(tmp_path, "json")), "{}", "{}") is None
    (tmp_path / "other.json").write_text('{"$defs": {}}')
    assert "has no 'ask'" in (difference(meaning_of(service(tmp_path, "json", schema="other.json")), "{}", "{}") or "")


PAGE = (
    '<html><body><h1>Two things</h1><ul><li><a href="/1" class="x">One</a><li><a href="/2">Two</a></ul></body></html>'
)


@pytest.mark.parametrize(
    "answer",
    [
        PAGE,
        PAGE.replace('href="/1" class="x"', "class='x'   href=/1"),
        PAGE.replace("Two things", "\n  Two\n\tthings "),
        PAGE.replace("<h1>", "<H1 id=a>").replace("</h1>", "</H1>"),
        PAGE.replace("Two things", "<b>Two</b> thi&#110;gs"),
        "<!DOCTYPE html><title>x</title>" + PAGE + "<!-- made in 3 ms -->",
    ],
)
def test_a_page_is_right_where_its_places_are_however_it_is_written(tmp_path: Path, answer: str) -> None:
    assert difference(meaning_of(service(tmp_path, "html")), answer, PAGE) is None


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (PAGE.replace("Two things", "Two thongs"), "/title[0] is 'Two thongs', expected 'Two things'"),
        (PAGE.replace("/2", "/3"), "/links[1] is '/3', expected '/2'"),
        (PAGE.replace("<h1>Two things</h1>", ""), "/title holds 0 items, expected 1"),
        (PAGE.replace("<li>", ""), "/count[0] is '0.0', expected '2.0'"),
        ("", "not an HTML page"),
    ],
)
def test_a_difference_of_a_page_is_said_with_its_place(tmp_path: Path, answer: str, said: str) -> None:
    assert said in (difference(meaning_of(service(tmp_path, "html")), answer, PAGE) or "")


def test_a_place_where_the_contracts_own_page_holds_nothing_judges_nothing_and_is_named(tmp_path: Path) -> None:
    meaning = meaning_of(service(tmp_path, "html"))
    assert "holds nothing at 'links'" in (difference(meaning, PAGE, PAGE.replace("<a ", "<i ")) or "")
    broken = service(tmp_path, "html", operations={"ask": {"meaning": "a", "places": {"title": "//h1["}}})
    assert "place 'title' has no XPath" in (difference(meaning_of(broken), PAGE, PAGE) or "")


def test_bytes_are_right_where_they_are_the_same(tmp_path: Path) -> None:
    meaning = meaning_of(service(tmp_path, "bytes"))
    expected = base64.b64encode(b"\x00\xff\x01").decode()
    assert meaning.text(b"\x00\xff\x01") == expected
    assert difference(meaning, b"\x00\xff\x01", expected) is None
    assert "differ from byte 1 on" in (difference(meaning, b"\x00\xfe\x01", expected) or "")
    assert "2 bytes, expected 3; they differ from byte 2 on" in (difference(meaning, b"\x00\xff", expected) or "")
    with pytest.raises(ContractError, match="not base64"):
        meaning.body("no base64!")


def test_every_spelling_of_a_json_request_means_the_same_in_other_bytes(tmp_path: Path) -> None:
    meaning = meaning_of(service(tmp_path, "json"))
    request = '{"b": ["a\\"/\\\\é𝄞", true, null, {}], "a": 1.50, "n": -120, "f": -0.25}'
    spelled = list(meaning.spellings(Exchange(operation="ask", request=request, answer="1")))
    assert [one.name for one in spelled if difference(meaning, one.body, request) is not None] == []
    assert len({one.body for one in spelled}) == len(spelled) > 6
    by_name = {one.name: one.body.decode() for one in spelled}
    assert list(json.loads(by_name["other order of keys"])) == ["f", "n", "a", "b"]
    assert "é𝄞" in by_name["UTF-8"] and r"\ud834\udd1e" in by_name["escapes"] and r"\/" in by_name["escapes"]
    assert "150e-2" in by_name["exponents"] and "-120" in by_name["exponents"]
    assert json.loads(by_name["exponents"], parse_float=Decimal)["f"] == Decimal("-0.25")


def test_every_spelling_of_a_form_means_the_same_in_other_bytes(tmp_path: Path) -> None:
    meaning = meaning_of(service(tmp_path, "html"))
    request = "words=caf%C3%A9+%26+b&empty=&n=2"
    spelled = list(meaning.spellings(Exchange(operation="ask", request=request, answer=PAGE)))
    fields = sorted(parse_qsl(request, keep_blank_values=True))
    assert [one.name for one in spelled if sorted(parse_qsl(one.body.decode(), keep_blank_values=True)) != fields] == []
    assert len({one.body for one in spelled}) == len(spelled) == 5
    twice = Exchange(operation="ask", request="a=1&a=2", answer=PAGE)
    assert "other order of fields" not in {one.name for one in meaning.spellings(twice)}


@pytest.mark.parametrize(("meaning", "request_text"), [("json", '{"n": 1}'), ("html", "n=1"), ("bytes", "AAEC")])
def test_bad_requests_suit_the_meaning_and_the_contracts_own_are_among_them(
    tmp_path: Path, meaning: str, request_text: str
) -> None:
    small = service(tmp_path, meaning)
    ending = MEANINGS[meaning].request_ending
    (tmp_path / "contract" / "bad").mkdir(parents=True)
    (tmp_path / "contract" / "bad" / f"own.request.{ending}").write_bytes(b"bad")
    folder = tmp_path / "contract" / "exchanges" / "ask"
    folder.mkdir(parents=True)
    whole = {"operation": "ask", "request": request_text, "answer": "1"}
    (folder / "one.exchange.json").write_text(json.dumps(whole))
    bad = {one.name: one.body for one in refusals.bad_requests(small, tmp_path / "secret")}
    assert bad["own"] == b"bad" and {"busy-beyond-a-second", "busy-no-number"} <= set(bad)
    assert not {"malformed-xml", "doctype", "external-entity"} & set(bad)
    assert ("malformed-json" in bad) == (meaning == "json")
    assert meaning_of(small).echo(exchanges.contract_exchanges(small)) is None


@pytest.mark.parametrize(
    "name", ["malformed-json", "not-json", "two-values", "single-quotes", "not-utf-8", "very-deep"]
)
def test_each_bad_json_is_no_json(tmp_path: Path, name: str) -> None:
    meaning = meaning_of(service(tmp_path, "json"))
    written = [("ask/one", Exchange(operation="ask", request='{"n": 1}\n', answer="1"))]
    bad = {one.name: one.body for one in meaning.bad_requests(written, tmp_path)}
    found = difference(meaning, bad[name], "1")
    assert found is not None and ("not JSON" in found or "too deep" in found)


@pytest.mark.parametrize("meaning", ["json", "html", "bytes"])
def test_a_bad_request_is_refused_by_a_status_of_400_to_499_alone(tmp_path: Path, meaning: str) -> None:
    judged = meaning_of(service(tmp_path, meaning))
    assert judged.refusal_problem(Answer(422, b"")) is None
    assert "HTTP status 200" in (judged.refusal_problem(Answer(200, b"<Fault/>")) or "")
    assert "HTTP status 500" in (judged.refusal_problem(Answer(500, b":Fault")) or "")


def test_written_exchanges_are_pairs_of_files_or_whole(tmp_path: Path) -> None:
    folder = tmp_path / "contract" / "exchanges" / "ask"
    folder.mkdir(parents=True)
    (folder / "pair.request.bin").write_bytes(b"\xff\x00")
    (folder / "pair.answer.bin").write_bytes(b"\xfe")
    whole = {"operation": "ask", "method": "GET", "path": "/small?n=1", "request": "", "answer": "AA==", "status": 404}
    (folder / "whole.exchange.json").write_text(json.dumps(whole))
    found = dict(exchanges.contract_exchanges(service(tmp_path, "bytes")))
    assert (found["ask/pair"].request, found["ask/pair"].answer) == ("/wA=", "/g==")
    assert (found["ask/whole"].method, found["ask/whole"].path) == ("GET", "/small?n=1")
    assert meaning_of(service(tmp_path, "bytes")).status(found["ask/whole"]) == 404
    (folder / "whole.exchange.json").write_text(json.dumps({**whole, "operation": "other"}))
    with pytest.raises(ContractError, match="contains an exchange of other, not of ask"):
        exchanges.contract_exchanges(service(tmp_path, "bytes"))


@pytest.mark.parametrize(
    ("meaning", "answer", "rule"),
    [
        ("json", '{"n": 1}', {"status": [200], "fault": "any", "contains": "mark"}),
        ("html", PAGE, {"status": [200], "fault": "any", "contains": "mark"}),
        ("bytes", "AAEC", {"status": [200], "fault": "any", "contains": "mark"}),
    ],
)
def test_the_engine_judges_by_status_and_marker_and_bytes_wholly(
    tmp_path: Path, meaning: str, answer: str, rule: dict[str, Any]
) -> None:
    requests = {"json": "{}", "html": "a=b", "bytes": "AQ=="}
    made(tmp_path, {"request": requests[meaning], "answer": answer, "marker": "mark"})
    stored = corpus.make(
        service(tmp_path, meaning), tmp_path / "corpus", {"ask": corpus.Requests("ask", {})}, seed=1, count=1
    )
    (written,) = stored.rules.values()
    found = written.model_dump(exclude_none=True)
    assert ("sha256" in found) == (meaning == "bytes")
    assert {key: found[key] for key in rule} == rule
    body = (tmp_path / "corpus" / "corpus.bin").read_bytes()
    assert body == {"json": b"{}", "html": b"a=b", "bytes": b"\x01"}[meaning]


def test_right_answers_and_faults_of_one_operation_have_a_rule_each(tmp_path: Path) -> None:
    given = [{"request": "{}", "answer": "{}"}, {"request": "[]", "answer": "[]", "fault": True}]
    made(tmp_path, *given, *given)
    small = service(tmp_path, "json")
    stored = corpus.make(small, tmp_path / "corpus", {"ask": corpus.Requests("ask", {})}, seed=1, count=4)
    assert [rule.status for rule in stored.rules.values()] == [[200], [400], [400]]
    rows = (tmp_path / "corpus" / "corpus.csv").read_text().splitlines()[1:]
    assert [row.split(",")[4] for row in rows] == ["ask", "ask-1", "ask", "ask-3"]


@pytest.mark.parametrize(
    ("operation", "own", "columns"),
    [
        ({}, {}, ["", "", ""]),
        ({"method": "GET", "path": "/small/list"}, {}, ["GET", "/small/list", ""]),
        ({"method": "PUT", "path": "/small/list"}, {"method": "GET", "path": "/one?n=1"}, ["GET", "/one?n=1", ""]),
        ({}, {"headers": {"Accept": "a/b"}}, ["", "", '{"Accept": "a/b"}']),
    ],
)
def test_the_corpus_says_how_a_request_is_asked_by_its_own_words_or_its_operations(
    tmp_path: Path, operation: dict[str, str], own: dict[str, Any], columns: list[str]
) -> None:
    made(tmp_path, {"request": "{}", "answer": "{}", **own})
    small = service(tmp_path, "json", operations={"ask": {"meaning": "computes a value", **operation}})
    corpus.make(small, tmp_path / "corpus", {"ask": corpus.Requests("ask", {})}, seed=1, count=1)
    with (tmp_path / "corpus" / "corpus.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert [row[name] for name in ("method", "path", "headers")] == columns


@pytest.mark.parametrize(
    ("meaning", "expected", "answer"),
    [
        ("json", '{"code": "{{hole:code}}"}', b'{"code": "7"}'),
        ("html", PAGE.replace("Two things", "{{hole:code}}"), PAGE.encode()),
        ("bytes", base64.b64encode(b"{{hole:code}}").decode(), b"7"),
    ],
)
def test_only_answers_of_soap_have_holes(tmp_path: Path, meaning: str, expected: str, answer: bytes) -> None:
    judged = meaning_of(service(tmp_path, meaning))
    assert judged.difference(answer, expected, "ask") is not None
    judged.remember()
    assert judged.remembered_values == {}


def test_what_a_service_lacks_is_not_judged_and_said(tmp_path: Path) -> None:
    assert set(service(tmp_path, "json").model.not_judged) == {"served = answered", "the schema of answers"}
    whole = service(tmp_path, "json", counter="/count", schema="answers.json").model
    assert whole.not_judged == {}


def test_a_service_says_what_its_meaning_needs(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match=r"means soap needs namespace, schema, operations\.ask\.element"):
        service(tmp_path, "soap")
    with pytest.raises(ValidationError, match=r"means html needs operations\.ask\.places"):
        service(tmp_path, "html", operations={"ask": {"meaning": "a"}})


def test_a_later_header_takes_the_place_of_an_earlier_one_in_capitals_or_not() -> None:
    assert merge_headers({"accept": "a", "X": "1"}, {"Accept": "b"}) == {"Accept": "b", "X": "1"}

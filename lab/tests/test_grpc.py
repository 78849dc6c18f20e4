"""gRPC as a format: statuses, frames and refusals, over HTTP/2, with a server of another library and hostile ones."""

from __future__ import annotations

import base64
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from serving_grpc import EveryCall, serving
from steelyard.base.errors import ContractError, NoAnswerError
from steelyard.base.http2_client import Http2Client
from steelyard.base.http_client import Answer
from steelyard.catalogue import entries
from steelyard.catalogue.formats import service_in_format
from steelyard.models.job import Rule
from steelyard.models.service import Format
from steelyard.workload import contract, exchanges, refusals
from steelyard.workload.body_formats import meaning_of
from steelyard.workload.body_formats.grpc import frame

WSTEST = service_in_format(entries.service("wstest"), {"format": "grpc"})
MEANING = meaning_of(WSTEST)
HEADERS = contract.request_headers(WSTEST.model, "echoVoid")


def answered(status: int = 200, *fields: tuple[str, str]) -> Answer:
    return Answer(status, b"", fields)


def echo(_path: str, message: bytes, _context: Any) -> bytes:
    """The message, which is the right answer to all that is echoed."""
    return message


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ([("grpc-status", "0")], None),
        ([("grpc-status", "13"), ("grpc-message", "no unmarshalling")], "grpc-status 13 came: no unmarshalling"),
        ([("grpc-status", "0"), ("grpc-status", "5")], "grpc-status 5 came"),
        ([], "the answer has no grpc-status"),
    ],
)
def test_only_a_status_of_0_is_an_answer(fields: list[tuple[str, str]], said: str | None) -> None:
    exchange = exchanges.contract_exchanges(WSTEST)[0][1]
    found = MEANING.check_fields(answered(200, *fields), exchange)
    assert found == said if said is None else said in (found or "")


def test_where_a_fault_is_due_only_another_status_is_an_answer() -> None:
    due = exchanges.contract_exchanges(WSTEST)[0][1].model_copy(update={"fault": True})
    assert MEANING.check_fields(answered(200, ("grpc-status", "3")), due) is None
    for fields in ([("grpc-status", "0")], []):
        assert MEANING.check_fields(answered(200, *fields), due)


def test_the_engine_judges_by_the_status_and_what_marks_the_answer() -> None:
    made = exchanges.generate_exchanges(WSTEST, "echoStruct", seed=1, count=1, parameters={})
    exchange = next(made)
    assert exchange.marker
    assert MEANING.rule(exchange) == Rule.model_validate(
        {"fault": "absent", "fault_in": "grpc-status", "length": {"least": 5}, "contains": exchange.marker}
    )
    assert MEANING.rule(exchange.model_copy(update={"fault": True, "marker": None})).fault == "present"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not a gRPC frame: it has 0 bytes"),
        (b"\1\0\0\0\0", "is compressed"),
        (frame(b"") * 2, "announces a message of 0 bytes, but contains 5"),
        (frame(b"a")[:-1], "announces a message of 1 bytes, but contains 0"),
        (frame(b"\x08\x01"), "EchoVoidResponse has a field 1"),
    ],
)
def test_a_body_that_is_not_one_message_is_said_to_be_none(body: bytes, said: str) -> None:
    expected = base64.b64encode(frame(b"")).decode()
    assert said in (MEANING.difference(body, expected, "echoVoid") or "")


def test_a_wrong_value_is_named_by_its_place() -> None:
    exchange = dict(exchanges.contract_exchanges(WSTEST))["echoStruct/three"]
    wrong = MEANING.body(exchange.answer).replace(b"second", b"SECOND")
    said = MEANING.difference(wrong, exchange.answer, "echoStruct")
    assert said == "/structs[1]/var_string is 'SECOND', expected 'second'"


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=80), st.booleans())
def test_any_answer_at_all_is_judged_by_a_sentence(body: bytes, with_a_frame: bool) -> None:
    exchange = dict(exchanges.contract_exchanges(WSTEST))["getOrder/order-1"]
    assert MEANING.difference(frame(body) if with_a_frame else body, exchange.answer, "getOrder")


def test_what_is_not_refused_is_said() -> None:
    assert MEANING.refusal_problem(answered(200, ("grpc-status", "3"))) is None
    assert MEANING.refusal_problem(answered(415)) is None
    assert "grpc-status 0, but another is expected" in (
        MEANING.refusal_problem(answered(200, ("grpc-status", "0"))) or ""
    )
    assert "HTTP status 500" in (MEANING.refusal_problem(answered(500)) or "")


def test_a_format_of_grpc_says_how_it_is_asked() -> None:
    form = WSTEST.own.model.formats["grpc"].model_dump(by_alias=True, exclude_none=True)  # type: ignore[attr-defined]
    for key in ("http2", "schema"):
        with pytest.raises(ValidationError, match="needs http2 and schema"):
            Format.model_validate({name: value for name, value in form.items() if name != key})


def test_every_call_is_verified_against_a_server_by_another_library() -> None:
    asked = [exchange for _, exchange in contract.all_exchanges(WSTEST, 1)]
    answers = {
        (WSTEST.model.operations[each.operation].path, MEANING.body(each.request)[5:]): MEANING.body(each.answer)[5:]
        for each in asked
    }
    with serving(EveryCall(lambda path, message, _: answers[path, message])) as url:
        assert contract.verify(WSTEST, url, seed=1, all_spellings=False) == len(asked)


def test_an_answer_with_a_status_that_tells_of_a_failure_breaks_the_contract() -> None:
    def fail(_path: str, _message: bytes, context: Any) -> bytes:
        context.set_code(grpc.StatusCode.DATA_LOSS)
        context.set_details("ink spilt")
        return b""

    with serving(EveryCall(fail)) as url, pytest.raises(ContractError, match="grpc-status 15 came: ink spilt"):
        contract.verify(WSTEST, url, seed=1)


def test_a_large_message_passes_both_ways_and_the_connection_is_kept() -> None:
    body = frame(b"\x0a\x80\x80\x80\x01" + b"x" * 2**21)
    with serving(EveryCall(echo)) as url:
        talk = Http2Client(url, once=True)
        for _ in range(3):
            answer = talk.ask("POST", "/a.B/C", body, HEADERS)
            assert (answer.status, answer.body, answer.values_of("grpc-status")) == (200, body, ["0"])
        talk.close()


def test_a_closed_connection_is_opened_again_unless_it_is_to_be_kept() -> None:
    with serving(EveryCall(echo)) as url:
        lasting, again = Http2Client(url, once=True), Http2Client(url)
        for talk in (lasting, again):
            assert talk.ask("POST", "/a.B/C", frame(b""), HEADERS).status == 200
            talk._open._socket.shutdown(socket.SHUT_RDWR)  # type: ignore[union-attr]
        assert again.ask("POST", "/a.B/C", frame(b""), HEADERS).status == 200
        with pytest.raises(NoAnswerError):
            lasting.ask("POST", "/a.B/C", frame(b""), HEADERS)
        again.close()


@contextmanager
def hostile(say: bytes, then_close: bool = True) -> Iterator[str]:
    """The address of a server that says the same to everybody, and closes the connection, or says nothing more."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ended = threading.Event()

        def answer() -> None:
            while not ended.is_set():
                try:
                    talk, _ = listening.accept()
                except OSError:
                    return
                with talk:
                    talk.sendall(say)
                    if not then_close:
                        ended.wait(60)
                    talk.recv(65536)  # what is unread when it is closed would take back what was said

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            ended.set()
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


SETTINGS = b"\0\0\0\4\0\0\0\0\0"


@pytest.mark.parametrize(
    ("say", "said"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "no answer: the server closed the connection"),
        (b"", "no answer"),
        (SETTINGS + b"\0\0\4\3\0\0\0\0\1\0\0\0\7", "the request was reset"),
        (SETTINGS + b"\0\0\x08\7\0\0\0\0\0\0\0\0\0\0\0\0\2", "the server closed the connection"),
        (SETTINGS + b"\0\0\5\1\4\0\0\0\1\xff\xff\xff\xff\xff", "no answer by HTTP/2"),
    ],
)
def test_a_server_that_breaks_the_protocol_is_refused_by_a_sentence(say: bytes, said: str) -> None:
    with hostile(say) as url, pytest.raises(NoAnswerError, match=said):
        Http2Client(url).ask("POST", "/a.B/C", frame(b""), HEADERS)


def test_a_server_that_is_silent_is_left_at_the_deadline() -> None:
    with hostile(SETTINGS, then_close=False) as url, pytest.raises(NoAnswerError, match=r"no answer within 0\.3 s"):
        Http2Client(url, 0.3).ask("POST", "/a.B/C", frame(b""), HEADERS)


def test_an_answer_without_end_is_left_where_it_is_too_large() -> None:
    with (
        serving(EveryCall(lambda _path, _message, _context: b"x" * 100_000)) as url,
        pytest.raises(NoAnswerError, match="larger than 1,000"),
    ):
        Http2Client(url, most_bytes=1_000).ask("POST", "/a.B/C", frame(b""), HEADERS)


def test_bad_requests_are_sent_as_bad_as_they_are() -> None:
    with serving(EveryCall(echo)) as url:
        wrong = refusals.refuse(WSTEST, url)
    # A server that reads no message refuses what is no frame, and nothing else.
    assert {"no-field-0", "not-utf-8", "busy-no-number"} <= wrong.keys()
    assert not {"cut-off", "packed-nobody-knows-how"} & wrong.keys()

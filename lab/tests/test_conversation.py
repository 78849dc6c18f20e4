"""The lab's own HTTP requests are bounded in time and size, whatever the server does."""

from __future__ import annotations

import gzip
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest
from steelyard.base.errors import ContractError, NoAnswerError
from steelyard.base.http_client import ANSWER_BYTES, Answer, HttpClient

Deed = Callable[[socket.socket, threading.Event], None]
HEAD = b"HTTP/1.1 200 OK\r\n"
BOUND_SECONDS = 0.5  # where an answer is to come too late
AMPLE_SECONDS = 120.0  # where its time is not what is asked: a busy machine may take seconds over what is nothing
BOUND_BYTES = 200_000


@contextmanager
def server(deed: Deed) -> Iterator[str]:
    """A server that reads a request and then does its deed on each connection, until the test is over."""
    over = threading.Event()

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while not over.is_set() and connection.recv(65_536):
                deed(connection, over)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/service"
        over.set()
        listening.shutdown(socket.SHUT_RDWR)


def drips(what: bytes) -> Deed:
    def deed(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(what)
        while not over.wait(0.2):
            connection.sendall(b"x")

    return deed


def floods(head: bytes, again: bytes) -> Deed:
    def deed(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(head)
        while not over.is_set():
            connection.sendall(again * 100)

    return deed


def says(*words: bytes) -> Deed:
    left = list(words)

    def deed(connection: socket.socket, _over: threading.Event) -> None:
        connection.sendall(left.pop(0) if len(left) > 1 else left[0])

    return deed


def says_and_closes(words: bytes) -> Deed:
    def deed(connection: socket.socket, _over: threading.Event) -> None:
        connection.sendall(words)
        connection.shutdown(socket.SHUT_RDWR)

    return deed


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        (drips(b""), "no answer within 0.5 s"),
        (drips(HEAD + b"Slow: "), "no answer within 0.5 s"),
        (drips(HEAD + b"Content-Length: 190000\r\n\r\n"), "no answer within 0.5 s"),
        (drips(HEAD + b"Transfer-Encoding: chunked\r\n\r\n10000\r\n"), "no answer within 0.5 s"),
        (says(b""), "no answer within 0.5 s"),
        (floods(HEAD + b"\r\n", b"body "), "the answer is larger than 200,000 bytes"),
        (floods(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"5\r\nchunk\r\n"), "the answer is larger than 200,000"),
        (floods(HEAD + b"Content-Length: 999999999999999\r\n\r\n", b"body "), "the answer is larger than 200,000"),
        (floods(HEAD, b"Header: again\r\n"), "got more than 100 headers"),
        (floods(HEAD + b"Long: ", b"and longer "), "got more than 65536 bytes"),
        (floods(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "the answer is larger than 200,000 bytes"),
        (says_and_closes(b"SSH-2.0-OpenSSH_9.2\r\n"), "the answer is not HTTP: 'SSH-2.0-OpenSSH_9.2"),
        (says_and_closes(b"\x15\x03\x01\x00\x02\x02\x16"), "the answer is not HTTP"),
        (says_and_closes(b""), "no answer: "),
        (says_and_closes(HEAD + b"Content-Length: 10\r\n\r\nhalf"), "IncompleteRead"),
        (says_and_closes(HEAD + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n"), "no answer: "),
    ],
    ids=[
        *("drips from the start", "drips a header", "drips a body", "drips a chunk", "is silent", "endless body"),
        *("endless chunks", "announces a petabyte", "endless headers", "an endless header", "continues for ever"),
        *("another protocol", "an alert of TLS", "closes", "half a body", "a chunk of negative size"),
    ],
)
def test_a_hostile_server_costs_a_bounded_time_and_is_named(deed: Deed, said: str) -> None:
    with server(deed) as url:
        late = said.startswith("no answer within")
        conversation = HttpClient(url, BOUND_SECONDS if late else AMPLE_SECONDS, most_bytes=BOUND_BYTES)
        begun = time.monotonic()
        with pytest.raises(NoAnswerError) as caught:
            conversation.post(b"<a/>", {})
        assert said in caught.value.message
        assert isinstance(caught.value, ContractError)
        assert time.monotonic() - begun < AMPLE_SECONDS  # a reader without a deadline takes longer over what drips
        conversation.close()


def test_a_deadline_is_over_each_answer_and_not_over_the_conversation() -> None:
    def deed(connection: socket.socket, over: threading.Event) -> None:
        over.wait(0.6)
        connection.sendall(HEAD + b"Content-Length: 2\r\n\r\nok")

    with server(deed) as url:
        conversation = HttpClient(url, 2.5)
        assert [conversation.get({}).body for _ in range(5)] == [b"ok"] * 5
        conversation.close()


def test_a_size_is_of_each_answer_whatever_way_its_end_is_told() -> None:
    body = b"x" * (BOUND_BYTES * 9 // 10)
    counted = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
    chunked = HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
    with server(says(counted, chunked, counted)) as url:
        conversation = HttpClient(url, most_bytes=BOUND_BYTES)
        assert [conversation.get({}).body for _ in range(3)] == [body] * 3
        conversation.close()
    with server(says_and_closes(HEAD + b"Connection: close\r\n\r\n" + body)) as url:
        conversation = HttpClient(url, most_bytes=BOUND_BYTES)
        assert conversation.get({}).body == body
        conversation.close()


def test_a_connection_that_the_server_closed_is_opened_again_unless_it_must_last() -> None:
    with server(says_and_closes(HEAD + b"Content-Length: 2\r\n\r\nok")) as url:
        conversation = HttpClient(url)
        assert [conversation.get({}).status for _ in range(3)] == [200] * 3
        conversation.close()
        lasting = HttpClient(url, once=True)
        assert lasting.get({}).status == 200
        with pytest.raises(NoAnswerError):
            lasting.get({})
        lasting.close()


@pytest.mark.parametrize(("coding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_a_packed_answer_is_unpacked(coding: str, pack: Callable[[bytes], bytes]) -> None:
    answer = Answer(200, pack(b"said at length" * 1000), [("content-encoding", coding)])
    assert answer.unpack() == b"said at length" * 1000
    assert Answer(200, b"as it is").unpack() == b"as it is"


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(b"cut short")[:-9]),
        ("gzip", b"none at all"),
        ("br", b"unknown"),
        ("gzip", gzip.compress(bytes(ANSWER_BYTES + 1))),
    ],
    ids=["cut short", "not packed", "of an unknown coding", "too large"],  # gzip writes the time into what it packs
)
def test_a_packed_answer_that_cannot_be_had_is_none(coding: str, body: bytes) -> None:
    with pytest.raises(NoAnswerError, match=r"content encoding|compressed answer"):
        Answer(200, body, [("Content-Encoding", coding)]).unpack()

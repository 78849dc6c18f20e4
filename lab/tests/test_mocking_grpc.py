"""A stand-in of gRPC answers Google's own client over HTTP/2: messages of the contract, streams, delays and failures."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from command import steelyard
from google.protobuf import json_format, message_factory
from small_descriptions import import_text
from steelyard.base.http2_server import serve_http2
from steelyard.base.loopback_server import listening_on
from steelyard.catalogue import entries
from steelyard.models.job import Think
from steelyard.workload import protobuf
from steelyard.workload.mocking.known import MockedService, mock_service
from steelyard.workload.mocking.stand_in import StandIn
from test_import_grpc import NAMES, SHOP

ORDERS = "/shop.v1.Orders/PlaceOrder"
WATCH = "/shop.v1.Items/Watch"


def mocked(folder: Path, text: str = SHOP) -> MockedService:
    import_text(text, folder, "shop.proto")
    return mock_service(entries.service_at(str(folder / "mine")), 1)


@contextmanager
def serving(app: StandIn) -> Iterator[str]:
    """The stand-in at an address of its own, for as long as the block lasts."""
    loop = asyncio.new_event_loop()
    with listening_on(0) as (listening, port):
        serve = loop.create_task(serve_http2(app, listening))

        def run() -> None:
            with suppress(asyncio.CancelledError):
                loop.run_until_complete(serve)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            loop.call_soon_threadsafe(serve.cancel)
            thread.join()
            loop.close()


class Asking:
    """Google's client of one service, by its compiled contract."""

    def __init__(self, folder: Path, channel: grpc.Channel) -> None:
        self._compiled = folder / "mine" / "contract" / "service.protoset"
        self._channel = channel

    def ask(self, path: str, **values: Any) -> Any:
        """The answer to a method, or the messages of its stream, as plain values."""
        method = protobuf.method_at(self._compiled, path)
        request, answer = map(message_factory.GetMessageClass, (method.input_type, method.output_type))
        call = self._channel.unary_stream if method.server_streaming else self._channel.unary_unary
        asked = call(path, request.SerializeToString, answer.FromString)(request(**values), timeout=20)
        plain = json_format.MessageToDict
        return [plain(each) for each in asked] if method.server_streaming else plain(asked)


@contextmanager
def asking(folder: Path, app: StandIn) -> Iterator[Asking]:
    with serving(app) as address, grpc.insecure_channel(address) as channel:
        yield Asking(folder, channel)


ITEM = {"id": "text", "price": "1", "size": "SIZE_SMALL", "made": "2026-01-01T12:00:00Z"}


def test_each_method_is_answered_with_a_message_of_its_contract(tmp_path: Path) -> None:
    app = StandIn(mocked(tmp_path), Think(), 0.0, 1)
    with asking(tmp_path, app) as client:
        assert client.ask("/shop.v1.Items/Get", id="7") == ITEM
        assert client.ask(WATCH, id="7") == [ITEM] * 3
        assert client.ask(ORDERS) == {"id": "text"}
    assert app.answered == {"Items.Get": 1, "Watch": 1, "PlaceOrder": 1} and app.unknown == 0


def test_an_answer_that_its_user_wrote_goes_before_a_made_one(tmp_path: Path) -> None:
    mocked(tmp_path)
    for name, content in (("Orders.Get", {"id": "mine"}), ("Watch", [{"id": "a"}, {"id": "b", "price": "9"}])):
        folder = tmp_path / "mine" / "contract" / "exchanges" / name
        folder.mkdir(parents=True)
        (folder / "any.answer.json").write_text(json.dumps(content))
    known = mock_service(entries.service_at(str(tmp_path / "mine")), 1)
    with asking(tmp_path, StandIn(known, Think(), 0.0, 1)) as client:
        assert client.ask("/shop.v1.Orders/Get") == {"id": "mine"}
        assert client.ask(WATCH) == [{"id": "a"}, {"id": "b", "price": "9"}]
    (tmp_path / "mine" / "contract" / "exchanges" / "Watch" / "any.answer.json").write_text('{"no": 1}')
    origins = {each.name: each.usual.origin for each in mock_service(known.service, 1).operations}
    assert origins["Watch"] == "made from the contract" and origins["Orders.Get"].endswith("any.answer.json")


def test_failures_and_unknown_methods_have_their_status(tmp_path: Path) -> None:
    app = StandIn(mocked(tmp_path), Think(), 1.0, 1)
    with asking(tmp_path, app) as client:
        for path, code in (
            (ORDERS, grpc.StatusCode.UNAVAILABLE),
            ("/shop.v1.Items/Upload", grpc.StatusCode.UNIMPLEMENTED),
        ):
            with pytest.raises(grpc.RpcError) as refused:
                client.ask(path)
            assert refused.value.code() is code, refused.value
            assert "mock" in refused.value.details()
    assert app.failed == {"PlaceOrder": 1} and app.unknown == 1


def test_many_calls_share_a_connection_and_wait_for_each_other_in_no_way(tmp_path: Path) -> None:
    app = StandIn(mocked(tmp_path), Think(kind="constant", ms=200), 0.0, 1)
    begun = time.perf_counter()
    with asking(tmp_path, app) as client:
        threads = [threading.Thread(target=client.ask, args=(ORDERS,)) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert app.answered.total() == 20 and time.perf_counter() - begun < 20 * 0.2


def test_a_message_larger_than_a_window_is_sent_whole_in_both_directions(tmp_path: Path) -> None:
    known = mocked(tmp_path)
    folder = tmp_path / "mine" / "contract" / "exchanges" / "PlaceOrder"
    folder.mkdir(parents=True)
    (folder / "any.answer.json").write_text(json.dumps({"id": "x" * 500_000}))
    app = StandIn(mock_service(known.service, 1), Think(), 0.0, 1)
    with asking(tmp_path, app) as client:
        assert client.ask(ORDERS, card="y" * 700_000) == {"id": "x" * 500_000}


def test_what_is_no_http_2_ends_its_connection_and_no_other(tmp_path: Path) -> None:
    app = StandIn(mocked(tmp_path), Think(), 0.0, 1)
    with serving(app) as address, grpc.insecure_channel(address) as channel:
        host, _, port = address.partition(":")
        for sent in (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"\0" * 100):
            with socket.create_connection((host, int(port)), timeout=20) as plain:
                plain.sendall(sent)
                while plain.recv(4096):
                    pass
        assert Asking(tmp_path, channel).ask(ORDERS) == {"id": "text"}


def test_a_load_of_a_stand_in_is_valid_and_both_count_the_same(tmp_path: Path) -> None:
    app = StandIn(mocked(tmp_path), Think(), 0.0, 1)
    with serving(app) as address:
        words = ("--target", f"http://{address}", "--users", "3", "--max-requests", "30", "--writes", "--json")
        outcome = steelyard("load", "./mine", *words, "--out", "runs", folder=tmp_path).outcome
    assert (outcome["completed"], outcome["failed"]) == (30, 0), outcome
    assert outcome["sent"] == app.answered.total() and set(app.answered) == set(NAMES)


def test_the_command_mocks_a_service_of_grpc(tmp_path: Path) -> None:
    mocked(tmp_path)
    ran = steelyard("mock", "mine", "--port", "0", "--for", "10ms", "--json", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert [each["origin"] for each in json.loads(ran.out)["operations"]] == ["made from the contract"] * 4


@pytest.mark.parametrize(
    ("expect", "why"),
    [
        ('contains = "no such text"', "it does not contain"),
        ('jsonpath = ["$.nothing"]', "jsonpath $.nothing finds nothing"),
    ],
)
def test_a_rule_that_no_made_message_keeps_is_named(expect: str, why: str, tmp_path: Path) -> None:
    mocked(tmp_path)
    file = tmp_path / "mine" / "service.toml"
    file.write_text(file.read_text() + f"\n[operations.PlaceOrder.expect]\n{expect}\n")
    left = mock_service(entries.service_at(str(tmp_path / "mine")), 1).left_out
    assert [each.what for each in left] == ["PlaceOrder"]
    assert why in left[0].why and "any.answer.json" in left[0].why

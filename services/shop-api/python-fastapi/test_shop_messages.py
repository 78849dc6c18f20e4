"""The rules of messages, and how workers divide the pool: make test-python-services."""

import json
import multiprocessing
from pathlib import Path

import pytest
from pydantic import ValidationError
from shop.messages import Message, OrderRequest
from shop.workers import claim_number, share_of

CONTRACT = Path(__file__).parent.parent / "contract"
ECHOES = sorted(CONTRACT.glob("exchanges/echo/*.exchange.json"))


@pytest.mark.parametrize("path", ECHOES, ids=lambda path: path.name)
def test_a_message_of_the_contract_is_valid_or_refused(path):
    exchange = json.loads(path.read_text(encoding="utf-8"))
    message = json.loads(exchange["request"])
    if exchange.get("status") == 400:
        with pytest.raises(ValidationError):
            Message.model_validate(message)
    else:
        assert Message.model_validate(message).model_dump(by_alias=True) == json.loads(exchange["answer"])


@pytest.mark.parametrize("path", sorted(CONTRACT.glob("bad/*.request.json")), ids=lambda path: path.name)
def test_a_bad_request_of_the_contract_is_refused(path):
    with pytest.raises(ValidationError):
        Message.model_validate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), True, "1"])
def test_a_discount_is_a_number(wrong):
    message = json.loads(json.loads(ECHOES[-1].read_text(encoding="utf-8"))["request"])
    Message.model_validate(message)
    with pytest.raises(ValidationError):
        Message.model_validate({**message, "discountPercent": wrong})


def test_lines_are_in_the_order_of_their_items_in_which_all_orders_lock_them():
    lines = [{"item": item, "quantity": 1} for item in (10, 9, 100)]
    wanted = OrderRequest.model_validate({"customer": "c", "lines": lines})
    assert [line.item for line in wanted.lines] == [9, 10, 100]


@pytest.mark.parametrize(
    "wrong",
    [
        {"customer": "\0", "lines": [{"item": 1, "quantity": 1}]},
        {"customer": "\ud800", "lines": [{"item": 1, "quantity": 1}]},
        {"customer": "c", "lines": [{"item": 2**63, "quantity": 1}]},
        {"customer": "c", "lines": [{"item": 1, "quantity": 1}, {"item": 1, "quantity": 2}]},
    ],
)
def test_an_order_that_postgresql_could_not_store_is_refused(wrong):
    with pytest.raises(ValidationError):
        OrderRequest.model_validate(wrong)


def test_a_customer_is_measured_in_characters():
    request = {"customer": "😀" * 100, "lines": [{"item": 1, "quantity": 1}]}
    assert OrderRequest.model_validate(request).customer == "😀" * 100
    with pytest.raises(ValidationError):
        OrderRequest.model_validate({**request, "customer": "😀" * 101})


@pytest.mark.parametrize(("connections", "workers"), [(16, 1), (16, 2), (16, 3), (5, 4), (4, 4)])
def test_the_workers_open_all_connections_of_the_pool_together(connections, workers):
    shares = [share_of(connections, number, workers) for number in range(workers)]
    assert sum(shares) == connections
    assert max(shares) - min(shares) <= 1


def test_a_worker_without_a_connection_is_refused():
    with pytest.raises(ValueError, match="each of 4 workers needs a connection; lower the factor workers"):
        share_of(3, 0, 4)


def hold_number(folder, numbers, leave):
    with claim_number(folder, 2) as number:
        numbers.put(number)
        leave.wait(60)


def test_each_worker_has_a_number_of_its_own_and_leaves_it_to_the_next(tmp_path):
    processes = multiprocessing.get_context("spawn")
    numbers, leave = processes.Queue(), processes.Event()
    workers = [processes.Process(target=hold_number, args=(tmp_path, numbers, leave)) for _ in range(2)]
    for worker in workers:
        worker.start()
    assert sorted(numbers.get(timeout=60) for _ in workers) == [0, 1]
    with pytest.raises(RuntimeError, match="there are already 2 workers"), claim_number(tmp_path, 2):
        pass
    leave.set()
    for worker in workers:
        worker.join(60)
    with claim_number(tmp_path, 2) as number:
        assert number == 0

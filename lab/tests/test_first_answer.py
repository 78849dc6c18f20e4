"""The time to the first right answer counts from the start, past refused connections and wrong answers."""

from __future__ import annotations

import time

from steelyard.base.errors import ContractError, NoAnswerError
from steelyard.base.http_client import PLAIN, Access
from steelyard.catalogue import entries
from steelyard.hosts.first_answer import FirstAnswer
from steelyard.workload import contract


class Starting:
    """A server that refuses connections, then answers wrongly, then rightly."""

    def __init__(self, right_after: float) -> None:
        self.begun = time.monotonic()
        self.right_after = right_after
        self.asked = 0

    def __call__(self, _url: str, _access: Access) -> bool:
        self.asked += 1
        since = time.monotonic() - self.begun
        if since < self.right_after / 2:
            raise NoAnswerError("no connection: refused")
        if since < self.right_after:
            raise ContractError("HTTP status 404, expected 200")
        return True


def test_the_time_ends_with_the_first_right_answer() -> None:
    server = Starting(0.3)
    seconds = FirstAnswer(server, "http://127.0.0.1:1/", PLAIN).seconds()
    assert seconds is not None and 0.3 <= seconds < 0.3 + 5
    asked = server.asked
    time.sleep(0.1)
    assert server.asked == asked > 3


def test_a_server_that_is_stopped_before_has_no_time() -> None:
    server = Starting(3600)
    waiting = FirstAnswer(server, "http://127.0.0.1:1/", PLAIN)
    waiting.stop()
    asked = server.asked
    time.sleep(0.1)
    assert waiting.seconds() is None and server.asked == asked


def test_the_request_is_of_the_judged_operation_and_changes_nothing() -> None:
    shop = entries.service("shop-api")
    of_item = contract.first_exchange(shop, "item")
    assert of_item is not None and of_item.operation == "item" and of_item.safe and not of_item.fault
    beside = contract.first_exchange(shop, "placeOrder")  # which changes the database
    assert beside is not None and beside.operation == "echo" and beside.safe and not beside.fault

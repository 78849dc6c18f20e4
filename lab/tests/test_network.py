"""The bandwidth of loopback is measured by a real transfer, and no process or socket remains."""

from __future__ import annotations

import socket
import threading

import pytest
from steelyard.hosts import network


def test_a_short_transfer_says_what_the_device_carries() -> None:
    before = threading.active_count()
    carried = network.loopback_bytes_per_s()
    assert carried is not None
    assert carried > 1e5  # a modem's speed: the slowest machine's memory is faster
    assert threading.active_count() == before


def test_where_no_connection_can_be_had_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> socket.socket:
        raise OSError("no sockets here")

    monkeypatch.setattr(network.socket, "create_server", refused)
    assert network.loopback_bytes_per_s() is None

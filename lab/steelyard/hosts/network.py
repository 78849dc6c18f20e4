"""The bandwidth of loopback or of the link to a host, measured by a short transfer; traffic is reported as a share of it."""

from __future__ import annotations

import socket
import threading
import time

from ..base import children
from ..base.children import start_child
from ..base.paths import HOST
from .placement import Placement

_PIECE = 1 << 18  # bytes; large enough that the interpreter's own work between two calls is negligible
_WINDOWS, _WINDOW_SECONDS = 5, 0.05
_PATIENCE_SECONDS = 10.0


def loopback_bytes_per_s() -> float | None:
    """Bytes per second of one TCP connection over 127.0.0.1 in one direction, without TCP and IP headers; None where it fails.

    The best of a few windows of 50 ms: other load on the machine only reduces it, so it is a lower bound.
    """
    try:
        with socket.create_server((HOST, 0)) as listener:
            listener.settimeout(_PATIENCE_SECONDS)
            sender = threading.Thread(target=_send, args=(listener.getsockname(),), daemon=True)
            sender.start()
            try:
                with listener.accept()[0] as receiver:
                    receiver.settimeout(_PATIENCE_SECONDS)
                    best = _best_window(receiver)
            finally:
                sender.join(_PATIENCE_SECONDS)
    except OSError:
        return None
    return best or None


def link_bytes_per_s(site: Placement) -> float | None:
    """Bytes per second of one TCP connection from a host to this machine, measured likewise; None where it fails."""
    if site.link is None:
        return None
    try:
        with socket.create_server((site.link.near_address, 0)) as listener:
            listener.settimeout(_PATIENCE_SECONDS)
            port = listener.getsockname()[1]
            send = f"exec cat /dev/zero >/dev/tcp/{site.link.near_address}/{port}"
            sender = start_child(lambda: site.reach.begin(["bash", "-c", send], None, {}))
            try:
                with listener.accept()[0] as receiver:
                    receiver.settimeout(_PATIENCE_SECONDS)
                    best = _best_window(receiver)
            finally:
                children.kill_group(sender)
    except OSError:
        return None
    return best or None


def _best_window(receiver: socket.socket) -> float:
    piece = bytearray(_PIECE)
    best = 0.0
    begin = time.monotonic()
    for _ in range(_WINDOWS):
        carried, elapsed = 0, 0.0
        while elapsed < _WINDOW_SECONDS:
            got = receiver.recv_into(piece)
            if not got:
                return best
            carried += got
            elapsed = time.monotonic() - begin
        best = max(best, carried / elapsed)
        begin += elapsed  # consecutive windows: data buffered between two would make the second too fast
    return best


def _send(address: tuple[str, int]) -> None:
    """Send until the other end closes."""
    piece = bytes(_PIECE)
    try:
        with socket.create_connection(address, timeout=_PATIENCE_SECONDS) as sender:
            while True:
                sender.sendall(piece)
    except OSError:
        return

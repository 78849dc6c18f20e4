"""A relay of TCP connections that breaks them on request: the network between the engine and the counting server."""

from __future__ import annotations

import socket
import struct
import threading
import time
from contextlib import suppress

_PIECE = 65_536
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER: close with a reset
_DELAY_SECONDS = 0.2
_TRICKLE_SECONDS = 0.01
_BREAK_SECONDS = 0.8


class Relay:
    """Forwards connections from a port of its own to `to`, until `act` breaks them. A context manager."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._act = ""
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> Relay:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._close_port()
        for pair in self._pairs:
            _close(pair)

    def act(self, name: str) -> None:
        """Break the network: the connections so far, and those to come as long as `name` says so."""
        self._act = name
        if name in ("reset", "reset-for-good"):
            for pair in self._pairs:
                _close(pair, reset=True)
        if name == "half-open":
            for client, _ in self._pairs:
                with suppress(OSError):
                    client.shutdown(socket.SHUT_WR)
        if name == "port-closed":
            self._close_port()
            for pair in self._pairs:
                _close(pair)

    def follow(self, variant: str) -> None:
        """Break the network as `ACT` says; after `ACT, then as before` it is whole again after a moment."""
        name, _, then = variant.partition(", ")
        self.act(name)
        if then:
            time.sleep(_BREAK_SECONDS)
            self.act("")

    def _close_port(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # `accept` in the other thread returns
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            pair = (client, socket.socket())
            self._pairs.append(pair)
            if self._act == "reset-for-good":
                _close(pair, reset=True)
                continue
            try:
                pair[1].connect(("127.0.0.1", self._to))
            except OSError:
                _close(pair)
                continue
            for source, sink in (pair, pair[::-1]):
                threading.Thread(target=self._pump, args=(pair, source, sink), daemon=True).start()

    def _pump(self, pair: tuple[socket.socket, socket.socket], source: socket.socket, sink: socket.socket) -> None:
        """Forward what one side sends, as the current act has it."""
        with suppress(OSError):
            while piece := source.recv(_PIECE):
                answered = source is pair[1]
                if self._act == "black-hole" or (self._act == "answers-lost" and answered):
                    continue
                if self._act == "delay":
                    time.sleep(_DELAY_SECONDS)
                if self._act == "cut" and answered:
                    sink.sendall(piece[: len(piece) // 2])
                    break
                if self._act == "trickle":
                    for byte in piece:
                        sink.sendall(bytes([byte]))
                        time.sleep(_TRICKLE_SECONDS)
                    continue
                sink.sendall(piece)
        _close(pair)


def _close(pair: tuple[socket.socket, socket.socket], *, reset: bool = False) -> None:
    for end in pair:
        with suppress(OSError):
            if reset:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            end.shutdown(socket.SHUT_RD if reset else socket.SHUT_RDWR)  # a thread that waits for it returns
        end.close()

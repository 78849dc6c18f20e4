"""A relay that speaks TLS to the client and plain HTTP to the counting server, and breaks records or handshakes on request."""

from __future__ import annotations

import select
import socket
import ssl
import struct
import threading
from contextlib import suppress
from pathlib import Path

PIECE = 16_384
RECORD_HEAD = 5
ALERT = b"\x15\x03\x03\x00\x02\x02\x28"  # fatal: handshake failure
# What is sent instead of a handshake; None: nothing, and the connection stays.
INSTEAD: dict[str, bytes | None] = {
    "silence": None,
    "an end": b"",
    "plain HTTP": b"HTTP/1.1 400 No\r\nContent-Length: 2\r\n\r\nno",
    "an alert": ALERT,
    "noise": bytes(range(256)) * 40,
    "a record without end": b"\x16\x03\x03\xff\xff" + bytes(70_000),
    "empty records": b"\x16\x03\x03\x00\x00" * 20_000,
    "a certificate of 16 MB": b"\x16\x03\x03\x40\x00\x0b\xff\xff\xff" + bytes(16_380),
}
# What happens to the records of a connection that was made, once told.
BREAKS = (
    *(
        "a bit is another",
        "a record is lost",
        "a record comes twice",
        "an alert between records",
        "a plain record between",
    ),
    *("cut in a record", "closed without a word", "reset", "silent in a record", "a close in an answer"),
)
HARMLESS = ("records of one byte", "one byte per packet")
HALF_HANDSHAKE = "half a handshake"
ACTS = (*INSTEAD, HALF_HANDSHAKE, *BREAKS, *HARMLESS)
_RESET = struct.pack("ii", 1, 0)
_TICK_SECONDS = 0.05


class TlsRelay:
    """Accepts TLS on a port of its own, and forwards to `to`. A context manager."""

    def __init__(self, to: int, certificate: Path, key: Path) -> None:
        self.to = to
        self.current_act = ""
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port: int = self._listener.getsockname()[1]

    def __enter__(self) -> TlsRelay:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # `accept` in the other thread returns
        self._listener.close()

    def act(self, name: str) -> None:
        """Break what comes from now on, as one of ACTS says; an empty name breaks nothing."""
        self.current_act = name

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._guarded, args=(client,), daemon=True).start()

    def _guarded(self, client: socket.socket) -> None:
        with client, suppress(OSError, ssl.SSLError):
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.current_act in INSTEAD:
                self._answer_instead(client, INSTEAD[self.current_act])
            else:
                _Connection(self, client).serve()

    def _answer_instead(self, client: socket.socket, answer: bytes | None) -> None:
        client.recv(PIECE)
        if answer is None:
            self.over.wait()
        else:
            client.sendall(answer)


class _Connection:
    """One connection of a client, and the one to the server that it is forwarded to."""

    def __init__(self, relay: TlsRelay, client: socket.socket) -> None:
        self._relay, self._client = relay, client
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._secure = relay.context.wrap_bio(self._incoming, self._outgoing, server_side=True)

    def serve(self) -> None:
        """Make the handshake, and forward until one side ends."""
        while not self._shake_hands():
            if not self._take():
                return
        with socket.create_connection(("127.0.0.1", self._relay.to)) as server:
            if not self._forward(server):  # a request may have come with the end of the handshake
                return
            while not self._relay.over.is_set():
                ready, _, _ = select.select([self._client, server], [], [], _TICK_SECONDS)
                if self._client in ready and not (self._take() and self._forward(server)):
                    return
                if server in ready:
                    answer = server.recv(PIECE)
                    if not answer or not self._send(answer):
                        return

    def _shake_hands(self) -> bool:
        try:
            self._secure.do_handshake()
        except ssl.SSLWantReadError:
            self._flush()
            return False
        self._flush()
        return True

    def _flush(self) -> None:
        records = self._outgoing.read()
        if self._relay.current_act == HALF_HANDSHAKE and records:
            self._client.sendall(records[: len(records) // 2])
            self._relay.over.wait()
            raise ConnectionAbortedError
        if records:
            self._client.sendall(records)

    def _take(self) -> bool:
        """Take what the client sent; returns whether there was something."""
        piece = self._client.recv(PIECE)
        self._incoming.write(piece)
        return bool(piece)

    def _forward(self, server: socket.socket) -> bool:
        """Send the server what the client's records hold; returns whether the client goes on."""
        while True:
            try:
                request = self._secure.read(PIECE)
            except ssl.SSLWantReadError:
                self._flush()
                return True
            if not request:
                return False
            server.sendall(request)

    def _send(self, answer: bytes) -> bool:
        """Send the client an answer, broken as the act says; returns whether the connection goes on."""
        act = self._relay.current_act
        if act == "a close in an answer":
            self._secure.write(answer[: len(answer) // 2])
            with suppress(ssl.SSLError):
                self._secure.unwrap()  # sends close_notify, and wants the client's
            self._client.sendall(self._outgoing.read())
            return False
        if act == "records of one byte":
            for byte in answer:
                self._secure.write(bytes([byte]))
        else:
            self._secure.write(answer)
        return self._send_records(self._outgoing.read(), act)

    def _send_records(self, records: bytes, act: str) -> bool:
        if act == "one byte per packet":
            for byte in records:
                self._client.sendall(bytes([byte]))
            return True
        half = records[: len(records) // 2]
        sent: dict[str, bytes] = {
            "a bit is another": records[:RECORD_HEAD] + bytes([records[RECORD_HEAD] ^ 1]) + records[RECORD_HEAD + 1 :],
            "a record is lost": b"",
            "a record comes twice": records * 2,
            "an alert between records": ALERT + records,
            "a plain record between": b"\x17\x03\x03\x00\x05hello" + records,
            "cut in a record": half,
            "closed without a word": records[:0],
            "silent in a record": half,
            "reset": half,
        }
        self._client.sendall(sent.get(act, records))
        if act == "silent in a record":
            self._relay.over.wait()
        if act == "reset":
            self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        return act not in ("cut in a record", "closed without a word", "reset", "silent in a record")

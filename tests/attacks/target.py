"""A counting HTTP server with Python's library alone: the laboratory's counts are compared with its own.

    target.py PORT [--until-eof]

It counts in a file that outlives it, `PORT-PID` in the folder ATTACK_COUNTS: whole requests, right answers, other answers, and
requests for what a redirection named. Only a POST is counted. Any other GET than /count only asks whether it is up. After
ATTACK_AFTER requests it answers as ATTACK_LIE says. With --until-eof it ends with its standard input.
"""

import gzip
import mmap
import os
import socket
import struct
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

TEXT = b'{"done": true, "text": "' + b"weighed " * 16 + b'"}'
PACKED = gzip.compress(TEXT, mtime=0)  # the clock may be that of an attack
WRONG = TEXT.replace(b'"done": true', b'"tune": true')
FIELD = b"Content-Type: application/json\r\n"
LAYOUT = struct.Struct("<QQQQ")  # asked, right, other, strayed
LONGEST_LINE = 65_536
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: close with a reset
FOREVER = 3600.0
ENDLESS_PIECES = 4_000  # of 64 KiB: a client that reads all of it has no limit


def head(length: object, *fields: bytes, status: bytes = b"200 OK") -> bytes:
    """The head of an answer that claims this length."""
    return b"HTTP/1.1 %s\r\n%s%sContent-Length: %s\r\n\r\n" % (status, FIELD, b"".join(fields), str(length).encode())


def chunked(*pieces: bytes) -> bytes:
    """An answer in chunks, as far as the pieces go."""
    return b"HTTP/1.1 200 OK\r\n" + FIELD + b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(pieces)


def chunk(data: bytes) -> bytes:
    """One chunk."""
    return b"%x\r\n%s\r\n" % (len(data), data)


RIGHT = head(len(TEXT)) + TEXT
HALF = len(TEXT) // 2
# What each lie sends, with the seconds that it waits in between. Then the connection is closed, unless the lie is in OPEN.
LIES: dict[str, list[bytes | float]] = {
    "length-too-long": [head(len(TEXT) + 50) + TEXT],
    "length-too-short": [head(len(TEXT) - 20) + TEXT],
    "length-negative": [head(-5) + TEXT],
    "length-huge": [head(10**30) + TEXT],
    "length-not-a-number": [head("many") + TEXT],
    "lengths-differ": [head(len(TEXT), b"Content-Length: 7\r\n") + TEXT],
    "length-and-chunks": [head(len(TEXT), b"Transfer-Encoding: chunked\r\n") + TEXT],
    "chunks-cut": [chunked(chunk(TEXT[:HALF]))],
    "chunk-size-wrong": [chunked(b"zz\r\n", TEXT)],
    "chunk-size-huge": [chunked(b"ffffffffffffffffff\r\n", TEXT)],
    "unfinished": [head(len(TEXT)) + TEXT[:HALF], FOREVER],
    "head-unfinished": [b"HTTP/1.1 200 OK\r\nContent-", FOREVER],
    "no-answer": [FOREVER],
    "closed-early": [],
    "closed-in-head": [b"HTTP/1.1 200"],
    "garbage": [b"\x00\xff\x16\x03HELLO\r\n\r\n" * 20],
    "other-protocol": [b"SSH-2.0-OpenSSH_9.2\r\n"],
    "head-of-2-MB": [b"HTTP/1.1 200 OK\r\nX: " + b"y" * 2_000_000 + b"\r\n" + FIELD + b"\r\n" + TEXT],
    "fields-100000": [b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 100_000 + b"\r\n" + TEXT],
    "status-500": [head(len(TEXT), status=b"500 No") + TEXT],
    "status-999": [head(len(TEXT), status=b"999 Yes") + TEXT],
    "redirection": [head(0, b"Location: /elsewhere\r\n", status=b"302 Found")],
    "false-gzip": [head(len(TEXT), b"Content-Encoding: gzip\r\n") + TEXT],
    "gzip-unasked": [head(len(PACKED), b"Content-Encoding: gzip\r\n") + PACKED],
    "utf-16": [head(len(TEXT.decode().encode("utf-16"))) + TEXT.decode().encode("utf-16")],
    "nulls": [head(1000) + bytes(1000)],
    "wrong-text": [head(len(WRONG)) + WRONG],
    "two-answers": [RIGHT + RIGHT],
    "answer-to-nobody": [RIGHT, 0.05, RIGHT],
    "endless": [chunked(), *[chunk(b"x" * 65_536)] * ENDLESS_PIECES],
    "drip": [part for byte in RIGHT for part in (bytes([byte]), 0.002)],
    "interim": [b"HTTP/1.1 100 Continue\r\n\r\n" * 50 + RIGHT],
    "in-chunks": [chunked(*(chunk(bytes([byte])) for byte in TEXT), b"0\r\n\r\n")],
    "late": [0.7, RIGHT],
    "miscount": [RIGHT],  # its answer at /count is wrong
}
# Right answers in an unusual form. A request that does not say which content codings it accepts accepts gzip (RFC 9110, 12.5.3).
TRUE = {"gzip-unasked", "answer-to-nobody", "drip", "interim", "in-chunks", "late", "miscount"}
OPEN = {
    *TRUE,
    "length-too-short",
    "status-500",
    "status-999",
    "redirection",
    "utf-16",
    "nulls",
    "wrong-text",
    "two-answers",
}


class Counts:
    """The counts in a file that both this process and its observers see."""

    def __init__(self, path: Path) -> None:
        path.write_bytes(bytes(LAYOUT.size))
        with path.open("rb+") as file:
            self._shared = mmap.mmap(file.fileno(), LAYOUT.size)
        self._counts = [0] * 4
        self._lock = threading.Lock()

    def add(self, *, asked: int = 0, right: int = 0, other: int = 0, strayed: int = 0) -> int:
        """Add to the counts; returns the number of requests so far."""
        with self._lock:
            self._counts = [
                count + more for count, more in zip(self._counts, (asked, right, other, strayed), strict=True)
            ]
            LAYOUT.pack_into(self._shared, 0, *self._counts)
            return self._counts[0]


def read_request(stream: BinaryIO) -> tuple[bytes, bytes] | None:
    """Method and path of the next whole request; None at the end."""
    words = stream.readline(LONGEST_LINE).split()
    if len(words) != 3:
        return None
    length = 0
    while (field := stream.readline(LONGEST_LINE)) not in (b"\r\n", b"\n"):
        if not field:
            return None
        name, _, value = field.partition(b":")
        length = int(value) if name.strip().lower() == b"content-length" else length
    return (words[0], words[1]) if len(stream.read(length)) == length else None


def answer(connection: socket.socket, parts: list[bytes | float]) -> None:
    """Send the parts of an answer, and wait in between."""
    for part in parts:
        if isinstance(part, float):
            time.sleep(part) if part < FOREVER else connection.recv(1)  # until the client closes, or speaks again
        else:
            connection.sendall(part)


def serve(connection: socket.socket, counts: Counts, lie: str, after: int) -> None:
    """Answer the requests of one connection."""
    with connection, connection.makefile("rb") as stream:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while (request := read_request(stream)) is not None:
            method, path = request
            if method != b"POST":
                strayed = path.startswith(b"/elsewhere")
                asked = counts.add(strayed=int(strayed))
                asked += asked // 3 if lie == "miscount" else 0
                connection.sendall(head(len(str(asked))) + str(asked).encode())
                continue
            lies = counts.add(asked=1, strayed=int(path.startswith(b"/elsewhere"))) > after and bool(lie)
            true = not lies or lie in TRUE
            counts.add(right=int(true), other=int(not true))  # before it is sent: the client may end us at once
            if lies and lie == "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                return
            answer(connection, LIES[lie] if lies else [RIGHT])
            if lies and lie not in OPEN:
                return


def guarded(connection: socket.socket, counts: Counts, lie: str, after: int) -> None:
    """`serve`, until the client is gone."""
    with suppress(OSError, ValueError):
        serve(connection, counts, lie, after)


def end_with_input_later() -> None:
    """End this process once its standard input ends."""

    def end() -> None:
        sys.stdin.buffer.read()
        os._exit(0)

    threading.Thread(target=end, daemon=True).start()


def main() -> None:
    """Serve until killed."""
    port = int(sys.argv[1])
    lie, after = os.environ.get("ATTACK_LIE", ""), int(os.environ.get("ATTACK_AFTER", "0"))
    if "--until-eof" in sys.argv[2:]:
        end_with_input_later()
    listener = socket.create_server(("127.0.0.1", port), backlog=256)
    port = listener.getsockname()[1]
    counts = Counts(Path(os.environ["ATTACK_COUNTS"]) / f"{port}-{os.getpid()}")
    print(port, flush=True)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=guarded, args=(connection, counts, lie, after), daemon=True).start()


if __name__ == "__main__":
    main()

"""A server of one worker that takes exactly 10 ms a request, in the order in which they come: its limits are known by theory.

The worker is one of arithmetic: a request is done 10 ms after it came, or after the one before it was done. So a busy machine
delays an answer, but takes no capacity away. Past `most_waiting` requests in line it refuses with status 503, where that is given.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 0.010


class OneWorker:
    """Answers any request with 200 once the worker has done it."""

    def __init__(self, most_waiting: int | None = None) -> None:
        self.free = 0.0
        self.answered = 0
        self.most_waiting = most_waiting

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, kept open."""
        clock = asyncio.get_running_loop()
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                came = clock.time()
                length = next(
                    (int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"content-length:")), 0
                )
                await reader.readexactly(length)
                status = b"200 OK"
                if self.most_waiting is not None and self.free - came > self.most_waiting * SECONDS:
                    status = b"503 Busy"
                else:
                    self.free = max(self.free, came) + SECONDS
                    await asyncio.sleep(self.free - clock.time())
                self.answered += 1
                writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 2\r\n\r\nok")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()


@contextmanager
def one_worker(most_waiting: int | None = None) -> Iterator[tuple[str, OneWorker]]:
    """The address of such a server while it runs, and itself."""
    worker, loop = OneWorker(most_waiting), asyncio.new_event_loop()
    listening = loop.run_until_complete(asyncio.start_server(worker.serve, "127.0.0.1", 0, backlog=1000))
    running = threading.Thread(target=loop.run_forever, daemon=True)
    running.start()
    try:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/", worker
    finally:
        loop.call_soon_threadsafe(loop.stop)
        running.join()
        listening.close()

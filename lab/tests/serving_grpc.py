"""A gRPC server on loopback by Google's library."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import grpc


@contextmanager
def serving(handler: grpc.GenericRpcHandler, threads: int) -> Iterator[str]:
    """The address of a server with this handler, which answers on so many threads."""
    running = grpc.server(ThreadPoolExecutor(threads), handlers=[handler])
    port = running.add_insecure_port("127.0.0.1:0")
    running.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        running.stop(None).wait()

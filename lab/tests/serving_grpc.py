"""A gRPC server on loopback by Google's library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import grpc


class EveryCall(grpc.GenericRpcHandler):
    """Answers every call by a function of its path, message and context: methods named Watch by `stream`, all others by `unary`."""

    def __init__(
        self,
        unary: Callable[[str, bytes, Any], bytes],
        stream: Callable[[str, bytes, Any], Iterator[bytes]] | None = None,
    ) -> None:
        self._unary, self._stream = unary, stream

    def service(self, call: Any) -> Any:
        if self._stream is not None and call.method.endswith("/Watch"):
            return grpc.unary_stream_rpc_method_handler(partial(self._stream, call.method))
        return grpc.unary_unary_rpc_method_handler(partial(self._unary, call.method))


@contextmanager
def serving(handler: grpc.GenericRpcHandler | None = None, threads: int = 4, port: int = 0) -> Iterator[str]:
    """The address of a server with this handler (None: it knows no call), which answers on so many threads."""
    running = grpc.server(ThreadPoolExecutor(threads), handlers=[] if handler is None else [handler])
    port = running.add_insecure_port(f"127.0.0.1:{port}")
    running.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        running.stop(None).wait()

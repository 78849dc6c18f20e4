"""The mock server: an ASGI application with configured delay and share of failures that counts its requests."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus

from ...base.asgi import Receive, Scope, Send
from ...base.loopback_server import (
    listening_on,
    serve_http2_until_interrupted,
    serve_until_interrupted,
    whole_body,
)
from ...base.paths import url
from ...models.job import Think
from ...models.outputs.trying import MockOperation, MockOutput
from .answers import MockAnswer, fault
from .known import MockedOperation, MockedService, MockRequest, soap_action
from .served_wsdl import served_wsdl

MOST_BYTES = 64 * 2**20  # of a request


class StandIn:
    """Answers the operations of `mocked` after a pause of `delay`.

    A share `fail` of the answers are failures, drawn from `seed` in the order of requests.
    """

    def __init__(self, mocked: MockedService, delay: Think, fail: float, seed: int) -> None:
        self._mocked = mocked
        self._wsdl = served_wsdl(mocked.service)
        self._is_grpc = mocked.service.model.meaning == "grpc"
        self._delay = delay
        self._fail = fail
        self._pauses, self._failures = (random.Random(f"{of} {seed}") for of in ("pauses", "failures"))
        self.answered: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.unknown = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        body = await whole_body(receive, MOST_BYTES)
        path = scope["raw_path"].decode("latin-1")
        if scope["query_string"]:
            path += f"?{scope['query_string'].decode('latin-1')}"
        if body is None:
            answer = _plain(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {MOST_BYTES >> 20} MiB were sent")
        else:
            headers_sent = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope.get("headers", [])}
            request = MockRequest(scope["method"], path, body, soap_action(headers_sent))
            answer = self._description(scope, path) or await self._answer(request)
        await _send(answer, scope["method"], send)

    def _description(self, scope: Scope, path: str) -> MockAnswer | None:
        """The service's WSDL, or a part of it, if a path requests one."""
        if self._wsdl is None or scope["method"] != "GET":
            return None
        host, port = scope["server"]
        document = self._wsdl.document(path, f"{scope['scheme']}://{host}:{port}")
        if document is None:
            return None
        return MockAnswer(HTTPStatus.OK, "text/xml; charset=utf-8", document, "the service's WSDL")

    async def _answer(self, request: MockRequest) -> MockAnswer:
        counter = self._mocked.service.model.counter
        if counter is not None and (request.method, request.path) == ("GET", counter):
            return _plain(HTTPStatus.OK, str(self.answered.total() + self.failed.total()))
        known = self._mocked.answer(request)
        if known is None:
            self.unknown += 1
            return self._refusal("no mocked operation matches this request")
        operation, answer = known
        fails = self._failures.random() < self._fail
        (self.failed if fails else self.answered)[operation.name] += 1
        await asyncio.sleep(self._pause_seconds())
        return self._failure(operation, request) if fails else answer

    def _refusal(self, why: str) -> MockAnswer:
        """The answer to a request that no operation matches."""
        if not self._is_grpc:
            return _plain(HTTPStatus.NOT_FOUND, why)
        from .grpc_answers import UNIMPLEMENTED, grpc_failure

        return grpc_failure(UNIMPLEMENTED, why)

    def _failure(self, operation: MockedOperation, request: MockRequest) -> MockAnswer:
        """The answer to a request that fails deliberately."""
        if operation.envelope is not None:
            return fault(request.body, "a failure")
        why = "the mock server fails this request deliberately (--fail)"
        if not self._is_grpc:
            return _plain(HTTPStatus.SERVICE_UNAVAILABLE, why)
        from .grpc_answers import UNAVAILABLE, grpc_failure

        return grpc_failure(UNAVAILABLE, why)

    def _pause_seconds(self) -> float:
        if self._delay.kind == "none":
            return 0.0
        least, most = self._delay.ms, max(self._delay.ms, self._delay.to_ms)
        return (self._pauses.uniform(least, most) if most > least else least) / 1000


def stand_in(
    mocked: MockedService,
    port: int,
    app: StandIn,
    *,
    seconds: float | None,
    ready: Callable[[str], None],
) -> MockOutput:
    """Serve `app` on 127.0.0.1 (`port` 0: a free one), call `ready` with its address, and return the counts of answers
    at the end."""
    with listening_on(port) as (listening, bound):
        address = url(bound, "")
        ready(address)
        serve = serve_http2_until_interrupted if mocked.service.model.meaning == "grpc" else serve_until_interrupted
        serve(app, listening, seconds)
    return MockOutput(
        service=mocked.service.name,
        address=address,
        operations=[
            MockOperation(
                operation=operation.name,
                origin=operation.usual.origin,
                answered=app.answered[operation.name],
                failed=app.failed[operation.name],
            )
            for operation in mocked.operations
        ],
        unknown=app.unknown,
        left_out=list(mocked.left_out),
    )


async def _send(answer: MockAnswer, method: str, send: Send) -> None:
    has_trailers = bool(answer.trailers)
    headers = [] if has_trailers else [(b"content-length", str(len(answer.body)).encode())]
    if answer.body or has_trailers:
        headers.append((b"content-type", answer.content_type.encode("latin-1")))
    start = {"type": "http.response.start", "status": int(answer.status), "headers": headers, "trailers": has_trailers}
    await send(start)
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else answer.body})
    if has_trailers:
        fields = [(name.encode(), value.encode("latin-1")) for name, value in answer.trailers.items()]
        await send({"type": "http.response.trailers", "headers": fields})


def _plain(status: HTTPStatus, text: str) -> MockAnswer:
    return MockAnswer(status, "text/plain; charset=utf-8", text.encode(), "")

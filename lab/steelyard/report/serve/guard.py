"""Access control: only this machine under its own names, only with the token, and a policy for the browser."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import MutableMapping
from typing import Any

from starlette.responses import PlainTextResponse

from ...base.asgi import Asgi, Receive, Scope, Send
from ...base.paths import HOST_NAMES

PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# A stored report may come from anywhere: its script runs in an origin of its own, without network access.
REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:; font-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
_ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
STORED = "stored"


class Guard:
    """Lets requests pass that name this machine in `Host` and start with the token, or, below `/stored/`, with a run's key.

    A run's files have an address without the token, so that a script in a foreign report cannot learn it. Pages of other sites
    get no permission to read answers (no CORS), and their posts are refused.
    """

    def __init__(self, app: Asgi, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._hosts = {f"{name}:{port}" for name in HOST_NAMES}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse with 403."""
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await PlainTextResponse(refusal + "\n", 403, headers=_ALWAYS)(scope, receive, send)
            return

        async def with_policy(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                for name, value in {**_ALWAYS, "content-security-policy": PAGE_POLICY}.items():
                    if name.encode() not in given:
                        message["headers"].append((name.encode(), value.encode()))
            await send(message)

        await self._app(scope, receive, with_policy)

    def _refusal(self, scope: Scope) -> str | None:
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        hosts = [value for name, value in headers if name == "host"]
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return "this page answers only under the address of this machine"
        own = {f"http://{host}" for host in self._hosts}  # a form of a page without referrers names no site
        named = [value for name, value in headers if name == "origin" and "://" in value]
        if scope["method"] == "POST" and not own.issuperset(named):
            return "pages of other sites may not request this"
        first, _, rest = str(scope["path"]).removeprefix("/").partition("/")
        if first == STORED:
            key, _, below = rest.partition("/")
            right = hmac.compare_digest(key.encode(), key_of(self._token, below.partition("/")[0]).encode())
            return None if right else "this address lacks the run's key"
        if hmac.compare_digest(first.encode(), self._token.encode()):
            return None
        return "this address lacks the token that `steelyard serve` printed"


def key_of(token: str, run: str) -> str:
    """The key for the files of one run only."""
    return hmac.new(token.encode(), run.encode(), hashlib.sha256).hexdigest()[:32]

"""The shop of the guide of sessions, which lies: `lying_shop.py SHOP PORT`, with SHOP the guide's program.

It counts as target.py does, in the same variables and files, and besides its orders, log-ins and broken rules in `PORT.json` of the
folder ATTACK_SHOP. An answer 401, after which a user logs in again, is a right one.
"""

import importlib.util
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

INJECTED = "X-Injected"
TOKENS: dict[str, object] = {
    "token-huge": "t" * 1_000_000,
    "token-with-a-line": f"abc\r\n{INJECTED}: yes",
    "token-with-quotes": "\"}'\\{{user}}",
    "token-empty": "",
    "token-null": None,
    "token-a-list": ["abc"],
    "token-beyond-ascii": "Größe 秤",
}
LIES = (*TOKENS, "no-token", "no-form", "login-refused", "always-expired", "forgets-tokens", "orders-anything")
FORGETS_EVERY = 7  # requests
Answer = tuple[int, dict[str, object]]


def module_of(path: Path) -> ModuleType:
    """A program as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lying(answer: Answer, path: str, lie: str) -> Answer:
    """The answer to a request for this path, as the lie has it."""
    status = answer[0]
    if path == "/login":
        instead: dict[str, Answer] = {"no-token": (200, {}), "login-refused": (500, {"error": "no"})}
        instead |= {name: (200, {"token": token}) for name, token in TOKENS.items()}
        return instead.get(lie, answer) if status == 200 else answer
    if path == "/cart" and lie == "no-form":
        return 200, {"items": []}
    if path == "/orders" and lie == "orders-anything":
        return 200, {"done": True}
    return (401, {"error": "the token has expired"}) if lie == "always-expired" else answer


def main() -> None:
    """Serve until killed."""
    module, port = module_of(Path(sys.argv[1])), int(sys.argv[2])
    target = module_of(Path(__file__).with_name("target.py"))
    lie, after = os.environ.get("ATTACK_LIE", ""), int(os.environ.get("ATTACK_AFTER", "0"))

    class LyingShop(module.Shop):  # type: ignore[name-defined, misc]
        """The shop with its counts in files."""

        def begin(self, place: str) -> None:
            self.totals = target.Counts(Path(os.environ["ATTACK_COUNTS"]) / f"{place}-{os.getpid()}")
            self.file = Path(os.environ["ATTACK_SHOP"]) / f"{place}.json"
            self.injected = 0

        def answer(self, method: str, target: str, token: str, body: str) -> Answer:
            asked = self.totals.add(asked=1)
            if lie == "forgets-tokens" and asked % FORGETS_EVERY == 0:
                self.tokens.clear()
            true: Answer = super().answer(method, target, token, body)
            given = lying(true, target, lie) if lie and asked > after else true
            # For who does not know the shop, any token is one, and each 401 says that a token has expired.
            is_true = given == true or lie in TOKENS or given[0] == 401
            right = is_true and given[0] in (200, 201, 401)
            self.totals.add(right=int(right), other=int(not right))
            self.file.write_text(json.dumps({**self.counts, "injected": self.injected}))
            return given

    class Handler(module.Handler):  # type: ignore[name-defined, misc]
        """Also looks for a header that only a token could have brought."""

        shop = LyingShop()

        def parse_request(self) -> bool:
            parsed: bool = super().parse_request()
            headers: Mapping[str, Any] = self.headers if parsed else {}
            self.shop.injected += INJECTED in headers
            return parsed

    with module.Server(("127.0.0.1", port), Handler) as server:
        Handler.shop.begin(str(server.server_address[1]))
        target.end_with_input_later()
        print(server.server_address[1], flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()

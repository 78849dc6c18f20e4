"""Bad requests that every server must refuse and survive, and a check that no answer reveals a file of its machine."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..base.errors import ContractError
from ..base.http_client import PLAIN, Access, Answer
from ..catalogue.entries import Entry
from ..hosts.subject import BUSY_HEADER
from ..models.service import Service
from . import exchanges
from .body_format import BadRequest, BodyFormat, Echo
from .body_formats import meaning_of
from .contract import conversation, merge_headers, request_headers

LEAK = "leak"  # the name of a failure that no deviation allows


def bad_requests(service: Entry[Service], file: Path) -> list[BadRequest]:
    """Requests that every server must refuse as its body format defines, and survive.

    One requests the content of `file` if the format allows it. Besides these, which fit any service of this format, the
    contract has its own in contract/bad/<name>.request.xml (or the ending of its requests).
    """
    meaning, written = meaning_of(service), exchanges.contract_exchanges(service)
    first = written[0][1]
    good = meaning.body(first.request)
    ending = f".request.{meaning.request_ending}"
    own = sorted((service.folder / "contract" / "bad").glob(f"*{ending}"))
    operation = next(iter(service.model.operations))
    bad_requests = [
        *meaning.bad_requests(written, file),
        *(BadRequest(path.name.removesuffix(ending), path.read_bytes(), operation) for path in own),
    ]
    if not (service.model.generate and meaning.has_headers):  # a user's own service does not know that header
        return bad_requests
    return [
        *bad_requests,
        BadRequest("busy-beyond-a-second", good, first.operation, {BUSY_HEADER: "1000000.5"}),
        BadRequest("busy-no-number", good, first.operation, {BUSY_HEADER: "NaN"}),
    ]


def refuse(service: Entry[Service], url: str, access: Access = PLAIN) -> dict[str, str]:
    """Send each bad request to `url`, and return the failures by name; empty if all were refused properly.

    `access` configures the connection. An answer with the content of a file is under `LEAK`, and so is a check for
    leaks that could not work.
    """
    wrong: dict[str, str] = {}
    meaning = meaning_of(service)
    with _secret_file() as (file, secret):
        for bad in bad_requests(service, file):
            try:
                answer = _send_request(service, url, bad, access)
            except ContractError as error:
                wrong[bad.name] = error.message
                continue
            if secret in meaning.readable(answer.unpack()):
                wrong[LEAK] = f"the answer to {bad.name} holds the content of a file of the server's machine"
            reason = meaning.refusal_problem(answer)
            if reason is not None:
                wrong[bad.name] = reason
    echo = meaning.echo(exchanges.contract_exchanges(service))
    if echo is not None and not _echoes(service, url, echo, access, meaning):
        wrong.setdefault(LEAK, "leaks cannot be detected: the answer did not repeat a text of the request")
    return wrong


def _send_request(service: Entry[Service], url: str, bad: BadRequest, access: Access) -> Answer:
    """The answer to one request on its own connection; raises ContractError if there is none."""
    operation = service.model.operations[bad.operation]
    headers = merge_headers(request_headers(service.model, bad.operation, access.headers), bad.headers)
    talk = conversation(service, url, authority=access.authority)
    try:
        return talk.ask(operation.method, operation.path or "", bad.body, headers)
    finally:
        talk.close()


@contextmanager
def _secret_file() -> Iterator[tuple[Path, bytes]]:
    """A world-readable file, and its unique content."""
    secret = secrets.token_hex(16).encode()
    with tempfile.NamedTemporaryFile(prefix="steelyard-secret-") as file:
        file.write(secret)
        file.flush()
        path = Path(file.name)
        path.chmod(0o644)
        yield path, secret


def _echoes(service: Entry[Service], url: str, echo: Echo, access: Access, meaning: BodyFormat) -> bool:
    """Whether the operation of the leak test repeats a text of its request."""
    text = f"said{secrets.token_hex(8)}"
    try:
        answer = _send_request(service, url, BadRequest("echo", echo.with_text(text), echo.operation), access)
    except ContractError:
        return False
    return text.encode() in meaning.readable(answer.unpack())

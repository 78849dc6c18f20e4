"""A service's requests as curl commands (or commands of the RMI driver): one per operation, with its body in an
editable file."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from ..base.http_client import Access
from ..catalogue.entries import Entry
from ..catalogue.formats import http2_of, rmi_of
from ..models.service import Exchange, Service
from . import exchanges
from .body_format import BodyFormat
from .body_formats import meaning_of
from .contract import merge_headers, request_headers
from .rmi_client import ask_command
from .wildcards import HOLE

_SEED = 1
_ANSWER_SECONDS = 30.0


@dataclass(frozen=True)
class CurlRequest:
    """A request that can be sent by hand: its command, and its body as text; both None if it needs a session that other
    requests begin."""

    operation: str
    command: str | None = None
    body: str | None = None


def commands(
    service: Entry[Service], url: str, folder: Path, *, access: Access, deviations: Collection[str]
) -> list[CurlRequest]:
    """A request for each operation of the service at `url`, with `access`; bodies are written to `folder`.

    Exchanges in `deviations` are not used, since this product answers them differently. Raises ContractError if there
    is no exchange to show.
    """
    written = [exchange for name, exchange in exchanges.contract_exchanges(service) if name not in deviations]
    requests = []
    for operation in service.model.operations:
        exchange = _sample(service, [each for each in written if each.operation == operation], operation)
        requests.append(
            CurlRequest(operation)
            if exchange is None
            else CurlRequest(operation, _command(service, url, folder, exchange, access), exchange.request or None)
        )
    return requests


def _sample(service: Entry[Service], written: list[Exchange], operation: str) -> Exchange | None:
    """The exchange of median length among those that are no faults and need no session; if the contract has none, the
    generator's first."""
    alone = sorted(filter(_stands_alone, written), key=lambda exchange: len(exchange.request))
    if alone:
        return alone[len(alone) // 2]
    made = islice(exchanges.generate_exchanges(service, operation, seed=_SEED, count=1, parameters={}), 1)
    return next(filter(_stands_alone, made), None)


def _stands_alone(exchange: Exchange) -> bool:
    return not (exchange.fault or exchange.filled or HOLE.search(exchange.request))


def _command(entry: Entry[Service], url: str, folder: Path, exchange: Exchange, access: Access) -> str:
    if rmi_of(entry) is not None:
        return _call(entry, url, folder, exchange)
    service = entry.model
    operation, meaning = service.operations[exchange.operation], meaning_of(entry)
    method = exchange.method or operation.method
    headers = merge_headers(request_headers(service, exchange.operation, access.headers), exchange.headers)
    words = ["curl", "-sS", *(["--http2-prior-knowledge"] if http2_of(entry) else [])]
    words += [] if access.authority is None else ["--cacert", str(access.authority)]
    if exchange.request or method != "GET":
        file = _body_file(meaning, folder, exchange)
        words += ["-X", method] if method != "POST" else []
        words += [word for name, value in headers.items() for word in ("-H", f"{name}: {value}")]
        words += ["--data-binary", f"@{file}"]
    else:
        bare = {name: value for name, value in headers.items() if name.lower() != "content-type"}
        words += [word for name, value in bare.items() for word in ("-H", f"{name}: {value}")]
    return shlex.join([*words, urljoin(url, exchange.path or operation.path or "")])


def _call(entry: Entry[Service], url: str, folder: Path, exchange: Exchange) -> str:
    """The command for Java RMI: a line of a file, which the driver reads from its standard input."""
    calls, place = rmi_of(entry), urlsplit(url)
    assert calls is not None
    path = exchange.path or entry.model.operations[exchange.operation].path or place.path
    file = folder / f"{exchange.operation}.json"
    file.write_text(json.dumps({"path": path, "body": exchange.request}) + "\n", encoding="utf-8")
    return f"{shlex.join(ask_command(place.hostname or '', place.port or 0, calls, _ANSWER_SECONDS))} < {shlex.quote(str(file))}"


def _body_file(meaning: BodyFormat, folder: Path, exchange: Exchange) -> Path:
    file = folder / f"{exchange.operation}.{meaning.request_ending}"
    file.write_bytes(meaning.body(exchange.request))
    return file

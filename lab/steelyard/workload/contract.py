"""The contract test: a subject must answer every exchange correctly, in every spelling, before any measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..base.errors import ContractError
from ..base.http_client import PLAIN, Access, HttpClient, trusted_context
from ..catalogue.entries import Entry
from ..catalogue.formats import deviations_in, http2_of, rmi_of
from ..models.service import Exchange, Service
from . import exchanges, wildcards
from .body_format import BodyFormat, Spelling
from .body_formats import MEANINGS, meaning_of

if TYPE_CHECKING:
    from ..base.http2_client import Http2Client
    from .rmi_client import RmiClient

RANDOM_EXCHANGES = 3
_NONE: Mapping[str, str] = MappingProxyType({})


def verify(
    service: Entry[Service],
    url: str,
    *,
    seed: int,
    all_spellings: bool = True,
    subject: str = "",
    access: Access = PLAIN,
    deviations: Mapping[str, str] = _NONE,
    floor: bool = False,
) -> int:
    """Run the contract test and return the number of requests; raises ContractError on the first wrong answer, with the
    exchange's name and the `subject`, or the URL if none is given.

    `access` configures the connection. Exchanges with places that are filled under load are left out: their answers are
    checked under load, each by its rule and samples in full.

    `deviations` are the product's known ones, from its descriptor, and are left out: an exchange as
    `<operation>/<name>`, a spelling as `spelling/<name>`, or `<service>/spelling/<name>` for one service; for one
    format, prefixed with its name and a slash.

    `all_spellings = False` sends each exchange only as given: the short form for forks after the first. `floor = True`
    does so too: a floor server supports no other spelling (Server.floor).
    """
    verified = 0
    known = deviations_in(service, deviations)
    with Questioner(service, url, access) as questioner:
        for name, exchange in all_exchanges(service, seed):
            if name in known or exchange.filled:
                continue
            right = b""
            exchange = _with_remembered_values(exchange, questioner.meaning, name)
            for spelling in islice(questioner.meaning.spellings(exchange), None if all_spellings and not floor else 1):
                key = f"spelling/{spelling.name}"
                if key in known or f"{service.name}/{key}" in known:
                    continue
                try:
                    right = questioner.ask(exchange, spelling, right)
                except ContractError as error:
                    where = f"breaks the contract of {service.name} at {name} in the spelling '{spelling.name}'"
                    raise ContractError(f"{subject or url} {where}: {error.message}") from None
                verified += 1
            questioner.meaning.remember()
    return verified


def hold_connection(service: Entry[Service], url: str, access: Access = PLAIN) -> Iterator[None]:
    """Send one exchange repeatedly over a single connection that is never reopened.

    The exchange is the contract's first whose right answer is not a fault, since servers may close the connection after
    a fault. Each step of the iterator is one more right answer; raises ContractError if an answer is missing or wrong.
    """
    with Questioner(service, url, access, once=True) as questioner:
        written = [exchange for _, exchange in exchanges.contract_exchanges(service)]
        exchange = next((each for each in written if not each.fault), written[0])
        as_given = next(questioner.meaning.spellings(exchange))
        right = b""
        while True:
            right = questioner.ask(exchange, as_given, right)
            yield


def first_exchange(service: Entry[Service], operation: str) -> Exchange | None:
    """The contract's first exchange of an operation whose right answer is no fault and which changes nothing, else the first
    such one of any operation; None without any."""
    written = [exchange for _, exchange in exchanges.contract_exchanges(service)]
    fit = [each for each in written if each.safe and not each.fault and not each.filled]
    return next((each for each in fit if each.operation == operation), fit[0] if fit else None)


def right_answers(service: Entry[Service], operation: str) -> Callable[[str, Access], bool] | None:
    """A function that sends a subject `first_exchange` once, by its URL and access, and returns whether the answer was right; it
    raises ContractError where there is no right answer. None without such an exchange, and for a service asked by Java RMI.
    """
    chosen = None if rmi_of(service) is not None else first_exchange(service, operation)
    if chosen is None:
        return None
    as_given = next(meaning_of(service).spellings(chosen))

    def ask(url: str, access: Access) -> bool:
        with Questioner(service, url, access, once=True) as questioner:
            questioner.ask(chosen, as_given)
        return True

    return ask


class Questioner:
    """Sends requests to a subject over one connection, and checks its answers; `access` configures the connection.

    With `once`, the connection is never reopened.
    """

    def __init__(self, service: Entry[Service], url: str, access: Access = PLAIN, *, once: bool = False) -> None:
        self.meaning = meaning_of(service)
        self._service = service.model
        self._headers = access.headers
        self._conversation = conversation(service, url, once=once, authority=access.authority)

    def __enter__(self) -> Questioner:
        return self

    def __exit__(self, *_: object) -> None:
        self._conversation.close()

    def ask(self, exchange: Exchange, spelling: Spelling, right: bytes = b"") -> bytes:
        """The answer to one request; raises ContractError with its difference from the expected answer.

        `right` is an earlier right answer to the same exchange: equal bytes are not checked again.
        """
        operation = self._service.operations[exchange.operation]
        own = {"Content-Type": spelling.content_type} if spelling.content_type else {}
        headers = merge_headers(
            request_headers(self._service, exchange.operation, self._headers), exchange.headers, own
        )
        method, path = exchange.method or operation.method, exchange.path or operation.path or ""
        answer = self._conversation.ask(method, path, spelling.body, headers)
        body = answer.unpack()
        due = self.meaning.status(exchange)
        same = bool(right) and body == right
        difference = self.meaning.check_fields(answer, exchange)
        if difference is None and not same:
            difference = self.meaning.difference(body, exchange.answer, exchange.operation)
        if answer.status != due:
            raise ContractError(
                f"HTTP status {answer.status}, expected {due}" + (f" ({difference})" if difference else "")
            )
        if difference is not None:
            raise ContractError(difference)
        return body


def conversation(
    service: Entry[Service], url: str, *, once: bool = False, authority: Path | None = None
) -> HttpClient | Http2Client | RmiClient:
    """A connection to the service, by HTTP/2 or Java RMI if its format requires it, and TLS if its URL does.

    `authority` is the expected certificate of the server (None: one signed by the system's roots).
    """
    calls = rmi_of(service)
    if calls is not None:
        from .rmi_client import RmiClient

        return RmiClient(url, calls, once=once)
    if http2_of(service) is None:
        return HttpClient(url, once=once, context=trusted_context(authority))
    from ..base.http2_client import Http2Client  # which needs an optional library

    return Http2Client(url, once=once, context=trusted_context(authority))


def all_exchanges(service: Entry[Service], seed: int) -> Iterator[tuple[str, Exchange]]:
    """Every exchange that `verify` sends with this seed, with its name: those of the contract, then random ones."""
    yield from exchanges.contract_exchanges(service)
    for operation in service.model.operations:
        made = exchanges.generate_exchanges(service, operation, seed=seed, count=RANDOM_EXCHANGES, parameters={})
        for number, exchange in enumerate(made, 1):
            yield f"{operation}/random-{number} (seed {seed})", exchange


def _with_remembered_values(exchange: Exchange, meaning: BodyFormat, name: str) -> Exchange:
    """The exchange with its request's wildcards filled from earlier answers."""
    try:
        return exchange.model_copy(update={"request": wildcards.fill(exchange.request, meaning.remembered_values)})
    except ContractError as error:
        raise ContractError(f"{name} cannot be sent: {error.message}") from None


def request_headers(service: Service, operation: str, own: Mapping[str, str] = _NONE) -> dict[str, str]:
    """The headers of a request: the service's and the operation's, which take precedence as in the engine, and a
    subject's `own`."""
    content_type = {"Content-Type": MEANINGS[service.meaning].content_type}
    return merge_headers(own, content_type, service.headers, service.operations[operation].headers)


def merge_headers(*layers: Mapping[str, str]) -> dict[str, str]:
    """Merge headers: of two with the same name (case-insensitive), the later one stays."""
    together: dict[str, tuple[str, str]] = {}
    for layer in layers:
        together |= {name.lower(): (name, value) for name, value in layer.items()}
    return dict(together.values())

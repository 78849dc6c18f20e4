"""The contract test: every exchange, in every spelling, must be answered rightly before anything is measured."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType

from ..base.conversation import Conversation
from ..base.errors import ContractError
from ..catalogue.entries import Entry
from ..models.service import Exchange, Service
from . import exchanges, holes
from .soap import meaning as soap
from .soap.spellings import UTF8, Spelling, respell

RANDOM_EXCHANGES = 3
_NONE: Mapping[str, str] = MappingProxyType({})


def verify(
    service: Entry[Service],
    url: str,
    *,
    seed: int,
    all_spellings: bool = True,
    who: str = "",
    headers: Mapping[str, str] = _NONE,
    deviations: Collection[str] = (),
    floor: bool = False,
) -> int:
    """How many requests were answered rightly; raises ContractError on the first that was not, naming it.

    `headers` are the subject's own, which go with every request. What is filled means nothing outside its session and is left out:
    its answers are judged under load, each by its rule and the sampled ones in full.
    Exchanges and spellings named in `deviations` (the product's own, recorded in its descriptor) are left out: an exchange as
    `<operation>/<name>`, a spelling as `spelling/<name>`.

    `all_spellings = False` sends each exchange as it stands only: the short form for forks after the first.
    `floor = True` does so too: a floor knows no other spelling (Server.floor).
    """
    meaning = soap.Meaning(service.folder / service.model.schema_file)
    conversation = Conversation(url)
    verified = 0
    try:
        for name, exchange in all_exchanges(service, seed):
            if name in deviations or exchange.filled:
                continue
            right = b""
            exchange = _recalled(exchange, meaning, name)
            for spelling in _spellings(exchange, all_spellings and not floor):
                if f"spelling/{spelling.name}" in deviations:
                    continue
                right = _verify_one(
                    service, meaning, conversation, name, exchange, spelling, headers, who or url, right
                )
                verified += 1
            meaning.remember()
    finally:
        conversation.close()
    return verified


def hold(service: Entry[Service], url: str, headers: Mapping[str, str] = _NONE) -> Iterator[None]:
    """Sends the contract's first exchange again and again over one connection that is never opened twice.

    Each step of the iterator is one more right answer; raises ContractError on the first that does not come or is not right.
    """
    meaning = soap.Meaning(service.folder / service.model.schema_file)
    _, exchange = exchanges.written(service)[0]
    spelling = next(_spellings(exchange, all_spellings=False))
    conversation = Conversation(url, once=True)
    right = b""
    try:
        while True:
            right = _ask(service, meaning, conversation, exchange, spelling, headers, right)
            yield
    finally:
        conversation.close()


def all_exchanges(service: Entry[Service], seed: int) -> Iterator[tuple[str, Exchange]]:
    """Every exchange that `verify` asks with this seed, with its name: those of the contract, then random ones."""
    yield from exchanges.written(service)
    for operation in service.model.operations:
        made = exchanges.generated(service, operation, seed=seed, count=RANDOM_EXCHANGES, parameters={})
        for number, exchange in enumerate(made, 1):
            yield f"{operation}/random-{number} (seed {seed})", exchange


def _recalled(exchange: Exchange, meaning: soap.Meaning, name: str) -> Exchange:
    """The exchange with what earlier answers held in the holes of its request."""
    try:
        return exchange.model_copy(update={"request": holes.filled(exchange.request, meaning.remembered)})
    except ContractError as error:
        raise ContractError(f"{name} cannot be asked: {error.message}") from None


def _spellings(exchange: Exchange, all_spellings: bool) -> Iterator[Spelling]:
    yield from respell(exchange.request) if all_spellings else [Spelling("as given", exchange.request.encode())]


def _verify_one(
    service: Entry[Service],
    meaning: soap.Meaning,
    conversation: Conversation,
    name: str,
    exchange: Exchange,
    spelling: Spelling,
    headers: Mapping[str, str],
    who: str,
    right: bytes,
) -> bytes:
    try:
        return _ask(service, meaning, conversation, exchange, spelling, headers, right)
    except ContractError as error:
        where = f"{who} breaks the contract of {service.name} at {name}, spelled with {spelling.name}"
        raise ContractError(f"{where}: {error.message}") from None


def _ask(
    service: Entry[Service],
    meaning: soap.Meaning,
    conversation: Conversation,
    exchange: Exchange,
    spelling: Spelling,
    own_headers: Mapping[str, str],
    right: bytes = b"",
) -> bytes:
    """The answer to one request; raises ContractError that says how it is not the exchange's. `right` needs no look: it is."""
    headers = request_headers(service.model, exchange.operation, own_headers) | exchange.headers
    headers["Content-Type"] = spelling.content_type
    answer = conversation.ask(exchange.method or "POST", exchange.path, spelling.body, headers)
    wanted = 500 if exchange.fault else 200
    difference = None if answer.body == right else meaning.difference(answer.body, exchange.answer)
    if answer.status != wanted:
        raise ContractError(
            f"HTTP status {answer.status}, expected {wanted}" + (f" ({difference})" if difference else "")
        )
    if difference is not None:
        raise ContractError(difference)
    return answer.body


def request_headers(service: Service, operation: str, own: Mapping[str, str] = _NONE) -> dict[str, str]:
    """The headers of a request: the service's and the operation's, which win as they do in the engine, and a subject's `own`."""
    given = {"Content-Type": UTF8, **service.headers, **service.operations[operation].headers}
    names = {name.lower() for name in given}
    return {name: value for name, value in own.items() if name.lower() not in names} | given

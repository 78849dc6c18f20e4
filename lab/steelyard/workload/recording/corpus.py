"""Writes a service folder from recorded traffic: an operation for each method and path, or each kind of SOAP
message."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from ...base.errors import ImportRefusedError
from ...base.text import plural
from ...models.outputs.own_service import ImportOutput
from ..importing.convert_requests import content_of, output_of, own_name, request_name
from ..importing.names import local, printable
from ..importing.new_folder import folder_at, name_of
from ..importing.other_tools.imported_requests import HeldCredentials, HeldRequest, ImportedRequests, LeftOutError
from ..importing.requests_folder import Content, write_requests
from ..load_target import LoadTarget
from .answered import NOT_MODIFIED, expected_rules, kept_answers, right_statuses
from .cleaning import CleanExchange, clean_exchange
from .query_places import with_places
from .remembering import Exchanged, Remembered
from .secret_values import of_all

MOST_SAMPLES = 1_000  # of an operation


def write_corpus(remembered: Remembered, load_target: LoadTarget, out: Path) -> tuple[ImportOutput, Content]:
    """Write the service folder `out`, whole or not at all, from all recorded requests to the server of `asked`.

    Raises ImportRefusedError, with nothing written, if no request can be imported.
    """
    held = ImportedRequests("recorded traffic")
    groups: dict[tuple[object, ...], list[CleanExchange]] = {}
    secrets = of_all(remembered.exchanges)
    for exchanged in remembered.exchanges:
        try:
            clean = clean_exchange(exchanged, load_target.address, held, secrets)
        except LeftOutError as error:
            held.leave_out(_exchange_text(exchanged), str(error))
            continue
        groups.setdefault(clean.key, []).append(clean)
    names: set[str] = set()
    for group in groups.values():
        held.requests.append(_operation(group, names, held))
    if not held.requests and not held.left:
        raise ImportRefusedError(
            f"no request to {load_target.address} was recorded", hint="send requests to the proxy's address"
        )
    _leave_out_secrets(remembered, held)
    content = replace(
        content_of(held, load_target.address, name_of(out), ()),
        verb="record",
        source="the recording",
        declared=_declared_permissions(load_target),
    )
    with folder_at(out) as made:
        write_requests(made, load_target.address, content)
    passed = (
        f"{plural(remembered.passed, 'request')} recorded, {plural(len(remembered.exchanges), 'different request')}"
    )
    return output_of(content, load_target.address, out, [passed]), content


def _declared_permissions(load_target: LoadTarget) -> dict[str, object]:
    """The permissions in the service file of a server on another machine."""
    if not load_target.owned or load_target.contact is None or load_target.max_rate is None:
        return {}
    return {"owned": True, "contact": load_target.contact, "max_rate": load_target.max_rate}


def _leave_out_secrets(remembered: Remembered, held: ImportedRequests) -> None:
    if remembered.set_cookies:
        why = "cookies are secrets of their user; headers of answers are never stored"
        held.leave_out(f"header Set-Cookie of {plural(remembered.set_cookies, 'answer')}", why)
    if remembered.beyond:
        held.leave_out(
            plural(remembered.beyond, "request"),
            "the limit of recorded requests was reached; it was forwarded but not recorded",
        )
    for reason, times in remembered.failed.items():
        held.leave_out(plural(times, "request"), f"the server did not answer: {printable(reason)}")


def _operation(group: list[CleanExchange], names: set[str], held: ImportedRequests) -> HeldRequest:
    """The requests of one operation as one: its bodies are sent in turn, and the varying values of its query become a
    table."""
    statuses = sum((clean.exchanged.statuses for clean in group), Counter[int]())
    right = right_statuses(statuses)
    right_ones = [clean for clean in group if clean.exchanged.answer.status in (*right, NOT_MODIFIED)] or group
    first = right_ones[0].request
    element, action = group[0].soap
    path = first.url.removeprefix("http://").removeprefix("https://").partition("/")[2]
    plain_name = local(element) or action.rstrip("/").rpartition("/")[2] or request_name(first.method, f"/{path}")
    name = own_name(plain_name, names)
    if len(right_ones) < len(group):
        wrong = sorted({clean.exchanged.answer.status for clean in group} - {*right, NOT_MODIFIED})
        why = f"their answers had status {', '.join(map(str, wrong))}, other answers {', '.join(map(str, right))}"
        held.leave_out(f"{len(group) - len(right_ones):,} different requests of {name}", why)
    bodies = list(dict.fromkeys(clean.request.body for clean in right_ones))
    if len(bodies) > MOST_SAMPLES:
        held.leave_out(
            f"{len(bodies) - MOST_SAMPLES:,} requests of {name}", f"at most {MOST_SAMPLES:,} samples are stored"
        )
    url = with_places(name, [clean.request.url for clean in right_ones], held)
    times = sum(clean.exchanged.times for clean in right_ones)
    answered = kept_answers(right_ones, name, held, is_filled=url != first.url)
    return replace(
        first,
        where=f"asked {plural(times, 'time')}",
        name=name,
        url=url,
        headers=_headers(right_ones, name, held),
        body=bodies[0],
        more=tuple(bodies[1:MOST_SAMPLES]),
        times=times,
        expect=expected_rules(right_ones, right),
        credentials=_credentials(right_ones),
        answered=answered,
    )


def _credentials(group: list[CleanExchange]) -> HeldCredentials | None:
    return next((clean.request.credentials for clean in group if clean.request.credentials is not None), None)


def _headers(group: list[CleanExchange], name: str, held: ImportedRequests) -> tuple[tuple[str, str], ...]:
    """The headers that all requests of an operation share; the others are noted as left out."""
    heads = [{field.lower(): value for field, value in clean.request.headers} for clean in group]
    same = []
    for field, value in group[0].request.headers:
        if all(head.get(field.lower()) == value for head in heads):
            same.append((field, value))
        else:
            held.leave_out(f"header {field} of {name}", "its value varies between requests")
    return tuple(same)


def _exchange_text(exchanged: Exchanged) -> str:
    return printable(f"{exchanged.request.method} {exchanged.request.path.partition('?')[0]}", 120)

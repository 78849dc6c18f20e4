"""Derives rules from recorded answers: their status, their kind, and the whole answer if it stayed the same."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from ...base.errors import ContractError
from ..importing.names import local
from ..importing.other_tools.imported_requests import HeldAnswer, HeldRequest, ImportedRequests, LeftOutError
from ..importing.secrets import clean_request
from ..mocking.answers import element_inside
from ..soap.messages import parse
from .cleaning import CleanExchange
from .remembering import MOST_BODY_BYTES
from .secret_values import repeats

NOT_MODIFIED = 304  # becomes a full answer when the conditional header is dropped


def right_statuses(statuses: Mapping[int, int]) -> list[int]:
    """The statuses of a right answer: those of success, or all if there were none."""
    came = sorted(status for status in statuses if status != NOT_MODIFIED and status < 600)
    return [status for status in came if status < 400] or came


def expected_rules(group: Sequence[CleanExchange], right: Sequence[int]) -> dict[str, object]:
    """The rules of [expect] for an operation; `right` are the statuses."""
    expect: dict[str, object] = {"status": list(right)} if right else {}
    answers = [clean.exchanged for clean in group if clean.exchanged.answer.status in right]
    if answers and group[0].soap != ("", ""):
        elements = {local(element_inside(exchanged.answer.body) or "") for exchanged in answers}
        if elements == {"Fault"}:
            expect["fault"] = "present"
        elif "Fault" in elements:
            expect["fault"] = "any"
        elif len(elements) == 1 and elements != {""}:
            expect["contains"] = elements.pop()
    if all(clean.exchanged.is_stable and clean.exchanged.same_bytes for clean in group):
        sizes = [len(clean.exchanged.answer.body) for clean in group]
        expect |= {"least": min(sizes), "most": max(sizes)}
    return expect


def kept_answers(
    group: Sequence[CleanExchange], name: str, held: ImportedRequests, *, is_filled: bool
) -> tuple[HeldAnswer, ...]:
    """The right answers of an operation that can be stored, with their requests; only the first if a table fills the
    path (`is_filled`)."""
    right = right_statuses(sum((clean.exchanged.statuses for clean in group), Counter[int]()))
    bodies = {clean.exchanged.answer.body for clean in group}
    alone = len(bodies) == 1 and all(clean.exchanged.is_stable for clean in group)
    kept: list[HeldAnswer] = []
    reasons: Counter[str] = Counter()
    for clean in group[:1] if is_filled else group:
        exchanged = clean.exchanged
        if exchanged.answer.status not in right or not exchanged.answer.body:
            continue
        try:
            text = _answer(clean)
            kept.append(HeldAnswer(clean.request.body, text, is_right=alone and not kept and _is_json(text)))
        except LeftOutError as error:
            reasons[str(error)] += 1
    for reason, times in reasons.items():
        held.leave_out(f"{times} of the answers to {name}" if times > 1 else f"an answer to {name}", reason)
    return tuple(kept)


def _answer(clean: CleanExchange) -> str:
    """The text of an answer that is expected again; raises LeftOutError if it varied, is not text, or may hold a
    secret."""
    exchanged = clean.exchanged
    body, kind = exchanged.answer.body, exchanged.answer.header("content-type").lower()
    if not exchanged.same_values:
        raise LeftOutError("it was not always the same")
    if len(body) > MOST_BODY_BYTES:
        raise LeftOutError(f"it is larger than {MOST_BODY_BYTES >> 20} MiB")
    if exchanged.answer.header("content-encoding") not in ("", "identity"):
        raise LeftOutError("it was compressed although the request did not allow it")
    if "html" in kind or kind.startswith("multipart/"):
        raise LeftOutError("it is an HTML page or multipart, in which secrets cannot be recognized")
    try:
        text = body.decode()
        if text.lstrip().startswith("<"):
            parse(body)
    except (UnicodeDecodeError, ContractError):
        raise LeftOutError("it is not UTF-8 text, or not well-formed XML") from None
    if clean.is_secret:
        raise LeftOutError("its request contained a secret, which the answer may repeat")
    if repeats(text, clean.secrets) or clean_request(HeldRequest("", "GET", "", body=text)).request.body != text:
        raise LeftOutError("it contains a secret")
    return text


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True

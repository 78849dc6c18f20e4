"""All assertions on one description: which are kept, which are broken and where, and which say nothing about it."""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

from ....base.errors import ImportRefusedError
from ....models.outputs.own_service import AssertionBreak, ComplianceOutput, JudgedAssertion
from ..documents import read_all, read_first
from ..kinds import is_openapi
from ..names import WSDL, one_line
from .assertion import BOTH, Assertion
from .described import Described
from .of_bindings import ASSERTIONS as OF_BINDINGS
from .of_documents import ASSERTIONS as OF_DOCUMENTS
from .of_types import ASSERTIONS as OF_TYPES

ASSERTIONS: tuple[Assertion, ...] = (*OF_DOCUMENTS, *OF_TYPES, *OF_BINDINGS)
MOST_BREAKS = 20  # of one assertion that are listed


def judge_compliance(place: str, also: Sequence[str]) -> ComplianceOutput:
    """Hold the WSDL at `place`, with all that it imports, against every assertion; raises ImportRefusedError where it cannot be
    read, or is no WSDL 1.1."""
    described = described_at(place, also)
    judged = [judged_by(assertion, described) for assertion in ASSERTIONS]
    broken = {
        profile for each in judged if each.verdict == "broken" and each.level == "must" for profile in each.profiles
    }
    return ComplianceOutput(
        source=place,
        documents=len(described.documents),
        conforms=[profile for profile in BOTH if profile not in broken],
        assertions=judged,
    )


def described_at(place: str, also: Sequence[str]) -> Described:
    """The WSDL at `place` with all that it imports; raises ImportRefusedError."""
    raw = read_first(place)
    if is_openapi(raw, place):
        raise ImportRefusedError(f"{place} is no WSDL, which the Basic Profile is about", hint="leave --compliance out")
    documents = read_all(place, also, raw)
    root = documents[0].root
    if root.tag != f"{{{WSDL}}}definitions":
        raise ImportRefusedError(
            f"{place} is no WSDL 1.1: its root is <{one_line(str(root.tag), 100)}>",
            hint="the address of a service's WSDL often ends in ?wsdl",
        )
    return Described(documents)


def judged_by(assertion: Assertion, described: Described) -> JudgedAssertion:
    """Whether a description keeps one assertion, and where not."""
    looks = [(element, problem) for element, problem in assertion.look(described)]
    breaks = _breaks(described, looks)
    return JudgedAssertion(
        number=assertion.number,
        profiles=list(assertion.profiles),
        level=assertion.level,
        text=assertion.text,
        verdict="broken" if breaks else "kept" if looks else "does not apply",
        broken=len(breaks),
        breaks=breaks[:MOST_BREAKS],
    )


def _breaks(described: Described, looks: Sequence[tuple[etree._Element, str | None]]) -> list[AssertionBreak]:
    breaks = [
        AssertionBreak(where=described.where(element), why=one_line(problem, 300))
        for element, problem in looks
        if problem is not None
    ]
    return list({(each.where, each.why): each for each in breaks}.values())

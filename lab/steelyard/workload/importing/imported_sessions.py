"""Links the operations of imported requests into sessions, as a service file has them. Steps that lack a value are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...base.text import plural
from .names import one_line, unused_name
from .other_tools.filled_texts import NAME_OF_PLACE
from .other_tools.imported_requests import HeldSession, HeldStep, ImportedRequests
from .requests_folder import ImportedOperation, texts_of

MOST_STEPS = 200
_MOST_NAME = 40


@dataclass(frozen=True)
class LinkedStep:
    """A step of a session, and the operation that it sends."""

    name: str
    step: HeldStep
    operation: ImportedOperation

    def places(self) -> Iterator[str]:
        """The names of the places that it fills."""
        for text in (*texts_of(self.operation), *self.operation.headers.values()):
            yield from NAME_OF_PLACE.findall(text)

    def entry(self) -> Mapping[str, object]:
        """The step as in a service file."""
        described: dict[str, object] = {"operation": self.operation.name}
        if self.name != self.operation.name:
            described["name"] = self.name
        if self.step.once:
            described["once"] = True
        if self.step.if_captured is not None:
            described["if_captured"] = self.step.if_captured
        if self.step.think:
            described["think"] = dict(self.step.think)
        if self.step.captures:
            described["captures"] = {name: dict(capture) for name, capture in self.step.captures.items()}
        return described


@dataclass(frozen=True)
class LinkedSession:
    """A session of operations in order."""

    name: str
    steps: Sequence[LinkedStep]
    weight: float = 1
    options: Mapping[str, object] = field(default_factory=dict)

    def entry(self) -> Mapping[str, object]:
        """The session as in a service file."""
        weight = {"weight": self.weight} if self.weight != 1 else {}
        return {**weight, **self.options, "steps": [step.entry() for step in self.steps]}

    def captured_names(self) -> set[str]:
        """The names of all its captures."""
        return {name for step in self.steps for name in step.step.captures}


def link_sessions(held: ImportedRequests, operation_of: Mapping[int, ImportedOperation]) -> list[LinkedSession]:
    """The sessions of a file. `operation_of` has the operation of each request, by its identity in Python; a request without
    one is left out already. Notes what else is left out."""
    names = {operation.name.lower() for operation in operation_of.values()}
    linked = []
    for session in held.sessions:
        steps = _used_captures(session, _steps_with_values(session, held, operation_of), held)
        if len(steps) > MOST_STEPS:
            held.leave_out(
                f"{plural(len(steps) - MOST_STEPS, 'step')} at the end of session {session.name}",
                f"a session has at most {MOST_STEPS} steps",
            )
            steps = _used_captures(session, steps[:MOST_STEPS], held)
        if steps:
            filled = any(place in held.data for step in steps for place in step.places())
            options = {key: value for key, value in session.options.items() if filled or not key.startswith("data_")}
            linked.append(LinkedSession(_name(session.name, names), _in_order(steps), session.weight, options))
    if len(linked) == 1:
        linked = [replace(linked[0], weight=1)]
    return [] if _is_one_request(linked, held) else linked


def _steps_with_values(
    session: HeldSession, held: ImportedRequests, operation_of: Mapping[int, ImportedOperation]
) -> list[LinkedStep]:
    """The steps whose places of captured values are filled by earlier steps."""
    source = {name: step.request.where for step in session.steps for name in step.captures}
    candidates = [
        LinkedStep("", step, operation_of[id(step.request)])
        for step in session.steps
        if id(step.request) in operation_of
    ]
    needed = {(place, linked.step.if_captured) for linked in candidates for place in linked.places()}
    filled: set[str] = set()
    names: set[str] = set()
    steps: list[LinkedStep] = []
    for linked in candidates:
        step = linked.step
        condition = step.if_captured
        if condition is not None:
            is_first = not any(not made.step.once for made in steps)
            others = any(place == condition and other != condition for place, other in needed)
            if condition not in filled or step.once or is_first or others:
                held.leave_out(
                    step.request.where, f"its condition, a captured {condition}, is not one that a session can have"
                )
                continue
        missing = next((place for place in linked.places() if place in source and place not in filled), None)
        if missing is not None:
            why = f"it needs {{{{{missing}}}}}, which {source[missing]} captures, and no step before it does"
            held.leave_out(step.request.where, why)
            continue
        filled |= step.captures.keys()
        steps.append(replace(linked, name=_name(linked.operation.name, names)))
    return steps


def _used_captures(session: HeldSession, steps: Sequence[LinkedStep], held: ImportedRequests) -> list[LinkedStep]:
    """The steps with the captures that a later step uses."""
    kept: list[LinkedStep] = []
    used: set[str] = set()
    taken: set[str] = set()
    for step in reversed(steps):
        captures = {name: capture for name, capture in step.step.captures.items() if name in used}
        taken |= captures.keys()
        kept.append(replace(step, step=replace(step.step, captures=captures)))
        used |= {*step.places(), *([step.step.if_captured] if step.step.if_captured else [])}
    known = {name: step.request.where for step in session.steps for name in step.captures}
    for name, where in known.items():
        if name not in taken:
            held.leave_out(f"the value {name} of {where}", "no later request uses it")
    return kept[::-1]


def _in_order(steps: Sequence[LinkedStep]) -> list[LinkedStep]:
    """The steps; if all are made once, none is, because a session needs one that is repeated."""
    if all(step.step.once for step in steps):
        return [replace(step, step=replace(step.step, once=False)) for step in steps]
    return list(steps)


def _is_one_request(sessions: Sequence[LinkedSession], held: ImportedRequests) -> bool:
    """Whether there is no more than one request that depends on nothing; notes its pause, which the command line has."""
    steps = [step.step for session in sessions for step in session.steps]
    if len(steps) != 1 or held.requests:
        return False
    think = steps[0].think
    if think:
        most = f"..{think['to_ms']}ms" if "to_ms" in think else ""
        held.notes.append(f"its pause: `steelyard load --think {think['ms']}ms{most}`")
    return True


def _name(wanted: str, names: set[str]) -> str:
    """A name for a session or a step that is not in `names` (case-insensitive); adds it there."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", one_line(wanted, 200)).strip("-")[:_MOST_NAME].strip("-")
    plain = plain if plain[:1].isalpha() else f"s-{plain}"[:_MOST_NAME].strip("-")
    return unused_name(plain, names, "-", _MOST_NAME)

"""Sessions of a user's own service: from `[sessions.NAME]` in service.toml to what the engine drives."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ..base.configuration import nearest
from ..base.errors import ConfigurationError
from ..catalogue.entries import Entry
from ..models.job import Capture, Session, SessionRows, SessionStep, Think
from ..models.service import OF_THE_ENGINE, Expect, Service, ServiceSession, ServiceStep
from .data import rows_of
from .load_operation import LoadOperation, LoadSession, expected_of, sample_text, with_absolute_file
from .login_flows import AUTH_SECRET, UNAUTHORIZED, LoginFlow, login_flow
from .places import PlaceError, Spot, TextPlace, find_places, replace_places, spot_of_header

_SHOWN_CHARACTERS = 6  # of a wrong place, to find its line
_LITERAL_CAPTURES = ("regex", "path")  # found in a body as it is written there
_LONGEST_EXPONENTIAL = 7.0  # means: one exponential pause in a thousand is longer
_LEAD_OUT_ANSWERS_MS = 60_000.0  # of a lead-out, for the answers of a session
_MOST_LEAD_OUT_MS = 3_600_000.0


@dataclass(frozen=True)
class OwnSessions:
    """The sessions of a service by name, the operations of their steps, and the operations of the service that they use."""

    sessions: Mapping[str, LoadSession] = field(default_factory=dict)
    operations: Mapping[str, LoadOperation] = field(default_factory=dict)
    used: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _StepText:
    """A step's request with its places as they are written in service.toml."""

    name: str
    step: ServiceStep
    method: str
    path: str
    headers: Mapping[str, str]
    bodies: Sequence[str]
    expect: Expect
    changes_data: bool

    @property
    def texts(self) -> list[tuple[Spot, str]]:
        """All texts that may have places, each with its location."""
        headers = [(spot_of_header(name), text) for name, text in self.headers.items()]
        return [("path", self.path), *headers, *(("body", body) for body in self.bodies)]

    @cached_property
    def places(self) -> frozenset[str]:
        """The names of the values in its places, once they are known to be right."""
        return frozenset(name for spot, text in self.texts for place in find_places(text, spot) for name in place.names)


@dataclass(frozen=True)
class _SessionText:
    """A session with the requests of its steps, and its file."""

    service: Entry[Service]
    name: str
    session: ServiceSession
    steps: Sequence[_StepText]

    @property
    def in_order(self) -> Iterator[_StepText]:
        """The requests as a user makes them: first those of the login, and repetitions as often as they are made."""
        by_name = {step.step.step_name: step for step in self.steps}
        own = {step.step_name for step in self.session.requests()}
        yield from (step for step in self.steps if step.step.step_name not in own)
        yield from (by_name[step.step_name] for step in self.session.in_order())

    def error(self, needle: str, problem: str, hint: str) -> ConfigurationError:
        """What is wrong, with the line of service.toml that holds `needle`."""
        file = self.service.file
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        header = re.compile(rf"\s*\[+sessions\.{re.escape(self.name)}\b")
        begin = next((place for place, line in enumerate(lines) if header.match(line)), 0)
        held = [place for place, line in enumerate(lines) if needle in line]
        line = next((place for place in held if place >= begin), held[0] if held else begin)
        return ConfigurationError(f"{file}, line {line + 1}: session {self.name}: {problem}", hint=hint)


def read_sessions(service: Entry[Service], seed: int, expect: Expect) -> OwnSessions:
    """The sessions of a service that names its target; `expect` goes before the rules of its file. Raises ConfigurationError, with
    the line of the file."""
    model = service.model
    flow = login_flow(model.auth)
    sessions: dict[str, LoadSession] = {}
    operations: dict[str, LoadOperation] = {}
    for name, session in model.sessions.items():
        text = _session_text(service, name, session, flow, expect)
        columns = _check(text)
        rows = _rows(text, columns, seed)
        captured = {name: capture for step in text.steps for name, capture in step.step.captures.items()}
        operations |= {step.name: _operation(step, captured) for step in text.steps}
        private = [f"{name}.{step.step_name}" for step in flow.steps] if flow else []
        sessions[name] = LoadSession(_engine_session(text, columns, flow), session.weight, rows, private)
    used = {step.operation for session in model.sessions.values() for step in session.requests() if step.operation}
    return OwnSessions(sessions, operations, frozenset(used))


def _session_text(
    service: Entry[Service], name: str, session: ServiceSession, flow: LoginFlow | None, expect: Expect
) -> _SessionText:
    model = service.model
    named = _SessionText(service, name, session, [])
    if name in model.operations:
        raise named.error(f"sessions.{name}", "an operation has the same name", "give the session another name")
    texts = []
    for step in [*(flow.steps if flow else []), *session.requests()]:
        if step.operation is not None and step.operation not in model.operations:
            raise named.error(
                f'"{step.operation}"',
                f"there is no operation '{step.operation}'{nearest(step.operation, list(model.operations))}",
                "describe it under [operations], or give the step a path of its own",
            )
        texts.append(_step_text(service, name, step, flow, expect))
    names = [text.name for text in texts]
    twice = next((text for text in texts if names.count(text.name) > 1), None)
    if twice is not None:
        raise named.error(
            f'"{twice.step.step_name}"',
            f"two steps are called '{twice.step.step_name}'",
            "give one of them another name",
        )
    return _SessionText(service, name, session, texts)


def _step_text(
    service: Entry[Service], session: str, step: ServiceStep, flow: LoginFlow | None, expect: Expect
) -> _StepText:
    model, name = service.model, f"{session}.{step.step_name}"
    if flow and step in flow.steps:
        return _StepText(
            name, step, _method(step), step.path or "/", step.headers, [step.body or ""], step.expect, False
        )
    headers = flow.headers if flow else {}
    if step.operation is None:
        together = {**model.headers, **headers, **step.headers}
        expected = expect.overriding(with_absolute_file(step.expect.overriding(model.expect), service.folder))
        body = step.body or ""
        return _StepText(name, step, _method(step), step.path or "/", together, [body], expected, step.changes_data)
    operation = model.operations[step.operation]
    own = with_absolute_file(step.expect, service.folder)
    return _StepText(
        name,
        step,
        operation.method,
        operation.path or model.path,
        {**model.headers, **operation.headers, **headers, **step.headers},
        [sample_text(service, step.operation, sample) for sample in (operation.sample, *operation.samples)],
        expect.overriding(own.overriding(expected_of(service, operation))),
        operation.changes_data or step.changes_data,
    )


def _method(step: ServiceStep) -> str:
    return step.method or ("GET" if step.body is None else "POST")


def _check(text: _SessionText) -> list[str]:
    """Check that every place has a value when it is sent, and that every capture is used; the columns of data that it uses, sorted.
    Raises ConfigurationError."""
    data, columns = text.service.model.data, set[str]()
    known = {AUTH_SECRET, *text.service.model.secrets}
    for step in text.steps:
        _check_places(text, step)
        columns |= data.keys() & step.places
    captured: set[str] = set()
    for step in text.in_order:
        _check_condition(text, step, captured)
        for place in sorted(step.places):
            if not (
                place in data or place in captured or place in known or OF_THE_ENGINE.fullmatch(f"{{{{{place}}}}}")
            ):
                raise _unfilled_error(text, step, place, captured)
        captured |= step.step.captures.keys()
    _check_missing_values(text)
    _check_captures(text)
    _check_once(text)
    return sorted(columns)


def _check_places(text: _SessionText, step: _StepText) -> None:
    """Raise ConfigurationError where a place of a step is wrong."""
    for spot, part in step.texts:
        try:
            find_places(part, spot)
        except PlaceError as error:
            why = f": {error}" if str(error) else ""
            needle = part[error.at :][:_SHOWN_CHARACTERS]
            hint = "write {{name}}, {{name:url}}, {{name:json}} or {{name:xml}}, or a function such as {{uuid()}}"
            raise text.error(needle, f"step {step.step.step_name} has a wrong place{why}", hint) from None


def _unfilled_error(text: _SessionText, step: _StepText, place: str, captured: Collection[str]) -> ConfigurationError:
    """The error of a place that no earlier step captures."""
    name = step.step.step_name
    later = next((other.step.step_name for other in text.steps if place in other.step.captures), None)
    plain = any(f"{{{{{place}" in part for _, part in step.texts)
    needle = f"{{{{{place}" if plain else place  # in a computed value it stands without braces
    if later is not None:
        problem = f"step {name} needs {{{{{place}}}}}, which step {later} captures, and that is not before it"
        return text.error(needle, problem, "change the order of the steps")
    known = [*captured, *text.service.model.data, *text.service.model.secrets]
    problem = f"nothing fills the placeholder {{{{{place}}}}} of step {name}{nearest(place, known)}"
    return text.error(needle, problem, f"capture it in an earlier step, or describe it under [data.{place}]")


def _check_captures(text: _SessionText) -> None:
    """Raise ConfigurationError where a capture is never used, or has the name of something else."""
    later, used = set[str](), set[tuple[str, str]]()
    for step in reversed([*text.in_order]):
        used |= {(step.name, name) for name in step.step.captures if name in later}
        later |= step.places | {step.step.if_captured or ""}
    for step in text.steps:
        for name in step.step.captures:
            taken = {*text.service.model.data, *text.service.model.secrets}
            if name in taken or OF_THE_ENGINE.fullmatch(f"{{{{{name}}}}}"):
                raise text.error(
                    f"{name}", f"the capture {name} has the name of other values", "give the capture another name"
                )
            if (step.name, name) not in used:
                raise text.error(
                    name,
                    f"no later step uses {name}, which step {step.step.step_name} captures",
                    f"write {{{{{name}}}}} where it belongs, or remove the capture; `expect` checks an answer",
                )


def _check_condition(text: _SessionText, step: _StepText, captured: Collection[str]) -> None:
    """Raise ConfigurationError where no earlier step captures the value of a condition, or the step is always made."""
    name, condition = step.step.step_name, step.step.if_captured
    if condition is None:
        return
    if condition not in captured:
        problem = f"step {name} has if_captured = {condition}, which no step before it captures"
        raise text.error("if_captured", f"{problem}{nearest(condition, [*captured])}", "name a value that one captures")
    first = next((other for other in text.in_order if not other.step.once), step)
    if step.step.once or step is first:
        problem = f"step {name} has if_captured; the first step and those with once are always made"
        raise text.error("if_captured", problem, "leave it out, or change the order of the steps")


def _check_missing_values(text: _SessionText) -> None:
    """Raise ConfigurationError where a request needs a value that may be missing."""
    may_lack = {step.step.if_captured for step in text.steps}
    for step in text.steps:
        name = step.step.step_name
        lacking = next(iter(sorted(step.places & (may_lack - {step.step.if_captured}))), None)
        if lacking is not None:
            raise text.error(
                f"{{{{{lacking}",
                f"step {name} needs {{{{{lacking}}}}}, which an answer may lack, since it is the if_captured of another step",
                f'give {name} if_captured = "{lacking}", too',
            )


def _check_once(text: _SessionText) -> None:
    session = text.session
    once = [step.step.once for step in text.in_order]
    if once != sorted(once, reverse=True) or all(once):
        raise text.error("once", "steps with once come before all others, of which there must be some", "move them up")
    if not once[0] and (session.again_on or session.again_after_ms is not None):
        raise text.error("again_", "again_on and again_after_ms repeat the steps with once, of which there is none", "")
    if once[0] and session.new_visitor:
        raise text.error("new_visitor", "a new visitor makes no step once", "leave out new_visitor, or once")


def _rows(text: _SessionText, columns: Sequence[str], seed: int) -> list[dict[str, str]]:
    """The rows of a session's data: values as they are, which places encode. Raises ConfigurationError."""
    model, session = text.service.model, text.session
    if not columns:
        if session.data_end == "stop" or session.data_each == "user":
            raise text.error(
                "data_e", "data_each and data_end are of data, of which no step uses any", "leave them out"
            )
        return []
    used = {name: model.data[name] for name in columns}
    if session.data_end == "stop" and not any(column.file for column in used.values()):
        raise text.error("data_end", "generated data has no end", "leave out data_end, or read the data from a file")
    rows = rows_of(used, text.service.folder, seed, None, shortest=session.data_end == "stop")
    bad = next((row for row in rows if not all(value and value.isprintable() for value in row.values())), None)
    if bad is not None:
        raise text.error(
            "[data.", f"row {rows.index(bad) + 1} of its data has a value that is no line of text", "fill it"
        )
    if session.data_end == "stop" and session.data_each == "session" and len(rows) < 2:
        raise text.error(
            "data_end", "its data needs two rows: the verification before a load takes the first", "add one"
        )
    return rows


def _operation(step: _StepText, captured: Mapping[str, Capture]) -> LoadOperation:
    """A step as an operation of the load, whose places name the coding of what they are part of."""
    kind = next((value for name, value in step.headers.items() if name.lower() == "content-type"), "")
    bodies = [_with_codings(body, _coding_of(kind, body), captured) for body in step.bodies]
    return LoadOperation(
        name=step.name,
        method=step.method,
        path=_with_query_codings(step.path, captured),
        headers=step.headers,
        bodies=[body.encode() for body in bodies],
        expect=step.expect,
        filled=any(find_places(text) for _, text in step.texts),
        changes_data=step.changes_data,
        described=step.step.operation or "",
        pauses_ms=step.step.pauses_ms,
    )


def _coding_of(kind: str, body: str) -> str:
    """How values are written in a body: by its content type, or by how it begins."""
    begin = body.lstrip()[:1]
    if "x-www-form-urlencoded" in kind:
        return "url"
    if "json" in kind or (not kind and begin in ("{", "[")):
        return "json"
    return "xml" if "xml" in kind or (not kind and begin == "<") else ""


def _with_codings(text: str, coding: str, captured: Mapping[str, Capture]) -> str:
    """A text with a coding for each placeholder that names none. A value captured from XML needs none within XML."""

    def with_coding(place: TextPlace) -> str:
        literal = place.value in captured and captured[place.value].kind in _LITERAL_CAPTURES
        return place.with_coding("" if coding == "xml" and literal else coding)

    return replace_places(text, find_places(text), with_coding)


def _with_query_codings(path: str, captured: Mapping[str, Capture]) -> str:
    """A path whose placeholders in the query are percent-encoded."""
    places = find_places(path)
    outside = [place for place, letter in enumerate(path) if letter == "?" and not _lies_in(place, places)]
    query = outside[0] if outside else len(path)
    return path[:query] + _with_codings(path[query:], "url", captured)


def _lies_in(position: int, places: Sequence[TextPlace]) -> bool:
    return any(place.begin <= position < place.end for place in places)


def _engine_session(text: _SessionText, columns: Sequence[str], flow: LoginFlow | None) -> Session:
    session = text.session
    rows = None
    if columns:
        rows = SessionRows(
            file=rows_file(text.name),
            columns=list(columns),
            each=session.data_each,
            at_end=session.data_end,
            first=0 if session.data_each == "user" else 1,  # the verification takes the first
        )
    return Session(
        steps=[
            SessionStep(
                operation=step.name,
                once=step.step.once,
                if_captured=step.step.if_captured,
                think=step.step.mean_think,
                captures=step.step.captures,
            )
            for step in text.in_order
        ],
        on_failure=session.on_failure,
        new_visitor=session.new_visitor,
        again_on=session.again_on or ([UNAUTHORIZED] if flow else []),
        again_after_ms=session.again_after_ms,
        lead_out_ms=_lead_out_ms([step.step for step in text.in_order]),
        rows=rows,
    )


def _lead_out_ms(steps: Sequence[ServiceStep]) -> float:
    """How long a session may go on after the measured time: its longest pauses, and the time that its answers may take."""
    longest = sum(max(step.pauses_ms, default=_longest_ms(step.think)) for step in steps)
    return min(longest + _LEAD_OUT_ANSWERS_MS, _MOST_LEAD_OUT_MS)


def _longest_ms(think: Think) -> float:
    return _LONGEST_EXPONENTIAL * think.ms if think.kind == "exponential" else max(think.ms, think.to_ms)


def rows_file(session: str) -> str:
    """The file of a session's rows in the corpus folder."""
    return f"rows-{session}.csv"


@contextmanager
def temporary_rows(sessions: Mapping[str, LoadSession], folder: Path) -> Iterator[None]:
    """The rows of sessions' data are in the corpus folder for the body alone: they may hold passwords."""
    try:
        yield
    finally:
        for session in sessions.values():
            if session.session.rows is not None:
                (folder / session.session.rows.file).unlink(missing_ok=True)


def rename_session(session: LoadSession, name: str, suffix: str) -> LoadSession:
    """The session under a new name, with `suffix` after the names of its operations, and rows in a file of its own."""
    own = session.session
    steps = [step.model_copy(update={"operation": step.operation + suffix}) for step in own.steps]
    rows = own.rows and own.rows.model_copy(update={"file": rows_file(name)})
    private = [operation + suffix for operation in session.private]
    return replace(session, session=own.model_copy(update={"steps": steps, "rows": rows}), private=private)


def write_rows(sessions: Mapping[str, LoadSession], folder: Path) -> None:
    """Write the rows of all sessions into the corpus folder; raises OSError."""
    for session in sessions.values():
        if session.session.rows is not None:
            with (folder / session.session.rows.file).open("w", newline="", encoding="utf-8") as file:
                rows = csv.DictWriter(file, session.session.rows.columns, lineterminator="\n")
                rows.writeheader()
                rows.writerows(session.rows)

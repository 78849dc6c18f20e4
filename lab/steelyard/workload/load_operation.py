"""One kind of request of a load, and a session of several: what is sent, and when its answers are right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..base.errors import ConfigurationError
from ..catalogue.entries import Entry
from ..models.job import Length, Rule, Session
from ..models.service import Expect, Operation, Service


@dataclass(frozen=True)
class LoadOperation:
    """One kind of request: `bodies` are sent in a seeded order, again and again; `expect` is what its answers must be.

    `paths` are those of the bodies, one each, where data fills `path`; else none. `filled`: places of it are filled by the
    engine when it is sent. `described` is the operation whose schema its answers keep: its own if None, none if empty. One of
    `pauses_ms` follows each answer, where there are any. `grpc`: its answers end with gRPC's
    status; `streams`: they have any number of messages.
    """

    name: str
    method: str
    path: str
    headers: Mapping[str, str]
    bodies: Sequence[bytes]
    expect: Expect
    filled: bool
    changes_data: bool
    paths: Sequence[str] = ()
    described: str | None = None
    pauses_ms: Sequence[float] = ()
    grpc: bool = False
    streams: bool = False

    @property
    def events(self) -> Literal["event-stream", "grpc"] | None:
        """The form of the events in its answers: messages of a stream, or server-sent events if it accepts them first."""
        if self.grpc:
            return "grpc" if self.streams else None
        accepted = next((value for name, value in self.headers.items() if name.lower() == "accept"), "")
        return "event-stream" if accepted.strip().lower().startswith("text/event-stream") else None

    def rule(self) -> Rule:
        """What the engine judges every answer by, and of what it times the events."""
        fault_in = "grpc-status" if self.grpc else "envelope"
        return rule_of(self.expect).model_copy(update={"fault_in": fault_in, "events": self.events})


@dataclass(frozen=True)
class LoadSession:
    """A session of a load: what the engine knows of it, with steps that name operations of the load, its weight, and the rows of
    its data, none where it has none. `again_on` statuses are no failures; `private` operations have secrets in their answers."""

    session: Session
    weight: float = 1.0
    rows: Sequence[Mapping[str, str]] = ()
    private: Sequence[str] = ()

    @property
    def operations(self) -> list[str]:
        """The operations of its steps, in order."""
        return [step.operation for step in self.session.steps]


def rule_of(expect: Expect) -> Rule:
    """The rules of `expect` that the engine checks on every answer. The default is status 200 and no fault."""
    bounded = expect.least is not None or expect.most is not None
    return Rule(
        status=expect.status or [200],
        fault=expect.fault or "absent",
        length=Length(least=expect.least or 0, most=2**53 if expect.most is None else expect.most) if bounded else None,
        contains=expect.contains,
        matches=expect.matches,
    )


def expected_of(service: Entry[Service], operation: Operation) -> Expect:
    """When an answer to an operation of a running target is right, by its file; files that are named there as from anywhere."""
    return with_absolute_file(operation.expect.overriding(service.model.expect), service.folder)


def sample_text(service: Entry[Service], name: str, sample: str | None) -> str:
    """The text of a sample file of the operation `name`, empty without a file; raises ConfigurationError."""
    file = service.folder / (sample or "")
    try:
        return "" if sample is None else file.read_bytes().decode("utf-8")  # with its line ends, which belong to a body
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the sample {file} of {name} cannot be read: {error}") from None


def with_absolute_file(expect: Expect, folder: Path) -> Expect:
    """Rules whose file is named as from anywhere; those of the command line are as from where it was given."""
    return expect if expect.answer is None else expect.model_copy(update={"answer": str(folder / expect.answer)})

"""What `import`, `record` and `add` print of a service of the user's."""

from __future__ import annotations

from typing import Literal

from ..strict import Strict


class LeftOut(Strict):
    """What was not taken over or not loaded (`what`: an operation or a port, in words), and why."""

    what: str
    why: str


class ImportOutput(Strict):
    """`import --json`: what became of a description. `samples_valid` of the `operations` have a sample that keeps the schema
    (none of a file of requests, which has no schema); `taken` are their names, `changing` those that seem to change data.
    `left_out` has a reason for everything else."""

    service: str
    folder: str
    source: str
    operations: int
    samples_valid: int
    taken: list[str]
    changing: list[str]
    left_out: list[LeftOut]
    notes: list[str]
    documents: int


class AssertionBreak(Strict):
    """A place where an assertion is broken: document and line, and in words how."""

    where: str
    why: str


class JudgedAssertion(Strict):
    """An assertion of WS-I's Basic Profiles on descriptions: `text` says in our words what it asks for, `broken` in how many places
    it is broken, the first of which are the `breaks`. An assertion does not apply where a description has nothing that it is
    about."""

    number: str
    profiles: list[Literal["1.1", "2.0"]]
    level: Literal["must", "should"]
    text: str
    verdict: Literal["kept", "broken", "does not apply"]
    broken: int
    breaks: list[AssertionBreak]


class ComplianceOutput(Strict):
    """`import --compliance --json`: a WSDL with the `documents` that it imports, held against the assertions on descriptions;
    `conforms` are the profiles of which it breaks none that must be kept."""

    source: str
    documents: int
    conforms: list[Literal["1.1", "2.0"]]
    assertions: list[JudgedAssertion]


class AddOutput(Strict):
    """`add --json`: a user's WAR as a service. `path` is where it should answer, `operations` what is asked of it, `servers` those
    that could run it; `left_out` has a reason for everything else, `notes` what may keep it from answering somewhere."""

    service: str
    folder: str
    path: str
    operations: list[str]
    changing: list[str]
    servers: list[str]
    left_out: list[LeftOut]
    notes: list[str]


class RecordedOperation(Strict):
    """An operation that was recorded, asked so many `times`: how many different `samples` of it and how many `answers` are kept.
    `same`: each of its requests was asked more than once, and answered by the same bytes."""

    operation: str
    times: int
    samples: int
    answers: int
    same: bool
    changes_data: bool


class RecordOutput(Strict):
    """`record --json`, printed at the end: what passed through the proxy at `address` to the `target`, and the `folder` that it
    became. `passed` counts answered requests, `failed` those that the server did not answer, `beyond` those that were passed on
    when no more was remembered; `left_out` has a reason for everything that was not taken over."""

    service: str
    folder: str
    target: str
    address: str
    passed: int
    failed: int
    beyond: int
    operations: list[RecordedOperation]
    left_out: list[LeftOut]
    notes: list[str]

"""What `import`, `record` and `add` print of a service of the user's."""

from __future__ import annotations

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

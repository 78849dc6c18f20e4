"""The output of `import`, `record` and `add` for a service of the user's."""

from __future__ import annotations

from typing import Literal

from ..strict import Strict


class LeftOut(Strict):
    """Something that was not converted or not loaded (`what`: an operation or a port, in words), and the reason."""

    what: str
    why: str


class ImportedSession(Strict):
    """A session of an imported file: its `steps` in order, and the names of the values that it `captures` from answers."""

    session: str
    steps: list[str]
    captures: list[str]


class ImportOutput(Strict):
    """`import --json`: the result of a conversion. `kind` is what the source was recognized as, `shown_by` what of its content
    shows that. `samples_valid` of the `operations` have a sample that is valid by the schema
    (none for a file of requests, which has no schema); `taken` are their names, `changing` those that seem to change data.
    `sessions` link them. `left_out` has a reason for everything else."""

    service: str
    folder: str
    source: str
    kind: str = ""
    shown_by: str = ""
    operations: int
    samples_valid: int
    taken: list[str]
    changing: list[str]
    left_out: list[LeftOut]
    notes: list[str]
    documents: int
    sessions: list[ImportedSession] = []


class AddOutput(Strict):
    """`add --json`: a user's program as a service. `path` is its expected path, `operations` are called, `servers` could run it
    (none for a command line, which its folder starts). `left_out` has a reason for everything else, `notes` possible obstacles."""

    service: str
    kind: Literal["war", "jar", "command"]
    folder: str
    path: str
    operations: list[str]
    changing: list[str]
    servers: list[str]
    left_out: list[LeftOut]
    notes: list[str]


class RecordedOperation(Strict):
    """A recorded operation with `times` requests: the number of different `samples` and of stored `answers`. `same`: each of its
    requests was sent more than once, and answered by the same bytes."""

    operation: str
    times: int
    samples: int
    answers: int
    same: bool
    changes_data: bool


class RecordOutput(Strict):
    """`record --json`, printed at the end: the traffic through the proxy at `address` to the `target`, and the resulting
    `folder`. `passed` counts answered requests, `failed` those without an answer, `beyond` those forwarded after the maximum of
    recorded requests; `left_out` has a reason for everything that was not recorded."""

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

"""What `export` and `judge` print."""

from __future__ import annotations

from ..strict import Significant, Strict
from .loading import Estimate, LoadedOperation
from .own_service import LeftOut


class ExportedTool(Strict):
    """What another load tool was told of a service: the `files` that were written, the first of which it is given, the `operations`
    that they ask, and `left_out` with a reason for what they do not say as it is."""

    tool: str
    files: list[str]
    operations: list[str]
    left_out: list[LeftOut]


class ExportOutput(Strict):
    """`export --json`: a service's requests in the words of other load tools."""

    service: str
    target: str
    load: str
    tools: list[ExportedTool]


class WrittenTable(Strict):
    """A table of a stored run as it was written: its `file`, and how many `rows` of which `columns` are in it."""

    table: str
    file: str
    rows: int
    columns: list[str]


class TablesOutput(Strict):
    """`export RUN --json`: tables of a stored run as files of a `format` (csv, parquet)."""

    run: str
    format: str
    tables: list[WrittenTable]


class JudgedRows(Strict):
    """The rows of a file (elements, of XML): `read` = `counted` + the sum of `left_out`, which has their number by reason."""

    read: int
    counted: int
    left_out: dict[str, int]


class JudgedFile(Strict):
    """What a file of another tool's results says, by our statistics: as `load` says it, of one process.

    `seconds` are those from its first to its last result that counts, `users` the fewest and the most that it tells of (null:
    nothing), `course` whether response time held, in a sentence, and `notes` what to know of its tool's times. `failures` are
    counted by kind, `messages` counts them by their text where the file has one, and `codes` counts all answers by response code
    (empty where the tool writes none). `transactions` are those that were left out since their requests count. `parts` is how many
    stretches the file holds, with ten minutes or more between them; one of them was judged.
    """

    file: str
    tool: str
    seconds: int
    completed: int
    failed: int
    failures: dict[str, int]
    users: tuple[int, int] | None
    throughput_per_s: Estimate
    response_ms: dict[str, Estimate]
    operations: list[LoadedOperation]
    course: str
    notes: list[str]
    rows: JudgedRows
    codes: dict[str, int]
    messages: dict[str, int]
    transactions: list[LoadedOperation]
    parts: int


class JudgeOutput(Strict):
    """`judge --json`: files of other tools' results.

    Of several, `ratios` hold each file's figure over the first file's (null where one has none), without an interval: they were not
    paired, and there is no verdict, for the reasons in `cannot_say`. `throughput` is right answers a second. Where the shares of
    failures of a file and the first differ beyond chance, `failures_differ` is true for it, its response times have no ratio, and
    `compared` begins with the sentence that says so.
    """

    files: list[JudgedFile]
    ratios: dict[str, list[Significant | None]]
    cannot_say: list[str]
    compared: list[str]
    failures_differ: list[bool]

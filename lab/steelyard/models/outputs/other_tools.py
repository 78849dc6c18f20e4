"""The output of `export` and `judge`."""

from __future__ import annotations

from ..strict import Significant, Strict
from .loading import Estimate, LoadedOperation
from .own_service import LeftOut


class ExportedTool(Strict):
    """The export for another load tool: the written `files`, the first of which the tool takes, the exported `operations`, and
    `left_out` with a reason for everything that the tool cannot express."""

    tool: str
    files: list[str]
    operations: list[str]
    left_out: list[LeftOut]


class ExportOutput(Strict):
    """`export --json`: a service's requests in the formats of other load tools."""

    service: str
    target: str
    load: str
    tools: list[ExportedTool]


class WrittenTable(Strict):
    """A written table of a stored run: its `file`, the number of its `rows`, and its `columns`."""

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
    """The rows of a file (elements, of XML; requests, of a run of ours): `read` = `counted` + the sum of `left_out`, which has
    their number by reason."""

    read: int
    counted: int
    left_out: dict[str, int]


class JudgedFile(Strict):
    """A file of another tool's results, judged by our statistics as `load` reports one process, or one `subject` under one `load`
    of a run of ours.

    The figures of a run with slices are computed from them again, with intervals over its fresh starts; `seconds` is then the
    measured time of the slices that count. `subject` and `load` are empty for other results.
    `recognized_by` is the content that showed its kind, `holds` what such a file records (such as each request, or totals), and
    `cannot_say` lists the questions that it leaves open. Where it holds totals, figures are the tool's own (`why_not`).
    `seconds` is the time from its first to its last counted result, `users` the fewest and the most users in it (null: not
    recorded), `course` whether response time was stable, in a sentence, and `notes` the tool's definition of its times.
    `failures` are counted by kind, `messages` counts them by their text where the file has one, and `codes` counts all answers by
    response code (empty where the tool writes none). `transactions` are those left out because their requests count. `parts` is
    the number of parts in the file, separated by ten minutes or more; one of them was judged.
    """

    file: str
    subject: str = ""
    load: str = ""
    tool: str
    recognized_by: str
    holds: str
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
    cannot_say: list[str]


class JudgeOutput(Strict):
    """`judge --json`: files of other tools' results.

    For several files, `ratios` hold each file's figure over the first file's (null where one has none), without an interval: they
    were not paired, and there is no verdict. A run of ours has an entry for each load and subject. Its own verdict is a sentence
    of `compared`, and entries of one run, or of different loads, have no ratio. `cannot_say` lists the questions that all files
    leave open. `throughput` is right answers per second. Where the shares of failures of a file and the first differ beyond
    chance, `failures_differ` is true for it, its response times have no ratio, and `compared` has a sentence on that.
    """

    files: list[JudgedFile]
    ratios: dict[str, list[Significant | None]]
    cannot_say: list[str]
    compared: list[str]
    failures_differ: list[bool]

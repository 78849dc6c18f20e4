"""The report as Markdown for an issue, a pull request or a README: verdict, reasons, confidence, figures and caveats."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..analyse.analysis import Analysis
from ..analyse.decisions import tests_in_order
from .badges import badges
from .figure_table import headings, operation_of
from .sections.faults import fault_table
from .sections.setup import command
from .sections.verdict import facts
from .standings import Standings, cost_sentences, standings
from .subjects import cells, text


def markdown_of(analysis: Analysis) -> str:
    """The whole text; the same analysis gives the same bytes. Text from servers and studies is escaped."""
    return "\n".join(_lines(analysis)) + "\n"


def _lines(analysis: Analysis) -> Iterator[str]:
    run, table = analysis.run, standings(analysis)
    yield f"# {_plain(text(run.study.get('title')) or run.schedule.study)}"
    yield ""
    if table is not None:
        yield f"**{_plain(table.headline)}.**"
        yield ""
        yield from _standings(table)
    else:
        for wording in (wording for wording in analysis.sentences if not wording.detail):
            yield f"**{_plain(str(wording))}**"
            yield ""
    for reason in analysis.verdicts.why_not[1:]:
        yield f"- {_plain(reason)}"
    for sentence in cost_sentences(analysis):
        yield _plain(sentence)
        yield ""
    for name, value in facts(analysis):
        yield f"- {_plain(name)}: {_plain(value)}"
    if known := [badge.words for badge in badges(analysis)]:
        yield f"- caveats: {_plain(', '.join(known))}"
    yield ""
    if analysis.verdicts.decisions:
        yield from _rows(
            ("operation", "load", "tests", "best"),
            [
                (decision.operation, decision.shape, ", ".join(test.test for test in decision.tests), decision.sentence)
                for decision in analysis.verdicts.decisions
            ],
        )
    elif verdicts_of_faults := analysis.verdicts.faults:
        yield from _rows(*fault_table(verdicts_of_faults))
    elif not tests_in_order(run):
        yield from _figures(analysis)
    if analysis.verdicts.notes:
        yield "## Caveats"
        yield ""
        yield from (f"- {_plain(note)}" for note in analysis.verdicts.notes)
        yield ""
    if made_by := command(run):
        yield f"Made by `{made_by.replace('`', ' ')}`; run `{_plain(run.name)}`."


def _standings(table: Standings) -> Iterator[str]:
    named = [f"{name}, {unit}" if unit else name for name, unit in table.headings]
    yield from _rows(
        ("subject", "place", "verdict", *named),
        [
            (
                row.subject,
                row.place,
                row.word,
                *(f"{amount.text} ({amount.under})" if amount.under else amount.text for amount in row.amounts),
            )
            for row in table.rows
        ],
    )


def _figures(analysis: Analysis) -> Iterator[str]:
    """One table per cell: each subject's figures with their intervals."""
    named = [f"{name}, {unit}" if unit else name for name, unit in headings(analysis)]
    for cell in cells(analysis.run):
        operation = operation_of(analysis, cell)
        yield f"## {_plain(operation.name)}"
        yield ""
        yield from _rows(
            ("subject", *named),
            [
                (subject, *(f"{shown.text} ({shown.under})" if shown.under else shown.text for shown in row))
                for subject, row in operation.rows
            ],
        )


def _rows(named: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(map(_plain, named))} |"
    yield f"|{' --- |' * len(named)}"
    for row in rows:
        yield f"| {' | '.join(map(_plain, row))} |"
    yield ""


def _plain(words: str) -> str:
    """Text without meaning for Markdown and HTML: on one line, with special characters escaped."""
    line = " ".join(words.split())
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", line).replace("&", "&amp;")

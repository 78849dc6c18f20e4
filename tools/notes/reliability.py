"""The notes of the kept run on the load that breaks each server: each ending, cell by cell, beside the kit's printed results."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.analyse.endings import BROKEN, Ending, EndState, ending_wordings, endings
from steelyard.base.text import bytes_text, value_text

from .kept_run import Kept, command, listed, true
from .soakit import size_words


def reliability(kept: Kept) -> str:
    """The notes on a run with --push."""
    told = endings(kept.run)
    return "\n\n".join(
        [
            command(kept),
            *_tables(kept, told),
            "The number after an ending is the answers per second, if there were any. A broken server gets no larger load (-).",
            "How each server ended, and how this was recognised.",
            listed([str(wording) for wording in ending_wordings(kept.run) if wording.detail]),
            "What it shows.",
            listed(list(_shown(kept, told))),
        ]
    )


def _tables(kept: Kept, told: list[Ending]) -> Iterator[str]:
    """One a use case: a row a cell, a column a server."""
    subjects = kept.run.schedule.subjects
    for operation in dict.fromkeys(ending.cell.operation for ending in told):
        rows = [
            f"| {operation} | a request | the kit | {' | '.join(subjects)} |",
            f"|---|--:|---|{'---|' * len(subjects)}",
        ]
        cells = {ending.cell.name: ending.cell for ending in told if ending.cell.operation == operation}
        for name, cell in cells.items():
            mine = {ending.subject: ending for ending in told if ending.cell.name == name}
            sizes = [ending.bytes for ending in mine.values() if ending.bytes is not None]
            size = bytes_text(max(sizes)) if sizes else ""
            rows.append(
                f"| {size_words(cell)} | {size} | {cell.printed} | {' | '.join(_word(mine.get(each)) for each in subjects)} |"
            )
        yield "\n".join(rows)


def _word(ending: Ending | None) -> str:
    if ending is None:
        return "-"
    if ending.state is None:
        return "not known"
    rate = "" if ending.tps is None else f" {value_text(ending.tps)}"
    return f"{ending.state.value}{rate}" if ending.state is EndState.GOOD else f"**{ending.state.value}**{rate}"


def _shown(kept: Kept, told: list[Ending]) -> Iterator[str]:
    """Which servers broke in which cells, compared with the kit's printed results, and that the run continued."""
    yield from (str(wording) for wording in ending_wordings(kept.run) if not wording.detail)
    asked = {ending.cell.name for ending in told if ending.cell.printed}
    hung = [ending for ending in told if ending.cell.name in asked and "hang" in ending.cell.printed.lower()]
    bad = [ending for ending in hung if ending.state in BROKEN]
    yield true(
        bool(hung) and not bad,
        f"Where the kit's server hung ({', '.join(dict.fromkeys(size_words(each.cell) for each in hung))}), none of these breaks.",
    )
    later = [trial for trial in kept.run.trials if trial.record_or_empty.failure is not None]
    last = kept.run.trials[-1]
    yield true(
        bool(later) and later[0] is not last,
        f"The run continued after failures: {len(later)} of {len(kept.run.trials)} trials ended early because a server broke, and "
        "the next trial followed each time.",
    )


MADE = {"soakit-reliability": reliability}

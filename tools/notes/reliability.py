"""What is said of the kept run that asks where each server breaks: how each ended, cell by cell, beside what the kit printed."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.analyse.endings import BROKEN, Ending, EndState, ending_wordings, endings
from steelyard.base.text import bytes_text, value_text

from .kept_run import Kept, command, listed, true
from .soakit import size_words


def reliability(kept: Kept) -> str:
    """What is said of a run with --push."""
    told = endings(kept.run)
    return "\n\n".join(
        [
            command(kept),
            *_tables(kept, told),
            "Answers a second stand behind a word, where there were any. A server that is broken is not asked for more (-).",
            "How each ended, and how that was recognised.",
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
    """Who broke where, how that lies to what the kit printed, and that the run went on."""
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
        f"The run went on: {len(later)} of {len(kept.run.trials)} trials ended early with what broke them, and each next one was "
        "driven.",
    )


MADE = {"soakit-reliability": reliability}

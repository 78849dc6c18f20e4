"""Which server when: for each environment, load shape and payload the best subjects, with the verdicts behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..base.text import ratio_text
from ..models.records import Cell
from ..models.verdict import DecidedTest, Decision, Rank
from ..plan import shapes
from ..plan.kinds import kind_of
from ..statistics.verdict_words import Word
from ..store.stored_run import FAILURE_KINDS, Run
from .ratios import subject_quantities
from .verdicts import LEAST_FORKS, Judgement, Ranked, ranked


def decisions(run: Run, judgements: Sequence[Judgement]) -> list[Decision]:
    """One for all tests of an environment (operation), load shape and payload; empty without tests or with one subject.

    The best are those that no other was shown to beat in any of the tests.
    """
    if len(run.schedule.subjects) < 2:
        return []
    groups: dict[tuple[str, str, int | None], list[Cell]] = {}
    for cell in tests_in_order(run):
        key = (cell.operation, shapes.NAMES[cell.profile.kind], test_of(run, cell).get("bytes"))
        groups.setdefault(key, []).append(cell)
    return [
        _decision(operation, shape, size, [_test(run, cell, judgements) for cell in cells])
        for (operation, shape, size), cells in groups.items()
    ]


def tests_in_order(run: Run) -> list[Cell]:
    """The cells that are tests, by environment as the study lists its operations."""
    operations = [*run.study.get("operations", ()), *(name for cell in run.schedule.cells for name in cell.mix)]
    blocks = [cell for cell in run.schedule.cells if not kind_of(cell).sliced]
    return sorted(blocks, key=lambda cell: operations.index(next(iter(cell.mix))))


def test_of(run: Run, cell: Cell) -> Mapping[str, Any]:
    """The test that a cell runs, as its study's file has it; empty where that was not stored."""
    tests = run.study.get("tests", [])
    found = (test for test in tests if isinstance(test, Mapping) and test.get("name") == cell.name)
    return next(found, {})


def _decision(operation: str, shape: str, size: int | None, tests: list[DecidedTest]) -> Decision:
    judged = [test for test in tests if test.ranks]
    firsts = [{one.subject for one in test.ranks if one.rank == 1} for test in judged]
    best = [one.subject for one in judged[0].ranks if all(one.subject in first for first in firsts)] if judged else []
    return Decision(
        operation=operation,
        shape=shape,
        bytes=size,
        tests=tests,
        best=best,
        tied=len(best) > 1,
        sentence=_words(best, judged, tests),
    )


def _words(best: Sequence[str], judged: Sequence[DecidedTest], tests: Sequence[DecidedTest]) -> str:
    if not judged:
        reasons = [reason for test in tests for reason in test.why_not]
        return f"not judged: {reasons[0]}" if reasons else "not judged"
    if len(best) == 1:
        return best[0]
    if best:
        pairs = [test.word_between(best) for test in judged]
        return f"{' and '.join(best)}, {'equal' if set(pairs) == {'equivalent'} else 'not told apart'}"
    each = (f"test {test.test}: {' and '.join(one.subject for one in test.ranks if one.rank == 1)}" for test in judged)
    return f"depends on the load ({'; '.join(each)})"


def _test(run: Run, cell: Cell, judgements: Sequence[Judgement]) -> DecidedTest:
    mine = [one for one in judgements if one.compared.cell.name == cell.name and one.compared.primary]
    return DecidedTest(
        test=cell.name,
        title=cell.title,
        users=shapes.users_text(cell.profile),
        ranks=[_rank(one) for one in ranked(run, mine)] if _enough(mine) else [],
        verdicts=[words for one in mine if (words := _verdict(one))],
        pairs={f"{one.compared.a}/{one.compared.b}": one.word.value for one in mine if one.word is not None},
        failed={subject: share for subject, share in _failed(run, cell) if share > 0},
        why_not=[
            f"{one.compared.a} against {one.compared.b}: {reason}"
            for one in mine
            for reason in (*one.broken, *one.reasons)
        ],
    )


def _enough(judgements: Sequence[Judgement]) -> bool:
    """Whether any comparison had the forks that a word needs: without them, who shares a place was never asked."""
    return any(len(one.compared.counted) >= LEAST_FORKS for one in judgements)


def _rank(one: Ranked) -> Rank:
    return Rank(subject=one.subject, rank=one.rank, ratio=one.ratio)


def _verdict(one: Judgement) -> str:
    found = one.compared
    if one.word is None or found.ratio is None:
        return ""
    link = {Word.EQUIVALENT: "to", Word.UNDECIDED: "against"}.get(one.word, "than")
    bounds = None if found.interval is None else (found.interval.low, found.interval.high)
    interval = "" if bounds is None else f", {ratio_text(bounds[0], bounds)} to {ratio_text(bounds[1], bounds)}"
    return f"{found.a} {one.word.value} {link} {found.b} ({ratio_text(found.ratio, bounds)}{interval})"


def _failed(run: Run, cell: Cell) -> Iterator[tuple[str, float]]:
    """Each subject's share of failed and wrong answers among its requests."""
    for subject in run.schedule.subjects:
        values = subject_quantities(run, cell, subject).values
        if values.get("started"):
            yield subject, sum(values[kind] for kind in ("wrong", *FAILURE_KINDS)) / values["started"]

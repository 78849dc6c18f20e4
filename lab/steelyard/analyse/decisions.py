"""Which server is best when: for each operation, load shape and payload, with the verdicts behind it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..base.text import join_words, lower_first, ratio_text
from ..models.records import Cell
from ..models.verdict import Contender, DecidedTest, Decision, Rank
from ..plan import shapes
from ..plan.kinds import kind_of
from ..results.stored_run import Run
from ..results.tables import FAILURE_KINDS
from ..statistics.verdict_words import Word
from .measures import Measure
from .ratios import subject_quantities
from .verdicts import LEAST_FORKS, Judgement, ranked_subjects

_MOST_NAMED = 4  # contenders in a sentence; the decision itself lists all


def decisions(run: Run, judgements: Sequence[Judgement]) -> list[Decision]:
    """One decision for all tests of an operation, load shape and payload with the same subjects; none for tests of one subject."""
    groups: dict[tuple[str, str, int | None, tuple[str, ...]], list[Cell]] = {}
    for cell in tests_in_order(run):
        subjects = tuple(run.schedule.subjects_in(cell))
        key = (cell.operation, shapes.NAMES[cell.profile.kind], test_of(run, cell).get("bytes"), subjects)
        if len(subjects) > 1:
            groups.setdefault(key, []).append(cell)
    return [_decision(run, key, cells, judgements) for key, cells in groups.items()]


def tests_in_order(run: Run) -> list[Cell]:
    """The cells that are tests, by operation in the order of the study."""
    operations = [*run.study.get("operations", ()), *(name for cell in run.schedule.cells for name in cell.mix)]
    blocks = [cell for cell in run.schedule.cells if not kind_of(cell).sliced]
    return sorted(blocks, key=lambda cell: operations.index(next(iter(cell.mix))))


def judged_by(cells: Sequence[Cell], measures: Mapping[str, Measure]) -> str:
    """The measures that judge these cells, in words, such as "throughput"."""
    titles = dict.fromkeys(measures[cell.primary_measure].title for cell in cells)
    return " or ".join(map(lower_first, titles))


def test_of(run: Run, cell: Cell) -> Mapping[str, Any]:
    """The test that a cell runs, as defined in the stored study file; empty where that file is missing."""
    tests = run.study.get("tests", [])
    tests_of_cell = (test for test in tests if isinstance(test, Mapping) and test.get("name") == cell.name)
    return next(tests_of_cell, {})


def _decision(
    run: Run,
    key: tuple[str, str, int | None, tuple[str, ...]],
    cells: Sequence[Cell],
    judgements: Sequence[Judgement],
) -> Decision:
    """The best subject has the best figure among those that no other subject was shown to beat in any of the tests."""
    operation, shape, size, subjects = key
    primaries = {
        cell.name: [
            judgement
            for judgement in judgements
            if judgement.compared.cell.name == cell.name and judgement.compared.primary
        ]
        for cell in cells
    }
    tests = [_decided_test(run, cell, primaries[cell.name]) for cell in cells]
    judged = [test for test in tests if test.ranks]
    beaten = {rank.subject for test in judged for rank in test.ranks if rank.best > 1}
    orders = [[rank.subject for rank in test.ranks] for test in judged]
    eligible = (
        [label for label in orders[0] if label not in beaten and all(label in order for order in orders)]
        if orders
        else []
    )
    best = min(eligible, key=lambda label: sum(order.index(label) for order in orders), default=None)
    others = [label for label in subjects if label not in beaten | run.floors | {best}]
    contenders = [
        _contender(label, best, test.test, primaries[test.test])
        for label in others
        for test in judged
        if best is not None and run.schedule.may_have_verdict(label, best)
    ]
    return Decision(
        operation=operation,
        shape=shape,
        bytes=size,
        tests=tests,
        best=best,
        contenders=contenders,
        sentence=_words(best, contenders, beaten, judged, tests),
    )


def _contender(subject: str, best: str, test: str, judgements: Sequence[Judgement]) -> Contender:
    """A subject's ratio to the best one in a test."""
    judgement = next(
        judgement for judgement in judgements if {judgement.compared.a, judgement.compared.b} == {subject, best}
    )
    ratio, interval = judgement.compared.ratio, judgement.compared.interval
    bounds = None if interval is None else (interval.low, interval.high)
    if judgement.compared.a == best:
        ratio = None if ratio is None else 1 / ratio
        bounds = None if bounds is None else (1 / bounds[1], 1 / bounds[0])
    word = None if judgement.word is None else judgement.word.value
    return Contender(subject=subject, test=test, verdict=word, ratio=ratio, interval=bounds)


def _words(
    best: str | None,
    contenders: Sequence[Contender],
    beaten: Collection[str],
    judged: Sequence[DecidedTest],
    tests: Sequence[DecidedTest],
) -> str:
    """The decision in words, such as "this, with that (0.62, 0.44 to 0.86) not ruled out". Without a decided pair no subject is
    called best."""
    if not judged:
        reasons = [reason for test in tests for reason in test.why_not]
        return f"not judged: {reasons[0]}" if reasons else "not judged"
    if best is None:
        firsts = (f"test {test.test}: {' or '.join(_best_labels(test))}" for test in judged)
        return f"depends on the load ({'; '.join(firsts)})"
    near: dict[str, list[Contender]] = {}
    for contender in contenders:
        near.setdefault(contender.subject, []).append(contender)
    equal = {
        label
        for label, comparisons in near.items()
        if all(contender.verdict == "equivalent" for contender in comparisons)
    }
    if near and not beaten and not equal:
        names, more = [best, *_nearest(near, [*near], len(judged))], _remaining_text([*near])
        return f"undecided between {', '.join(names) + more if more else join_words(names)}"
    phrases = [
        f"{', '.join(_nearest(near, labels, len(judged)))}{_remaining_text(labels)} {relation}"
        for relation, labels in (
            ("equal", sorted(equal)),
            ("not ruled out", [label for label in near if label not in equal]),
        )
        if labels
    ]
    return ", ".join([best, *(f"with {phrase}" for phrase in phrases)])


def _best_labels(test: DecidedTest) -> list[str]:
    return [rank.subject for rank in test.ranks if rank.best == 1]


def _nearest(near: Mapping[str, Sequence[Contender]], labels: Sequence[str], tests: int) -> list[str]:
    """The contenders that the sentence lists: all if they are few, else the nearest ones."""
    named = list(labels)
    if len(named) > _MOST_NAMED:
        named = sorted(named, key=lambda label: abs(math.log(near[label][0].ratio or math.inf)))[: _MOST_NAMED - 1]
    return [_contender_text(label, near[label], tests) for label in named]


def _remaining_text(labels: Sequence[str]) -> str:
    """The number of contenders that the sentence does not list, as the end of its list."""
    return f" and {len(labels) - _MOST_NAMED + 1} more" if len(labels) > _MOST_NAMED else ""


def _contender_text(label: str, each: Sequence[Contender], tests: int) -> str:
    """A contender with its ratio to the best one, for each test if there are several."""
    return f"{label} ({'; '.join(_ratio(contender) + (f' in test {contender.test}' if tests > 1 else '') for contender in each)})"


def _ratio(contender: Contender) -> str:
    if contender.ratio is None:
        return "not measured"
    bounds = (
        ""
        if contender.interval is None
        else f", {' to '.join(ratio_text(bound, contender.interval) for bound in contender.interval)}"
    )
    return f"{ratio_text(contender.ratio, contender.interval)}{bounds}" + (
        ", too few forks" if contender.verdict == "too few forks" else ""
    )


def _decided_test(run: Run, cell: Cell, mine: Sequence[Judgement]) -> DecidedTest:
    return DecidedTest(
        test=cell.name,
        title=cell.title,
        users=shapes.users_text(cell.profile),
        ranks=[Rank(**asdict(place)) for place in ranked_subjects(run, mine)] if _has_enough_forks(mine) else [],
        verdicts=[words for judgement in mine if (words := _verdict(judgement))],
        failed={subject: share for subject, share in _failure_shares(run, cell) if share > 0},
        why_not=[
            f"{judgement.compared.a} against {judgement.compared.b}: {reason}"
            for judgement in mine
            for reason in (*judgement.broken, *judgement.reasons)
        ],
    )


def _has_enough_forks(judgements: Sequence[Judgement]) -> bool:
    """Whether any comparison had enough forks for a word. Otherwise a shared place was never tested."""
    return any(len(judgement.compared.counted_forks) >= LEAST_FORKS for judgement in judgements)


def _verdict(judgement: Judgement) -> str:
    compared = judgement.compared
    if judgement.word is None or compared.ratio is None:
        return ""
    link = {Word.EQUIVALENT: "to", Word.FASTER: "than", Word.SLOWER: "than"}.get(
        judgement.direction or judgement.word, "against"
    )
    bounds = compared.bounds
    interval = "" if bounds is None else f", {ratio_text(bounds[0], bounds)} to {ratio_text(bounds[1], bounds)}"
    within = " by less than the margin" if judgement.word is Word.EQUIVALENT and judgement.direction is not None else ""
    word = judgement.direction or judgement.word
    return f"{compared.a} {word} {link} {compared.b}{within} ({ratio_text(compared.ratio, bounds)}{interval})"


def _failure_shares(run: Run, cell: Cell) -> Iterator[tuple[str, float]]:
    """Each subject's share of failed and wrong answers among its requests."""
    for subject in run.schedule.subjects:
        values = subject_quantities(run, cell, subject).values
        if values.get("started"):
            yield subject, sum(values[kind] for kind in ("wrong", *FAILURE_KINDS)) / values["started"]

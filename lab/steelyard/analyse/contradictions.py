"""Finds earlier runs of the same question whose result excludes the result of this run."""

from __future__ import annotations

from collections.abc import Sequence

from ..models.records import EarlierAnswer
from ..models.verdict import ContradictedRun
from ..results.earlier import boot_of
from ..results.stored_run import Run
from .verdicts import Judgement


def contradictions(run: Run, judgements: Sequence[Judgement]) -> list[ContradictedRun]:
    """Each judged comparison beside each earlier answer to it whose interval does not overlap its own.

    Two 95% intervals of the same true value rarely do not overlap. The difference therefore lies between hours or machines, which
    the interval of one run does not cover.
    """
    boot = boot_of(run.environment.get("machine"))
    contradicted = []
    for compared in (judgement.compared for judgement in judgements if judgement.word is not None):
        if compared.ratio is None or compared.interval is None:
            continue
        low, high = compared.interval.low, compared.interval.high
        question = (compared.a, compared.b, compared.cell.name, compared.measure.name)
        answers = [*run.earlier, *map(_swap_sides, run.earlier)]
        contradicted += [
            ContradictedRun(
                a=compared.a,
                b=compared.b,
                cell=compared.cell.name,
                measure=compared.measure.name,
                ratio=compared.ratio,
                interval=(low, high),
                earlier=answer.run,
                earlier_machine=answer.machine,
                same_boot=answer.boot == boot if answer.boot and boot else None,
                earlier_ratio=answer.ratio,
                earlier_interval=answer.interval,
            )
            for answer in answers
            if (answer.a, answer.b, answer.cell, answer.measure) == question
            and (answer.interval[1] < low or high < answer.interval[0])
        ]
    return contradicted


def _swap_sides(answer: EarlierAnswer) -> EarlierAnswer:
    """The same answer for b against a."""
    low, high = answer.interval
    return answer.model_copy(
        update={"a": answer.b, "b": answer.a, "ratio": 1 / answer.ratio, "interval": (1 / high, 1 / low)}
    )

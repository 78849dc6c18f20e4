"""Whether this run and an earlier one of the same question exclude each other."""

from __future__ import annotations

from collections.abc import Sequence

from ..models.records import EarlierAnswer
from ..models.verdict import ContradictedRun
from ..store.earlier import boot_of
from ..store.stored_run import Run
from .verdicts import Judgement


def contradictions(run: Run, judgements: Sequence[Judgement]) -> list[ContradictedRun]:
    """Each judged comparison beside each earlier answer to it where neither interval holds any of the other.

    Two intervals of 95% for one truth are apart far less often than one time in twenty, so what is found here lies between
    hours or machines, which no interval of one run holds.
    """
    boot = boot_of(run.environment.get("machine"))
    found = []
    for compared in (one.compared for one in judgements if one.word is not None):
        if compared.ratio is None or compared.interval is None:
            continue
        low, high = compared.interval.low, compared.interval.high
        asked = (compared.a, compared.b, compared.cell.name, compared.measure.name)
        answers = [*run.earlier, *map(_the_other_way, run.earlier)]
        found += [
            ContradictedRun(
                a=compared.a,
                b=compared.b,
                cell=compared.cell.name,
                measure=compared.measure.name,
                ratio=compared.ratio,
                interval=(low, high),
                earlier=one.run,
                earlier_machine=one.machine,
                same_boot=one.boot == boot if one.boot and boot else None,
                earlier_ratio=one.ratio,
                earlier_interval=one.interval,
            )
            for one in answers
            if (one.a, one.b, one.cell, one.measure) == asked and (one.interval[1] < low or high < one.interval[0])
        ]
    return found


def _the_other_way(one: EarlierAnswer) -> EarlierAnswer:
    """The same of b against a."""
    low, high = one.interval
    return one.model_copy(update={"a": one.b, "b": one.a, "ratio": 1 / one.ratio, "interval": (1 / high, 1 / low)})

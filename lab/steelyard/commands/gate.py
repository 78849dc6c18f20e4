"""A gate for continuous integration: is NEW slower than OLD? The answer, and every comparison as a change from OLD to NEW."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from ..analyse import measures
from ..base.text import lower_first, percent_text, plural, range_text, short_text, upper_first
from ..models.outputs.run import Answer, GateChange
from ..models.verdict import Comparison, Verdicts
from ..statistics.verdict_words import Better

_AS_RATIO_FROM = 1.0  # a change of 100% or more is easier to read as a ratio


class Gate(IntEnum):
    """The gate's answer; the value is the exit code."""

    NO_REGRESSION = 0
    REGRESSION = 1
    CANNOT_TELL = 2

    @property
    def meaning(self) -> Answer:
        """The answer in words."""
        return _MEANINGS[self]


_MEANINGS: dict[Gate, Answer] = {
    Gate.NO_REGRESSION: "no regression",
    Gate.REGRESSION: "regression",
    Gate.CANNOT_TELL: "cannot tell",
}


@dataclass(frozen=True)
class Change:
    """One comparison as a change of NEW (its `a`) against OLD (its `b`), always in this direction."""

    compared: Comparison
    title: str
    better: Better

    @property
    def is_worse(self) -> bool:
        """Whether NEW is slower, or fails more often than chance explains."""
        gap = self.compared.failures_differ
        return self.compared.verdict == "slower" or (gap is not None and gap.a_share > gap.b_share)

    @property
    def worse_by(self) -> float | None:
        """The share by which NEW is worse, such as 0.12 for "12% slower"; negative where it is better."""
        return None if self.compared.ratio is None else self._worse(self.compared.ratio)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval of `worse_by`, the lower bound first."""
        if self.compared.interval is None:
            return None
        low, high = sorted(map(self._worse, self.compared.interval))
        return low, high

    @property
    def amount(self) -> str:
        """The change in words: "12% slower", of a secondary measure "12% higher"; from 100% on "13 times"."""
        if self.compared.ratio is None or self.worse_by is None:
            return "not compared"
        if self._as_ratio:
            return f"{short_text(self.compared.ratio)} times"
        return self._percent(self.worse_by)

    @property
    def range(self) -> str:
        """The interval in words: "8% to 16% slower", "2% faster to 5% slower", or a ratio's; empty where there is none."""
        if self.interval is None:
            return ""
        if self._as_ratio:
            return f"{range_text(self.compared.interval)} times"
        low, high = self.interval
        if low * high <= 0:
            return f"{self._percent(low)} to {self._percent(high)}"
        small, large = sorted((low, high), key=abs)
        return f"{_share(small)} to {self._percent(large)}"

    @property
    def basis(self) -> str:
        """The interval in words, with the number of forks and pairs behind it."""
        compared = self.compared
        size = f"{plural(compared.forks, 'fork')}, {plural(compared.pairs, 'pair')}"
        return f"{percent_text(compared.confidence)} interval {self.range}; {size}" if self.range else size

    def sentence(self, margin: float) -> str:
        """The verdict, such as "new is 12% slower than old on search, by throughput (95% interval 8% to 16% slower; 4 forks)."."""
        gap = [] if self.compared.failures_differ is None else [f"{self.compared.failures_differ.sentence}."]
        reasons = [f"{upper_first(reason)}." for reason in self.compared.why_not]
        return " ".join([f"{self._verdict(margin)} ({self.basis}).", *gap, *reasons])

    def record(self) -> GateChange:
        """The change as `check --json` has it."""
        interval = self.interval
        return GateChange(
            operation=self.compared.operation,
            measure=self.compared.measure,
            primary=self.compared.primary,
            verdict=self.compared.verdict,
            worse_percent=None if self.worse_by is None else self.worse_by * 100,
            interval=None if interval is None else (interval[0] * 100, interval[1] * 100),
        )

    def _verdict(self, margin: float) -> str:
        a, b, operation = self.compared.a, self.compared.b, self.compared.operation
        by = f", by {lower_first(self.title)}"
        measured = (
            f"it has {self.amount} the {lower_first(self.title)}"
            if self._as_ratio
            else f"it measured {self.amount}{by}"
        )
        match self.compared.verdict:
            case "slower" | "faster" if not self._as_ratio:
                return f"{a} is {self.amount} than {b} on {operation}{by}"
            case "slower" | "faster":
                return f"{a} is {self.compared.verdict} than {b} on {operation}: {measured}"
            case "equivalent":
                return f"{a} is as fast as {b} on {operation} within the margin of {_share(margin)}: {measured}"
            case "too few forks":
                return f"Too few forks to tell whether {a} is slower than {b} on {operation}: {measured}"
            case _:
                return f"Cannot tell whether {a} is slower than {b} on {operation}: {measured}"

    @property
    def _as_ratio(self) -> bool:
        return self.worse_by is not None and abs(self.worse_by) >= _AS_RATIO_FROM

    def _worse(self, ratio: float) -> float:
        return 1 - ratio if self.better is Better.HIGHER else ratio - 1

    def _percent(self, worse_by: float) -> str:
        if self.compared.primary:
            return f"{_share(worse_by)} {'slower' if worse_by > 0 else 'faster'}"
        return f"{_share(worse_by)} {'higher' if (worse_by > 0) is (self.better is Better.LOWER) else 'lower'}"


@dataclass(frozen=True)
class GateReport:
    """The gate's answer with its changes: those that are judged first. `margin` is the slow-down that was accepted."""

    verdicts: Verdicts
    changes: Sequence[Change]
    margin: float

    @property
    def primary_changes(self) -> list[Change]:
        """The changes of primary measures, which the answer rests on."""
        return [change for change in self.changes if change.compared.primary]

    @property
    def answer(self) -> Gate:
        """Any slower comparison is a regression, and so are more failures than chance explains. Without a valid instrument or a
        decision, the gate cannot tell."""
        if (
            not self.verdicts.valid
            or not self.primary_changes
            or any(each.compared.verdict is None for each in self.primary_changes)
        ):
            return Gate.CANNOT_TELL
        if any(change.is_worse for change in self.primary_changes):
            return Gate.REGRESSION
        decided = all(change.compared.is_decided for change in self.primary_changes)
        return Gate.NO_REGRESSION if decided else Gate.CANNOT_TELL

    @property
    def sentence(self) -> str:
        """One sentence for each judged change; without a valid instrument, why there is no verdict."""
        if not self.verdicts.valid or not self.primary_changes:
            return self.verdicts.sentence
        return " ".join(change.sentence(self.margin) for change in self.primary_changes)


def report_of(verdicts: Verdicts, margin: float) -> GateReport:
    """The report on a comparison of NEW (`a`) with OLD (`b`)."""
    known = measures.registry({"sessions": True})  # all of them
    changes = [
        Change(comparison, known[comparison.measure].title, known[comparison.measure].better)
        for comparison in sorted(verdicts.comparisons, key=lambda comparison: not comparison.primary)
    ]
    return GateReport(verdicts, changes, margin)


def _share(share: float) -> str:
    """A share as a percentage without its sign: two digits, and no exponent."""
    return f"{short_text(abs(share) * 100)}%"

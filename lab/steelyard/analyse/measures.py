"""The registry of measures, read from measures.toml and the study. Comparisons, checks and reports know measures only from here."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..base.configuration import describe, nearest
from ..base.errors import MeasureError
from ..base.formula import Formula, FormulaError, parse
from ..models.measure import MeasureData
from ..statistics.checks import percentile_refusal
from ..statistics.verdict_words import Better
from .quantities import Quantities
from .sources import SOURCES

_BUILT_IN = Path(__file__).with_name("measures.toml")


@dataclass(frozen=True)
class Measured:
    """A measure's value; None with the reason in `refusal` where there is none."""

    value: float | None
    refusal: str | None = None


@dataclass(frozen=True)
class Measure:
    """One measure of the registry: its descriptor, and its formula checked against the numbers of its source."""

    data: MeasureData
    formula: Formula

    @property
    def name(self) -> str:
        """The identifier, such as `response_time_p99`."""
        return self.data.name

    @property
    def title(self) -> str:
        """The title for readers, such as `Mean response time`."""
        return self.data.title

    @property
    def short(self) -> str:
        """The heading of a column: a short title, else the title."""
        return self.data.short or self.data.title

    @property
    def unit(self) -> str:
        """The unit of its values as readers see it; empty for a plain number. A study may write `us` for µs."""
        return "µs" if self.data.unit == "us" else self.data.unit

    @cached_property
    def better(self) -> Better:
        """Which direction is better."""
        return Better(self.data.better)

    @property
    def from_histograms(self) -> bool:
        """Whether a fork's value comes from its merged histograms, because percentiles of slices may not be averaged."""
        return bool(self.formula.percentiles or self.formula.deviations)

    @property
    def tail(self) -> bool:
        """Whether it is a tail percentile, which lateness of the engine would falsify first."""
        return any(percent > 90 for _, percent in self.formula.percentiles)

    def evaluate(self, quantities: Quantities) -> Measured:
        """The value of the measure for these quantities, or why there is none."""
        for kind, percent in self.formula.percentiles:
            histogram = quantities.histogram(kind)
            if histogram.total and quantities.rank(percent, histogram.total) > 100:
                return Measured(None, f"p{percent:g} lies among the requests that were never answered")
            beyond = quantities.beyond(histogram.percentile(percent)) if histogram.total else 0
            refusal = percentile_refusal(percent / 100, histogram.total, beyond)
            if refusal is not None:
                return Measured(None, refusal)
        value = self.formula.evaluate(quantities.values, quantities.percentile, quantities.deviation)
        return Measured(value, None if value is not None else f"nothing was recorded for {self.title.lower()}")


def registry(study: Mapping[str, Any] | None = None) -> dict[str, Measure]:
    """All measures by name: those of measures.toml that suit the study, then its own `[[measures]]`. Raises MeasureError."""
    built_in = _read(tomllib.loads(_BUILT_IN.read_text(encoding="utf-8")).get("measures", []), _BUILT_IN.name)
    if not (study or {}).get("sessions"):
        built_in = {name: measure for name, measure in built_in.items() if not measure.data.of_sessions}
    named = (study or {}).get("more_measures")
    asked = named if isinstance(named, list) else []
    for name in asked:
        if name not in built_in:
            raise MeasureError(
                f"study.toml: more_measures: there is no measure '{name}'{nearest(str(name), sorted(built_in))}"
            )
    built_in = {name: measure for name, measure in built_in.items() if measure.data.usual or name in asked}
    own = _read((study or {}).get("measures", []), "study.toml")
    for name in own:
        if name in built_in:
            raise MeasureError(f"study.toml: measure '{name}', name: it is taken by a built-in measure")
    judged = (study or {}).get("judged_by") or ""
    if judged and judged not in {**built_in, **own}:
        raise MeasureError(
            f"study.toml: judged_by: there is no measure '{judged}'{nearest(judged, sorted({**built_in, **own}))}"
        )
    return {**built_in, **own}


def _read(entries: Any, source: str) -> dict[str, Measure]:
    if not isinstance(entries, list):
        raise MeasureError(f"{source}: measures must be tables, written [[measures]]")
    by_name: dict[str, Measure] = {}
    for place, entry in enumerate(entries, 1):
        made = _measure(entry, source, place)
        if made.name in by_name:
            raise MeasureError(f"{source}: measure '{made.name}', name: the name is used twice")
        by_name[made.name] = made
    return by_name


def _measure(entry: Any, source: str, place: int) -> Measure:
    name = entry.get("name") if isinstance(entry, dict) else None
    entry_name = f"{source}: measure '{name}'" if isinstance(name, str) else f"{source}: measure number {place}"
    try:
        data = MeasureData.model_validate(entry)
    except ValidationError as error:
        raise MeasureError(f"{entry_name}, {describe(error.errors()[0], MeasureData)}") from None
    drawn_on = SOURCES.get(data.source)
    if drawn_on is None:
        raise MeasureError(
            f"{entry_name}, source: there is no source '{data.source}'{nearest(data.source, sorted(SOURCES))}"
        )
    names = SOURCES["slices"].names | drawn_on.names
    try:
        formula = parse(data.formula, names, histograms=drawn_on.histograms, prefixes=drawn_on.prefixes)
        return Measure(data, formula)
    except FormulaError as error:
        raise MeasureError(f"{entry_name}, formula: {error}") from None

"""A paper's printed tables and conclusions as data; its rows go through the same checks as ours."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

from ..base import configuration
from ..base.csvfiles import Row, is_stored, read_bytes, read_table
from ..base.errors import ConfigurationError, StoreError
from ..base.formula import Formula, FormulaError, parse
from ..base.text import number_text
from ..models.published_conclusions import Conclusions, ContradictedClaim
from ..statistics.checks import littles_law
from . import published_layers

PUBLISHED, CLAIMS = "published.csv", "claims.toml"
KEPT = (PUBLISHED, CLAIMS, "indices.csv", "hardware.csv", *published_layers.FILES)
COLUMNS = (
    "test",
    "table",
    "environment",
    "server",
    "users_from",
    "users_to",
    "response_ms",
    "throughput_per_s",
    "deviation_ms",
    "errors",
)


@dataclass(frozen=True)
class Printed:
    """A number as printed: any value between `low` and `high` rounds to it."""

    text: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class PublishedRow:
    """A test on one server, as printed; None where the table has no such value. `line` is the row's line in the file."""

    line: int
    test: str
    table: str
    environment: str
    server: str
    users_from: int
    users_to: int
    response_ms: Printed
    throughput_per_s: Printed
    deviation_ms: Printed | None
    errors: int | None

    @property
    def mean_users(self) -> float:
        """The mean number of users over the test: for a ramp in equal steps, the middle of its ends."""
        return (self.users_from + self.users_to) / 2

    @property
    def littles_law(self) -> float:
        """Relative deviation of throughput x mean response time from the mean number of users; 0 where the law holds."""
        return littles_law(self.throughput_per_s.value, self.response_ms.value / 1000, 0, self.mean_users)


@dataclass(frozen=True)
class Contradiction:
    """The figure of the paper's tables for a claim, and its range due to the rounding of the printed numbers."""

    claim: ContradictedClaim
    figure: float
    low: float
    high: float

    @property
    def holds(self) -> bool:
        """Whether the whole range lies outside the claim, so that rounding cannot explain it."""
        claim = self.claim
        return (claim.least is not None and self.high < claim.least) or (
            claim.most is not None and self.low > claim.most
        )

    def __str__(self) -> str:
        """The tables' figure, in words."""
        unit = f" {self.claim.unit}" if self.claim.unit else ""
        assumed = f", assuming that {self.claim.assumes}" if self.claim.assumes else ""
        return f"its own tables say {number_text(self.figure)}{unit}: {self.claim.meaning}{assumed}"


def keep(study: Path, run: Path) -> None:
    """Copy the paper's numbers of a study into a run's folder, for its report.

    They are beside the study's file where its folder has its name (`papers/NAME/NAME.toml`), else in a folder of its name.
    """
    folder = study.parent if study.parent.name == study.stem else study.with_suffix("")
    for name in KEPT:
        source = folder / name
        if source.is_file():
            shutil.copyfile(source, run / name)


def read_published(path: Path) -> tuple[PublishedRow, ...]:
    """The rows of a table with COLUMNS (units in their names); raises StoreError with file and line."""
    rows: list[PublishedRow] = []
    for row in read_table(path, COLUMNS):
        made = _published_row(row)
        twin = next((earlier for earlier in rows if (earlier.test, earlier.server) == (made.test, made.server)), None)
        if twin is not None:
            raise StoreError(
                f"{path}, line {row.line}: test {made.test} of {made.server} is already in line {twin.line}"
            )
        rows.append(made)
    return tuple(rows)


def read_conclusions(path: Path) -> Conclusions:
    """A paper's conclusions, from the claims.toml of its study or of a run; raises ConfigurationError and StoreError."""
    document = _in_the_present_form(configuration.parse(read_bytes(path), str(path)))
    return configuration.validate(document, Conclusions, str(path))


def stored_conclusions(run: Path) -> Conclusions:
    """The conclusions stored with a run; empty where there are none. Raises ConfigurationError and StoreError.

    A kept run of a paper (papers/NAME/results/RUN) has those that stand beside the paper's study, which may be newer.
    """
    results = run.resolve().parent
    beside = results.parent / CLAIMS
    if results.name == "results" and beside.is_file():
        return read_conclusions(beside)
    return read_conclusions(run / CLAIMS) if is_stored(run / CLAIMS) else Conclusions()


def _in_the_present_form(document: dict[str, Any]) -> dict[str, Any]:
    """The file of an older run, whose [[claims]] were those that the paper's tables contradict."""
    claims = document.get("claims")
    if "tried" in document or (
        isinstance(claims, list) and any(isinstance(claim, dict) and "figure" in claim for claim in claims)
    ):
        return {"contradicted": claims or [], "readings": document.get("readings", [])}
    return document


def contradiction(claim: ContradictedClaim, rows: Sequence[PublishedRow]) -> Contradiction:
    """The figure of the paper's own rows for its claim, as by `contradiction_by`; raises ConfigurationError."""
    return contradiction_by(claim, _quantities(rows))


def contradiction_by(claim: ContradictedClaim, numbers: Mapping[str, Printed]) -> Contradiction:
    """The claim's figure from printed numbers by name, and its range over the corners of their rounding.

    The corners bound the figure where each number occurs once, since sums, products and ratios are then monotonic in each. Raises
    ConfigurationError where the formula is invalid, or names an unknown number.
    """
    try:
        formula = parse(claim.figure, frozenset(numbers), histograms=False)
    except FormulaError as error:
        raise ConfigurationError(f"the claim of section {claim.section}: {error}") from None
    names = sorted(formula.names)
    spans = [sorted({numbers[name].low, numbers[name].high}) for name in names]
    corners = [_value(claim, formula, dict(zip(names, corner, strict=True))) for corner in product(*spans)]
    value = _value(claim, formula, {name: numbers[name].value for name in names})
    return Contradiction(claim, value, min(corners), max(corners))


def layer_quantities(folder: Path) -> dict[str, Printed]:
    """Every printed number of layers and measures in `folder` by its name in claims.

    The names are tTABLE_TEST_SET_KIND_LAYER_percent (and _ms), without SET for the default factors and without KIND for all
    requests, and tTABLE_TEST_SET_MEASURE. Raises StoreError.
    """
    named: dict[str, str] = {}
    for row in published_layers.read_published_layers(folder / published_layers.LAYERS):
        name = "_".join(part for part in (f"t{row.table}", row.test, row.factors, row.kind, row.layer) if part).replace(
            "-", "_"
        )
        named |= {f"{name}_percent": row.percent} | ({f"{name}_ms": row.ms} if row.ms else {})
    for measure in published_layers.read_published_measures(folder / published_layers.MEASURES):
        parts = (f"t{measure.table}", measure.test, measure.factors, measure.measure)
        named["_".join(part for part in parts if part).replace("-", "_")] = measure.value
    return {name: parse_printed(text) for name, text in named.items()}


def _published_row(row: Row) -> PublishedRow:
    users_from, users_to = row.whole("users_from"), row.whole("users_to")
    if not 0 < users_from <= users_to:
        raise StoreError(
            f"{row.path}, line {row.line}: users go from {users_from} to {users_to}; both must be above 0 and not fall"
        )
    return PublishedRow(
        line=row.line,
        test=row.text("test"),
        table=row.text("table"),
        environment=row.text("environment"),
        server=row.text("server"),
        users_from=users_from,
        users_to=users_to,
        response_ms=_above_zero(row, "response_ms"),
        throughput_per_s=_above_zero(row, "throughput_per_s"),
        deviation_ms=printed_number(row, "deviation_ms") if row.text("deviation_ms") else None,
        errors=row.whole("errors") if row.text("errors") else None,
    )


def _above_zero(row: Row, name: str) -> Printed:
    printed_value = printed_number(row, name)
    if printed_value.value <= 0:
        raise StoreError(f"{row.path}, line {row.line}: {name} is {printed_value.text}, not above 0")
    return printed_value


def printed_number(row: Row, name: str) -> Printed:
    """A number as the paper prints it, with a decimal point or comma; raises StoreError."""
    text = row.text(name).strip()
    if not re.fullmatch(r"\d+([.,]\d+)?", text):
        raise StoreError(f"{row.path}, line {row.line}: {name} is '{text[:40]}', not a number as printed")
    return parse_printed(text)


def parse_printed(text: str) -> Printed:
    """A printed number, with the range of values that round to it."""
    number = Decimal(text.replace(",", "."))
    half = 0.5 * 10 ** int(number.as_tuple().exponent)
    return Printed(text, float(number), float(number) - half, float(number) + half)


def _quantities(rows: Sequence[PublishedRow]) -> dict[str, Printed]:
    """Every printed number by its name in claims."""
    by_name: dict[str, Printed] = {}
    for row in rows:
        name = f"t{row.test}_{row.server}"
        by_name[f"{name}_response_ms"], by_name[f"{name}_throughput_per_s"] = row.response_ms, row.throughput_per_s
        if row.deviation_ms is not None:
            by_name[f"{name}_deviation_ms"] = row.deviation_ms
        if row.errors is not None:
            by_name[f"{name}_errors"] = Printed(str(row.errors), row.errors, row.errors, row.errors)
    return by_name


def _value(claim: ContradictedClaim, formula: Formula, values: Mapping[str, float]) -> float:
    value = formula.evaluate(values, lambda *_: None)
    if value is None:
        raise ConfigurationError(f"the claim of section {claim.section}: '{formula.text}' has no value")
    return value

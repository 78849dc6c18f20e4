"""Formulas of measures: arithmetic on named quantities, parsed by Python's grammar with all else rejected."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .configuration import nearest

KINDS = ("response", "service", "failure", "all", "queueing", "connect", "first_byte", "session")
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}
_DEEPEST = 50


class FormulaError(ValueError):
    """A formula is not arithmetic on known names. The text describes the problem."""


@dataclass(frozen=True)
class Formula:
    """A checked formula, with the `percentiles` (kind, percent), `deviations` (kinds) and `names` (quantities) that it
    uses."""

    text: str
    tree: ast.expr
    names: frozenset[str]
    percentiles: tuple[tuple[str, float], ...]
    deviations: tuple[str, ...] = ()

    @property
    def is_deviation(self) -> bool:
        """Whether it is a standard deviation, of a histogram or from sums of squares."""
        return bool(self.deviations) or "sqrt(" in self.text

    @property
    def counts(self) -> bool:
        """Whether it is a single quantity, so that it grows with the amount measured."""
        return isinstance(self.tree, ast.Name)

    def evaluate(
        self,
        values: Mapping[str, float],
        percentile: Callable[[str, float], float | None],
        deviation: Callable[[str], float | None] = lambda _: None,
    ) -> float | None:
        """The formula's value. None where a quantity was not recorded, or for a division by zero."""
        try:
            value = _evaluate(self.tree, values, percentile, deviation)
        except (KeyError, ZeroDivisionError, OverflowError):
            return None
        return value if value is not None and math.isfinite(value) else None


def parse(text: str, known: frozenset[str], *, histograms: bool, prefixes: tuple[str, ...] = ()) -> Formula:
    """Check `text` against the grammar and the known names: `known`, and all that begin with one of `prefixes`.

    Raises FormulaError.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise FormulaError(f"'{text}' is not arithmetic ({getattr(error, 'msg', None) or error})") from None
    checked = _Checked(text, known, prefixes, histograms)
    checked.check(tree, 0)
    return Formula(text, tree, frozenset(checked.names), tuple(checked.percentiles), tuple(checked.deviations))


@dataclass
class _Checked:
    """Checks a formula, and collects the percentiles, deviations and names that it uses."""

    text: str
    known: frozenset[str]
    prefixes: tuple[str, ...]
    histograms: bool
    names: set[str] = field(default_factory=set)
    percentiles: list[tuple[str, float]] = field(default_factory=list)
    deviations: list[str] = field(default_factory=list)

    def check(self, node: ast.expr, depth: int) -> None:
        """Raises FormulaError for anything but the allowed arithmetic."""
        if depth > _DEEPEST:
            raise FormulaError("it is nested too deeply")
        match node:
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
                self.check(left, depth + 1)
                self.check(right, depth + 1)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                self.check(operand, depth + 1)
            case ast.Call(func=ast.Name(id="sqrt"), args=[inner], keywords=[]):
                self.check(inner, depth + 1)
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool) and math.isfinite(value):
                pass
            case ast.Name(id=name):
                if name not in self.known and not any(name.startswith(prefix) for prefix in self.prefixes):
                    raise FormulaError(f"'{name}' is not a quantity of this source{nearest(name, sorted(self.known))}")
                self.names.add(name)
            case ast.Call(
                func=ast.Name(id="percentile"), args=[ast.Name(id=kind), ast.Constant(value=percent)], keywords=[]
            ):
                self.percentiles.append((kind, _percent(kind, percent, self.histograms)))
            case ast.Call(func=ast.Name(id="deviation"), args=[ast.Name(id=kind)], keywords=[]):
                self.deviations.append(_kind(kind, "deviation", self.histograms))
            case _:
                part = (ast.get_source_segment(self.text.strip(), node) or type(node).__name__)[:60]
                raise FormulaError(
                    f"'{part}' is not allowed: only numbers, names, + - * /, sqrt(...), percentile(KIND, PERCENT) and "
                    "deviation(KIND)"
                )


def _percent(kind: str, percent: object, histograms: bool) -> float:
    _kind(kind, "percentile", histograms)
    if isinstance(percent, bool) or not isinstance(percent, int | float) or not 0 < percent < 100:
        raise FormulaError(f"a percentile must be between 0 and 100, not {percent!r}")
    return float(percent)


def _kind(kind: str, function: str, histograms: bool) -> str:
    if not histograms:
        raise FormulaError(f'{function}() needs source = "histograms"')
    if kind not in KINDS:
        raise FormulaError(f"'{kind}' is not a kind of time{nearest(kind, list(KINDS))}")
    return kind


def _evaluate(
    node: ast.expr,
    values: Mapping[str, float],
    percentile: Callable[[str, float], float | None],
    deviation: Callable[[str], float | None],
) -> float | None:
    match node:
        case ast.BinOp(left=left, op=operator, right=right):
            first, second = (_evaluate(side, values, percentile, deviation) for side in (left, right))
            return None if first is None or second is None else _OPERATORS[type(operator)](first, second)
        case ast.UnaryOp(operand=operand) | ast.Call(func=ast.Name(id="sqrt"), args=[operand]):
            inner = _evaluate(operand, values, percentile, deviation)
            return None if inner is None else _of_one(node, inner)
        case ast.Call(func=ast.Name(id="deviation"), args=[ast.Name(id=kind)]):
            return deviation(kind)
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.Name(id=name):
            return float(values[name])
        case ast.Call(args=[ast.Name(id=kind), ast.Constant(value=int() | float() as percent)]):
            return percentile(kind, float(percent))
    raise AssertionError("a checked formula has no other node")


def _of_one(node: ast.expr, value: float) -> float | None:
    """Minus the value or its square root, which is None below 0."""
    if isinstance(node, ast.UnaryOp):
        return -value
    return math.sqrt(value) if value >= 0 else None

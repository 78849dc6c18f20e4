"""Measures are data: read, checked with errors that name measure and key, and evaluated by arithmetic alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from steelyard.analyse.measures import registry
from steelyard.analyse.quantities import Quantities
from steelyard.base.errors import MeasureError
from steelyard.base.formula import FormulaError, parse
from steelyard.base.histogram import Histogram, empty
from steelyard.statistics.verdict_words import Better

GIVEN: dict[str, Any] = {
    "name": "bytes_in_a_second",
    "title": "Bytes in a second",
    "unit": "bytes/s",
    "better": "higher",
    "source": "slices",
    "formula": "bytes_in / seconds",
}


def own(**changes: Any) -> dict[str, Any]:
    return {"measures": [GIVEN | changes]}


def values_of(histogram: Histogram | None = None, **values: float) -> Quantities:
    return Quantities(values, lambda _: histogram or empty())


def flat_histogram(count: int) -> Histogram:
    """`count` values of 1000, 2000 ... microseconds."""
    at = np.arange(1, count + 1, dtype=np.int64) * 1000
    return Histogram(at, at.astype(float), np.ones(count, np.int64))


def test_the_usual_measures_are_there() -> None:
    found = registry()
    assert {
        "throughput",
        "response_time_mean",
        "response_time_p99_9",
        "service_time_p50",
        "cpu_per_request",
        "memory",
    } <= set(found)
    assert found["throughput"].better is Better.HIGHER
    assert found["response_time_p99"].better is Better.LOWER
    assert found["response_time_p99"].tail and not found["response_time_p90"].tail


def test_throughput_is_right_answers_over_seconds() -> None:
    assert registry()["throughput"].evaluate(values_of(completed=20_000, seconds=2.0)).value == 10_000


def test_cpu_a_request_counts_what_the_lead_in_answered_too() -> None:
    found = registry()["cpu_per_request"].evaluate(
        values_of(cpu_ns=2e9, completed=9000, lead_in_completed=900, wrong=100)
    )
    assert found.value == pytest.approx(200.0)


def test_a_study_adds_a_measure_of_its_own() -> None:
    found = registry(own())["bytes_in_a_second"]
    assert found.evaluate(values_of(bytes_in=400, seconds=4)).value == 100
    assert found.short == "Bytes in a second"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"formula": "bytes_inn / seconds"},
            r"measure 'bytes_in_a_second', formula: 'bytes_inn' .* did you mean 'bytes_in'",
        ),
        ({"formula": "cpu_ns / seconds"}, "'cpu_ns' is not a quantity of this source"),
        ({"formula": "percentile(response, 99)"}, 'percentile\\(\\) needs source = "histograms"'),
        (
            {"formula": "percentile(respones, 99)", "source": "histograms"},
            "'respones' is not a kind of time; did you mean 'response'",
        ),
        ({"formula": "percentile(response, 100)", "source": "histograms"}, "between 0 and 100"),
        ({"formula": "percentile(response, True)", "source": "histograms"}, "between 0 and 100"),
        ({"formula": "1 +"}, "is not arithmetic"),
        ({"better": "up"}, "measure 'bytes_in_a_second', key 'better'"),
        ({"units": "s"}, "unknown key 'units'.*did you mean 'unit'"),
        ({"name": "Bad Name"}, "key 'name'"),
        ({"name": "throughput"}, "measure 'throughput', name: it is taken"),
        ({"source": "slice"}, "measure 'bytes_in_a_second', source: there is no source 'slice'; did you mean 'slices'"),
        ({"source": "operations", "formula": "finished_search / seconds"}, "'finished_search' is not a quantity"),
    ],
)
def test_a_wrong_measure_is_named_with_its_key(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(MeasureError, match=said):
        registry(own(**changes))


def test_a_measure_draws_on_the_source_that_it_names() -> None:
    found = registry(own(source="operations", formula="failed_buy / (failed_buy + completed_buy)"))["bytes_in_a_second"]
    assert found.evaluate(values_of(failed_buy=1, completed_buy=3)).value == 0.25


def test_a_study_may_be_judged_only_by_a_measure_that_there_is() -> None:
    assert "bytes_in_a_second" in registry({**own(), "judged_by": "bytes_in_a_second"})
    with pytest.raises(MeasureError, match="judged_by: there is no measure 'troughput'; did you mean 'throughput'"):
        registry({"judged_by": "troughput"})


def test_measures_that_are_no_tables_are_refused() -> None:
    with pytest.raises(MeasureError, match="measures must be tables"):
        registry({"measures": "throughput"})
    with pytest.raises(MeasureError, match="measure number 1"):
        registry({"measures": [7]})
    with pytest.raises(MeasureError, match="the name is used twice"):
        registry({"measures": [GIVEN, GIVEN]})


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "seconds.__class__",
        "seconds[0]",
        "(lambda: 1)()",
        "[seconds for seconds in (1,)]",
        "seconds if seconds else 1",
        "seconds ** 9",
        "seconds // 2",
        "seconds and 1",
        "seconds < 1",
        "'a'",
        "True",
        "1e999",
        "1j",
        "f'{seconds}'",
        "open(seconds)",
        "percentile(response, 99, 1)",
        "percentile(response, percent=99)",
        "(seconds := 1)",
        "*seconds",
        "",
        "\x00",
        "(" * 500 + "1" + ")" * 500 + "+" + "-" * 200 + "1",
    ],
)
def test_a_formula_is_arithmetic_and_nothing_else(text: str) -> None:
    with pytest.raises(FormulaError):
        parse(text, frozenset({"seconds"}), histograms=True)


@given(st.text(max_size=60))
def test_no_text_can_make_a_formula_fail_otherwise(text: str) -> None:
    try:
        formula = parse(text, frozenset({"a", "b"}), histograms=True)
    except FormulaError:
        return
    value = formula.evaluate({"a": 1.0, "b": 0.0}, lambda _kind, percent: percent)
    assert value is None or isinstance(value, float)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6).filter(lambda value: abs(value) > 1e-6))
def test_arithmetic_is_that_of_floats(a: float, b: float) -> None:
    formula = parse("-(a + 2 * b) / b - 1.5", frozenset({"a", "b"}), histograms=False)
    assert formula.evaluate({"a": a, "b": b}, lambda _kind, _percent: None) == pytest.approx(-(a + 2 * b) / b - 1.5)


def test_a_division_by_nothing_is_no_value_with_a_reason() -> None:
    found = registry()["response_time_mean"].evaluate(values_of(response_ns_sum=0, completed=0))
    assert found.value is None and found.refusal == "nothing was recorded for mean response time"


def test_what_was_not_observed_is_no_value() -> None:
    assert registry()["memory"].evaluate(values_of(completed=10)).value is None


def test_a_percentile_without_support_is_refused_with_what_it_needs() -> None:
    measures = registry()
    found = measures["response_time_p99"].evaluate(values_of(flat_histogram(999)))
    assert found.value is None and found.refusal == "p99 needs 1,000 requests, and there are 999"
    assert measures["response_time_p99"].evaluate(values_of(flat_histogram(1000))).value == pytest.approx(990.0)


def waiting(*slices: tuple[int, int]) -> Quantities:
    return Quantities({}, lambda _: flat_histogram(2000), slices)


def test_a_percentile_among_requests_that_waited_longer_in_vain_is_refused() -> None:
    found = registry()["response_time_p99"].evaluate(waiting((30_000_000_000, 200)))
    assert found.value is None and "were not answered" in (found.refusal or "")


def test_requests_that_were_just_under_way_at_a_slices_end_refuse_nothing() -> None:
    """Every closed load leaves one a user; none has waited for as long as the percentile."""
    assert registry()["response_time_p99"].evaluate(waiting(*[(900_000_000, 8)] * 20)).value == pytest.approx(1980.0)
    assert (
        registry()["response_time_p99"].evaluate(waiting((30_000_000_000, 8), *[(900_000_000, 8)] * 20)).value
        is not None
    )


def test_a_deviation_is_that_of_the_values_in_the_histogram() -> None:
    values = np.array([100, 200, 300, 400])
    found = Histogram(values, values.astype(float), np.array([1, 2, 3, 4]))
    formula = parse("deviation(response) / 1000", frozenset(), histograms=True)
    quantities = Quantities({}, lambda _: found)
    value = formula.evaluate({}, quantities.percentile, quantities.deviation)
    assert value == pytest.approx(np.std(np.repeat(values, [1, 2, 3, 4]), ddof=1) / 1000)
    assert Quantities({}, lambda _: empty()).deviation("response") is None


def test_a_deviation_needs_histograms_and_a_known_kind() -> None:
    for text, histograms, said in (
        ("deviation(response)", False, "needs source"),
        ("deviation(respnse)", True, "did you mean"),
    ):
        with pytest.raises(FormulaError, match=said):
            parse(text, frozenset(), histograms=histograms)


def test_a_square_root_of_what_is_below_nothing_is_no_value() -> None:
    formula = parse("sqrt(x) + 1", frozenset({"x"}), histograms=False)
    assert formula.evaluate({"x": 9}, lambda *_: None) == 4
    assert formula.evaluate({"x": -1}, lambda *_: None) is None

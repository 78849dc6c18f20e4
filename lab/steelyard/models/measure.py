"""A measure as data: a named quantity with its unit, better direction, source and formula (measures.toml, study.toml)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .strict import Strict


class MeasureData(Strict):
    """One measure.

    `short` heads its column where the title would be too long. `source` names one of analyse/sources, whose numbers the formula
    may use beside those of `slices` (the counts and sums of slices.csv, and `seconds`, `users`, `think_ms`): `observations`
    (`cpu_ns`, `jit_ns`, `rss_bytes`, `observed_ns`), `starts` (`first_answer_s`, `steady_s`, `rest_bytes`,
    `artifact_bytes`), `operations` (`completed_OPERATION`, `failed_OPERATION`) or `histograms`
    (`percentile(KIND, PERCENT)` and `deviation(KIND)` in microseconds with a kind of intervals.hlog). Over the seconds with an
    answer, `second_means_ms_sum` and `second_means_ms_squares` sum the mean response times, and `answered_seconds` counts them.
    The formula has numbers, these names, + - * /, sqrt(...) and parentheses. It is evaluated on a slice, on a fork's slices and
    on all of them together: counts are summed, histograms merged, and the maximum is taken of rss_bytes, users and lateness.
    `of_sessions` marks a measure of whole sessions, which only a study with sessions has; `usual = false` marks one that only a
    study has that names it under `more_measures`.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
    title: Annotated[str, Field(min_length=1, max_length=80)]
    short: Annotated[str, Field(max_length=30)] = ""
    unit: Annotated[str, Field(max_length=30)]
    better: Literal["higher", "lower"]
    source: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
    formula: Annotated[str, Field(min_length=1, max_length=500)]
    of_sessions: bool = False
    usual: bool = True

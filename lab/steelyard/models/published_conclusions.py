"""A paper's conclusions from its own tables as data: claims that the tables contradict, and values read off its charts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from .strict import Strict

Test = Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9-]*$")]


class ContradictedClaim(Strict):
    """A claim that holds only where `figure` lies between `least` and `most`, and a figure that does not.

    `figure` is arithmetic on the tables, where tTEST_SERVER_COLUMN is one printed number; `meaning` describes it and `assumes`
    its assumption. `text` is the claim in our own words, `section` its place in the paper, `test` the test that it is about: of
    several, the one whose numbers contradict it.
    """

    section: str
    test: Test
    text: str
    figure: str
    meaning: str
    assumes: str = ""
    unit: str = ""
    least: float | None = None
    most: float | None = None

    @model_validator(mode="after")
    def _is_bounded(self) -> ContradictedClaim:
        if self.least is None and self.most is None:
            raise ValueError("a claim needs 'least', 'most' or both")
        return self


class TriedClaim(Strict):
    """A claim that holds where `figure`, arithmetic on this study's own figures, lies between `least` and `most`.

    In `figure` TEST_SET_KIND_LAYER_percent and TEST_SET_KIND_LAYER_ms are a layer's values (without KIND those of all requests),
    and TEST_SET_MEASURE is a measure's, with `_` for `-`; without SET they are those of each subject itself, with it those of the
    subject with that set of factors. `meaning` describes the figure, `section` is the claim's place in the paper.
    """

    section: str
    text: str
    figure: str
    meaning: str
    unit: str = ""
    least: float | None = None
    most: float | None = None

    @model_validator(mode="after")
    def _is_bounded(self) -> TriedClaim:
        if self.least is None and self.most is None:
            raise ValueError("a claim needs 'least', 'most' or both")
        return self

    def is_confirmed(self, figure: float) -> bool:
        """Whether the figure confirms the claim."""
        return (self.least is None or figure >= self.least) and (self.most is None or figure <= self.most)


class ChartReading(Strict):
    """A value that the paper read off a chart, and the detector that computes it here (a file of analyse/detectors).

    The numbers are missing where the paper names none.
    """

    section: str
    detector: str
    test: Test
    servers: Annotated[list[str], Field(min_length=1)]
    text: str
    unit: str = ""
    low: float | None = None
    high: float | None = None


class Conclusions(Strict):
    """The content of a study's claims.toml."""

    claims: list[ContradictedClaim] = []
    tried: list[TriedClaim] = []
    readings: list[ChartReading] = []

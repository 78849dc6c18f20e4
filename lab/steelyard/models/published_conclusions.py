"""A paper's claims as data: those that runs here answer, those that its own tables contradict, and values read off its charts."""

from __future__ import annotations

from typing import Annotated, Literal

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


class ClaimedQuantity(Strict):
    """A value of a kept run: a subject's `measure`, or the time of its `layers` together, in a cell.

    `kind` restricts layers to requests of a kind. With `share` the value is their percentage of all layers instead of ms.
    """

    subject: str
    cell: str
    measure: str = ""
    layers: list[str] = []
    kind: str = ""
    share: bool = False

    @model_validator(mode="after")
    def _is_one_value(self) -> ClaimedQuantity:
        if bool(self.measure) == bool(self.layers):
            raise ValueError("a quantity needs either 'measure' or 'layers'")
        if self.measure and (self.kind or self.share):
            raise ValueError("'kind' and 'share' belong to 'layers'")
        return self


class OtherClaimedQuantity(Strict):
    """The keys in which a second quantity differs from the first."""

    subject: str | None = None
    cell: str | None = None
    measure: str | None = None
    layers: list[str] | None = None
    kind: str | None = None


class OwnAnswer(Strict):
    """What of a run answers a claim: the quantity `of` itself, or its ratio or difference to another one (`than`)."""

    of: ClaimedQuantity
    by: Literal["value", "ratio", "difference"] = "value"
    than: OtherClaimedQuantity | None = None

    @model_validator(mode="after")
    def _has_two_for_a_comparison(self) -> OwnAnswer:
        if (self.by == "value") != (self.than is None):
            raise ValueError("a ratio or difference needs 'than', and a value has none")
        return self

    @property
    def other(self) -> ClaimedQuantity:
        """The second quantity, with the first one's keys where it names none."""
        named = self.than.model_dump(exclude_none=True) if self.than else {}
        return ClaimedQuantity.model_validate({**self.of.model_dump(), **named})


class PaperClaim(Strict):
    """A paper's claim, in our words, with its tolerance: it holds for values from `least` to `most`.

    `place` is where the paper makes it, `number` what the paper prints there (or a range), in `unit`. `kind` says what sort of
    claim it is: a number or more (`at least`), or less (`at most`), near a number (`about`), within the paper's own range
    (`within`), a difference too small to matter (`no difference`), or which of two is greater (`order`). `ours` answers it, in the
    kept run `run`; without that run the claim was not run. `not_comparable` is the reason why ours answers another question.
    """

    id: Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$", max_length=60)]
    text: str
    place: str
    kind: Literal["at least", "at most", "about", "within", "no difference", "order"]
    number: float | tuple[float, float] | None = None
    unit: str = ""
    least: float | None = None
    most: float | None = None
    ours: OwnAnswer | None = None
    run: str = ""
    not_comparable: str = ""
    note: str = ""

    @model_validator(mode="after")
    def _has_the_bounds_of_its_kind(self) -> PaperClaim:
        bounded = (self.least is not None, self.most is not None)
        wanted = {
            "at least": [(True, False)],
            "at most": [(False, True)],
            "order": [(True, False), (False, True)],
        }.get(self.kind, [(True, True)])
        if bounded not in wanted:
            raise ValueError(f"a claim of the kind '{self.kind}' needs {_BOUNDS[self.kind]}")
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(f"'least' is {self.least:g}, above 'most' {self.most:g}")
        return self

    @model_validator(mode="after")
    def _tolerates_its_own_number(self) -> PaperClaim:
        for number in self.numbers:
            if (self.least is not None and number < self.least) or (self.most is not None and number > self.most):
                raise ValueError(f"the paper's own number {number:g} is outside of the claim's tolerance")
        return self

    @model_validator(mode="after")
    def _has_an_answer_in_its_run(self) -> PaperClaim:
        if self.run and self.ours is None:
            raise ValueError("a claim with a 'run' needs 'ours', the quantity of it")
        return self

    @property
    def numbers(self) -> tuple[float, ...]:
        """The paper's number, both ends of its range, or nothing."""
        return () if self.number is None else self.number if isinstance(self.number, tuple) else (self.number,)


_BOUNDS = {
    "at least": "'least' alone",
    "at most": "'most' alone",
    "order": "'least' or 'most'",
    "about": "'least' and 'most'",
    "within": "'least' and 'most'",
    "no difference": "'least' and 'most'",
}


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
    """The content of a study's claims.toml: the paper's claims, those that its own tables contradict, and readings of charts."""

    setting: str = ""
    claims: list[PaperClaim] = []
    contradicted: list[ContradictedClaim] = []
    readings: list[ChartReading] = []

    @model_validator(mode="after")
    def _names_each_claim_once(self) -> Conclusions:
        names = [claim.id for claim in self.claims]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"two claims are called '{twice}'")
        return self

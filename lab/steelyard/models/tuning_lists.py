"""What a paper tuned, and the names that all papers share: papers/ (contracts/tuning*.schema.json)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from .strict import Strict
from .study import Paper

Name = Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$")]


class KnownSetting(Strict):
    """A setting that some paper tuned. `of` says whose it is: descriptors answer a server's, `here` answers any other."""

    of: Literal["server", "service", "client", "machine", "run"]
    meaning: str
    here: str | None = None

    @model_validator(mode="after")
    def _answered_once(self) -> KnownSetting:
        if (self.of == "server") == (self.here is not None):
            raise ValueError("'here' answers a setting that is not a server's, and only such a one")
        return self


class SettingNames(Strict):
    """The names that all lists and descriptors share."""

    settings: dict[Name, KnownSetting]


class Tuned(Strict):
    """One thing that the paper set: of which product, to what value in which unit, in its own words, in which section."""

    setting: Name
    product: str
    value: str
    unit: str = ""
    words: str
    section: str


class TuningList(Strict):
    """A paper's tuning list; where it has none, `remark` says so."""

    paper: Paper
    tuned: list[Tuned] = []
    remark: str = ""

    @model_validator(mode="after")
    def _not_silent(self) -> TuningList:
        if not self.tuned and not self.remark:
            raise ValueError("a list without a setting needs a remark that says so")
        return self

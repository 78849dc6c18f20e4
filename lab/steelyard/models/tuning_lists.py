"""The parameters that papers tuned, by names that all lists share: papers/ (contracts/tuning*.schema.json)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from .strict import Strict
from .study import Paper

Name = Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$")]


class KnownSetting(Strict):
    """A setting that some paper tuned. `of` is its owner: descriptors answer a server's setting, `here` answers any other."""

    of: Literal["server", "service", "client", "machine", "run"]
    meaning: str
    here: str | None = None

    @model_validator(mode="after")
    def _answered_once(self) -> KnownSetting:
        if (self.of == "server") == (self.here is not None):
            raise ValueError("'here' is required for settings other than a server's, and only for these")
        return self


class SettingNames(Strict):
    """The names of settings in all lists and descriptors."""

    settings: dict[Name, KnownSetting]


class Tuned(Strict):
    """One setting of the paper: the product, the value and unit, the paper's own words, and the section."""

    setting: Name
    product: str
    value: str
    unit: str = ""
    words: str
    section: str


class TuningList(Strict):
    """A paper's tuning list; an empty list needs a `remark`."""

    paper: Paper
    tuned: list[Tuned] = []
    remark: str = ""

    @model_validator(mode="after")
    def _not_silent(self) -> TuningList:
        if not self.tuned and not self.remark:
            raise ValueError("a list without settings needs a remark")
        return self

"""The base of every model: frozen, and closed to unknown keys; and a computed number, with its significant digits."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from ..base.rounding import significant

Significant = Annotated[float, AfterValidator(significant)]


class Strict(BaseModel):
    """A value that passes between the parts; an unknown key is an error, never ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

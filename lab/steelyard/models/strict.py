"""The base of every model: frozen, and closed to unknown keys."""

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """A value that passes between the parts; an unknown key is an error, never ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

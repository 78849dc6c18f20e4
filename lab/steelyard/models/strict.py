"""The base of every model: frozen, and closed to unknown keys; and a computed number, with its significant digits."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

from ..base.rounding import significant

Significant = Annotated[float, AfterValidator(significant)]


class Strict(BaseModel):
    """A value that passes between the parts; an unknown key is an error, never ignored."""

    # A model is built when it is first used: a command uses few of them, and all together take an eighth of a second.
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, defer_build=True)


class Variant(Strict):
    """One of several classes of value. Its `kind` is written even where defaults are left out: readers choose the class by it."""

    kind: str

    @model_serializer(mode="wrap")
    def _with_kind(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {"kind": self.kind, **serialize(self)}

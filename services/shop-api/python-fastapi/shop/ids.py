"""Ids in paths and queries."""

from typing import Annotated

from fastapi import Depends, Path, Query
from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from .messages import MOST_ID, MOST_IDS
from .refusal import NotValidError


def whole_number(text: str) -> int:
    """A number that is written with digits alone: Pydantic would also take 1.0 and 1_0."""
    if not (text.isascii() and text.isdecimal()):
        raise ValueError("not a whole number")
    return int(text)


_Id = Annotated[int, BeforeValidator(whole_number), Field(ge=1, le=MOST_ID)]
_LIST = TypeAdapter(Annotated[list[_Id], Field(max_length=MOST_IDS)])


async def list_of(ids: Annotated[str, Query()]) -> list[int]:
    """The ids of a list with commas."""
    try:
        return _LIST.validate_python(ids.split(",", MOST_IDS))
    except ValidationError:
        raise NotValidError from None


PathId = Annotated[int, BeforeValidator(whole_number), Path(ge=1, le=MOST_ID)]
ListedIds = Annotated[list[int], Depends(list_of)]

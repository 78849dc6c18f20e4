"""The interface of a detector of shaped loads: the load profiles that it reads, and its sentence on a subject."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...models.records import Cell
from ..blocks import Series


def no_joint_text(_: Mapping[str, Sequence[Series]]) -> str | None:
    """The `together` of a detector that does not compare subjects."""
    return None


@dataclass(frozen=True)
class Detector:
    """A question that is answered for every block with one of the `profiles`.

    `question` follows "Not judged " in a sentence, with the subject in place of {}. `say` answers it in a sentence for one subject
    by its label, from each fork's seconds in a cell; it raises InsufficientDataError where the data do not suffice. `together`
    compares all subjects by label, or returns None.
    """

    name: str
    profiles: frozenset[str]
    question: str
    say: Callable[[str, Sequence[Series], Cell], str]
    together: Callable[[Mapping[str, Sequence[Series]]], str | None] = no_joint_text

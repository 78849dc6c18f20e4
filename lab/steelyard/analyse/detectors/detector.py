"""What a detector of loads with a shape is: the profiles that it reads, and the sentence that it says of a subject."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...models.records import Cell
from ..blocks import Series


def no_joint_text(_: Mapping[str, Sequence[Series]]) -> str | None:
    """A detector that says nothing of subjects side by side."""
    return None


@dataclass(frozen=True)
class Detector:
    """A question that is put to every block of the `profiles` named.

    `question` is what follows "Not judged ", with the subject for {}. `say` answers it in a sentence for a subject by its
    label, of each fork's seconds in a cell; raises InsufficientDataError where these do not tell. `together` says of all
    subjects, by label, what can only be said side by side, or None.
    """

    name: str
    profiles: frozenset[str]
    question: str
    say: Callable[[str, Sequence[Series], Cell], str]
    together: Callable[[Mapping[str, Sequence[Series]]], str | None] = no_joint_text

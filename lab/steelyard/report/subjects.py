"""The order of cells and the labels of subjects throughout the report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..analyse.decisions import tests_in_order
from ..models.records import Cell
from ..results.stored_run import Run
from .drawing import COLOURS, DASHES, PATHS, Picture, shape_of

_LONG = 16  # characters of a label from which names are shortened


def cells(run: Run) -> list[Cell]:
    """The cells in display order, the primary one first."""
    return sorted(run.schedule.cells, key=lambda cell: not cell.primary)


def cell_word(run: Run) -> str:
    """The word for a cell as a column heading."""
    return "test" if tests_in_order(run) else "operation"


def full_label(run: Run, label: str) -> str:
    """A subject's label on the page (see `short_labels`), with its permanent caveats."""
    known = ["floor"] if label in run.floors else []
    known += [f"JDK {major}" for subject, major in run.unusual_jdks.items() if subject == label]
    shown = short_labels(run.schedule.subjects).shown.get(label, label)
    return f"{shown} ({', '.join(known)})" if known else shown


@dataclass(frozen=True)
class ShortLabels:
    """Labels as a page shows them. `shared` is their common part, such as `SERVER@variant=\u2026`; empty for whole labels."""

    shown: Mapping[str, str]
    shared: str = ""

    def in_sentence(self, sentence: str) -> str:
        """The sentence with the short labels."""
        every = "|".join(re.escape(label) for label in sorted(self.shown, key=len, reverse=True))
        return re.sub(rf"(?<![\w@=.-])(?:{every})(?![\w@=-])", lambda match: self.shown[match[0]], sentence)


def short_labels(labels: Sequence[str]) -> ShortLabels:
    """Long labels without the server and settings that all share.

    They stay whole where what is left would not tell them apart. A label that is only what is shared is shown by its server.
    """
    whole = ShortLabels({label: label for label in labels})
    if len(labels) < 2 or max(map(len, labels)) <= _LONG:
        return whole
    servers, settings = zip(*((label.split("@")[0], label.split("@")[1:]) for label in labels), strict=True)
    shared = [setting for setting in settings[0] if all(setting in others for others in settings)]
    own = [[setting for setting in mine if setting not in shared] for mine in settings]
    if len(set(servers)) > 1:
        shown = ["@".join([server, *mine]) for server, mine in zip(servers, own, strict=True)]
        pattern = "@".join(["\u2026", *shared])
    else:
        factors = {setting.partition("=")[:2] for mine in own for setting in mine}
        factor = "".join(factors.pop()) if len(factors) == 1 else ""
        factor = factor if factor.endswith("=") else ""
        shown = ["@".join(setting.removeprefix(factor) for setting in mine) or servers[0] for mine in own]
        pattern = "@".join([servers[0], f"{factor}\u2026", *shared])
    if shown == list(labels) or len(set(shown)) < len(shown):
        return whole
    return ShortLabels(dict(zip(labels, shown, strict=True)), pattern)


def present(pictures: Iterable[Picture | None]) -> tuple[Picture, ...]:
    """The pictures, without missing ones."""
    return tuple(shown for shown in pictures if shown is not None)


def legend(run: Run) -> Iterator[tuple[str, str, str, str]]:
    """Subject, colour, path of its shape, and its dash pattern, as in the charts."""
    for place, label in enumerate(run.schedule.subjects):
        colour = f"var(--series-{place % len(COLOURS)})"
        dash = " ".join(str(length) for length in DASHES[place % len(DASHES)])
        yield full_label(run, label), colour, PATHS[shape_of(place)], dash


def text(value: object) -> str:
    """A value of a stored study if it is text, else an empty string."""
    return value if isinstance(value, str) else ""

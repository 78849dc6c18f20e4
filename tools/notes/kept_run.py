"""A kept run as notes are made of it: its files read once, its figures by name, and the sentences that every kept run has."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from steelyard.base.csvfiles import read_document
from steelyard.base.text import ratio_text
from steelyard.models.verdict import Comparison, Figure, LayerFigure, Verdicts
from steelyard.results.stored_run import Run, read_run


@dataclass(frozen=True)
class Kept:
    """A kept run with its verdicts."""

    folder: Path

    @cached_property
    def run(self) -> Run:
        """The stored run."""
        return read_run(self.folder)

    @cached_property
    def verdicts(self) -> Verdicts:
        """verdicts.json."""
        return Verdicts.model_validate(read_document(self.folder / "verdicts.json"))

    @cached_property
    def primaries(self) -> list[Comparison]:
        """The comparisons that were judged."""
        return [one for one in self.verdicts.comparisons if one.primary]

    @cached_property
    def others(self) -> list[str]:
        """The subjects without the reference."""
        return [label for label in self.run.schedule.subjects if label != self.run.schedule.reference]

    @cached_property
    def judged_cells(self) -> list[str]:
        """The cells that were judged, in the order of the study."""
        return list(dict.fromkeys(one.cell for one in self.primaries))

    def between(self, a: str, b: str, cell: str = "") -> Comparison:
        """The judged comparison of two subjects in a cell; none said, the first time that they were compared."""
        return next(one for one in self.primaries if {one.a, one.b} == {a, b} and cell in ("", one.cell))

    def ratio(self, a: str, b: str, cell: str = "") -> float:
        """a over b."""
        one = self.between(a, b, cell)
        assert one.ratio is not None
        return one.ratio if one.a == a else 1 / one.ratio

    def shown_better(self, a: str, b: str) -> bool:
        """Whether a was shown to be better than b."""
        one = self.between(a, b)
        return one.verdict == ("faster" if one.a == a else "slower")

    def figure(self, subject: str, cell: str, measure: str) -> Figure:
        """A subject's figure of a measure in a cell."""
        wanted = (subject, cell, measure)
        (figure,) = [one for one in self.verdicts.figures if (one.subject, one.cell, one.measure) == wanted]
        return figure

    def value(self, subject: str, cell: str, measure: str) -> float:
        """Its value."""
        value = self.figure(subject, cell, measure).value
        assert value is not None
        return value

    def layer(self, subject: str, cell: str, layer: str) -> LayerFigure:
        """A layer of all of a subject's requests in a cell."""
        wanted = (subject, cell, layer)
        (figure,) = [one for one in self.verdicts.layers if (one.subject, one.cell, one.layer) == wanted]
        return figure

    @cached_property
    def steady(self) -> dict[str, tuple[int, int]]:
        """By subject: forks in which it was steady on all that was warmed up, and forks that it was in."""
        forks, met = Counter[str](), Counter[str]()
        for trial in self.run.trials:
            said: dict[str, bool] = {}
            for one in trial.record.steady if trial.record is not None else ():
                said[one.subject] = said.get(one.subject, True) and one.met
            forks.update(list(said))
            met.update(subject for subject, all_met in said.items() if all_met)
        return {subject: (met[subject], forks[subject]) for subject in self.run.schedule.subjects}

    def seldom_steady(self, subject: str) -> bool:
        """Whether it was steady in less than half of its forks."""
        met, forks = self.steady[subject]
        return 2 * met < forks

    @cached_property
    def on_a_jvm(self) -> list[str]:
        """The subjects whose server runs on a JDK; companions, before it, may do so as well."""
        subjects: Mapping[str, Sequence[Mapping[str, object]]] = self.run.environment["subjects"]
        return [label for label, parts in subjects.items() if parts[-1].get("jdk")]


def ratio_in(kept: Kept, subject: str, cell: str) -> str:
    """A subject's ratio to the reference in a judged cell with its interval, bold where it was decided; the verdict where there is
    none."""
    one = kept.between(subject, kept.run.schedule.reference, cell)
    if one.ratio is None or one.interval is None:
        return str(one.verdict)
    low, high = (ratio_text(bound, one.interval) for bound in one.interval)
    shown = ratio_text(one.ratio, one.interval)
    return f"{f'**{shown}**' if one.is_decided else shown} ({low} to {high})"


def table_by_cell(kept: Kept, of: Callable[[Kept, str, str], str], ending: str = "", before: Sequence[str] = ()) -> str:
    """A row for each judged cell, whose name is shown without `ending`, and a column for each subject: those `before` the others
    than the reference come first."""
    subjects = [*before, *kept.others]
    rows = [f"| | {' | '.join(subjects)} |", f"|---|{'--:|' * len(subjects)}"]
    for cell in kept.judged_cells:
        rows.append(f"| {cell.removesuffix(ending)} | {' | '.join(of(kept, each, cell) for each in subjects)} |")
    return "\n".join(rows)


class NoLongerTrueError(Exception):
    """A sentence of this page that the kept run no longer supports."""


def true(condition: bool, sentence: str) -> str:
    """The sentence; raises NoLongerTrueError where its condition does not hold."""
    if not condition:
        raise NoLongerTrueError(sentence)
    return sentence


def command(kept: Kept) -> str:
    """The command that made the run, over several lines where it is long."""
    words = shlex.join(kept.run.environment["command"])
    lines = [""]
    for word in words.split(" "):
        if len(lines[-1]) + len(word) > 110:
            lines.append("  ")
        lines[-1] += f" {word}" if lines[-1].strip() else word
    return " \\\n".join("    " + line for line in lines)


def steadiness(kept: Kept) -> str:
    """Forks in which each subject was steady when it was measured."""
    some = {subject: (met, forks) for subject, (met, forks) in kept.steady.items() if met < forks}
    if len(some) < len(kept.steady):
        except_for = ", ".join(f"{subject} ({met} of {forks})" for subject, (met, forks) in some.items())
        sentence = "Each subject was steady in all of its forks, by the rule in METHODOLOGY"
        return f"{sentence}, except {except_for}." if some else f"{sentence}."
    each = ", ".join(f"{subject} in {met} of {forks}" for subject, (met, forks) in some.items())
    return f"Steady during the measurement, by the rule in METHODOLOGY: {each} forks."


def tally(kept: Kept) -> str:
    """The number of judged comparisons with each verdict."""
    words = Counter(str(one.verdict) for one in kept.primaries)
    decided = sum(one.is_decided for one in kept.primaries)
    open_ = ", ".join(f"{words[name]} {name}" for name in ("undecided", "unconfirmed", "too few forks") if words[name])
    return f"Of {len(kept.primaries)} judged comparisons {decided} were decided" + (f"; {open_}." if open_ else ".")


def listed(sentences: Sequence[str]) -> str:
    """Sentences as a list."""
    return "\n".join(f"- {sentence}" for sentence in sentences)

"""Verdicts as English sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..base.text import (
    bytes_text,
    is_turned,
    join_words,
    lower_first,
    percent_text,
    plural,
    spoken_range,
    spoken_ratio,
    upper_first,
)
from ..statistics.verdict_words import Word, word

if TYPE_CHECKING:
    from ..models.records import Place
    from ..models.verdict import ContradictedRun, Elsewhere, Rank
    from .ratios import Compared
    from .verdicts import Judgement, Ranked


HERE = "on this machine"
NOW = f"{HERE}, at this hour"  # the scope of a result without a prediction
_MOST_NAMED = 2  # cells or operations that a sentence lists; more are counted
# The words for a subject in cells of a grid with this verdict, and the word before the other subject.
_IN_CELLS = {
    Word.FASTER: ("faster", " than"),
    Word.SLOWER: ("slower", " than"),
    Word.EQUIVALENT: ("equivalent", " to"),
    Word.UNDECIDED: ("undecided", " against"),
    Word.UNCONFIRMED: ("unconfirmed", " against"),
    Word.TOO_FEW_FORKS: ("judged by too few forks", " against"),
    None: ("without a verdict", " against"),
}
_DEEDS = {
    "out-of-memory": "ran out of memory",
    "deadlock": "deadlocked",
    "self-deadlock": "deadlocked itself",
    "hung": "hung",
    "killed": "was killed",
    "died": "died",
    "too-slow": "was too slow",
    "no-answer": "gave no answer",
    "wrong-answer": "gave wrong answers",
    "not-ready": "did not start",
    "not-back": "did not recover from a fault",
    "contract": "broke the contract",
    "state": "started from a wrong state",
    "reconciliation": "failed its reconciliation",
    "budget": "was cut by the end of the budget",
    "defect": "was stopped by a defect of Steelyard",
}


def failure_phrase(kind: str) -> str:
    """The phrase for a kind of failure, such as "ran out of memory"."""
    return _DEEDS.get(kind, f"failed ({kind})")


def load_text(place: Place) -> str:
    """The load under which something happened, such as "at 8 users on search, requests of 2.0 KiB"."""
    return f"at {plural(place.users, 'user')} on {place.cell}, requests of {bytes_text(place.request_bytes)}"


@dataclass(frozen=True)
class Wording:
    """A verdict in words: the verdict, its basis (empty where there is none), and its limitations. A `detail` belongs to a summary
    above it."""

    verdict: str
    basis: str = ""
    reasons: str = ""
    detail: bool = False

    def __str__(self) -> str:
        basis = f" ({self.basis})" if self.basis else ""
        return f"{self.verdict}{basis}." + (f" {self.reasons}" if self.reasons else "")


def verdict(
    judgement: Judgement,
    margin: float,
    reasons: Sequence[str] = (),
    expected: Elsewhere | None = None,
    *,
    holds_elsewhere: bool = False,
    processors: int | None = None,
) -> Wording:
    """One comparison's verdict in words, with the prediction `expected`.

    Such as "this is slower than that on echoStruct: 0.97 times the throughput, on this machine, at this hour (95% interval 0.95 to
    0.98, 4 forks, 40 pairs).". `processors` is the number of server processors, which a ratio may depend on (None: not recorded, or
    different for both).
    """
    compared, verdict_word = judgement.compared, judgement.word or Word.UNDECIDED
    where = "" if processors is None or compared.ratio is None else f" on {plural(processors, 'server processor')}"
    where += "" if holds_elsewhere or compared.ratio is None else f", {NOW}"
    return Wording(
        f"{_opening(compared, verdict_word, margin, judgement.direction)}: {amount(compared)}{where}",
        "; ".join(part for part in (basis(compared), prediction_text(expected)) if part),
        " ".join(f"{upper_first(reason)}." for reason in reasons),
    )


def _opening(compared: Compared, verdict_word: Word, margin: float, direction: Word | None) -> str:
    where = f"on {compared.cell.where}"
    match verdict_word:
        case Word.EQUIVALENT if direction is not None:
            return f"{compared.a} is {direction} than {compared.b} {where}, by less than the margin of {margin:.0%}"
        case Word.FASTER | Word.SLOWER:
            return f"{compared.a} is {verdict_word} than {compared.b} {where}"
        case Word.EQUIVALENT:
            return f"{compared.a} and {compared.b} are equivalent {where}, within {margin:.0%}"
        case Word.UNCONFIRMED if compared.interval is not None:
            alone = word(compared.interval, compared.measure.better, margin)
            return f"Unconfirmed that {_opening(compared, alone, margin, None)}"
        case Word.TOO_FEW_FORKS:
            return f"Too few forks to judge {compared.a} against {compared.b} {where}"
        case _:
            return f"Undecided between {compared.a} and {compared.b} {where}"


def over_subjects(by_subject: Sequence[Sequence[Judgement]]) -> Wording:
    """All subjects' verdicts in all cells that are judged together.

    Such as "Over a grid of 5 cells of echoList, on this machine, by throughput beside that: this is faster in 2 (1.10 to 2.30
    times); no decision on another.".
    """
    first, whole = by_subject[0][0].compared, len(by_subject[0])
    clauses: list[str] = []
    undecided: list[str] = []
    for judgements in by_subject:
        subject = judgements[0].compared.a
        decided = [
            clause
            for verdict_word in Word
            if verdict_word.decides and (clause := _decided_in(judgements, verdict_word, whole))
        ]
        if decided:
            clauses.append(f"{subject} is {join_words(decided)}")
        else:
            undecided.append(subject)
    if undecided:
        clauses.append(f"no decision on {join_words(undecided)}")
    return Wording(
        f"{_cells_text(by_subject[0])}, by {quantity_text(first)} beside {first.b}: {'; '.join(clauses)}",
        _size([judgement for judgements in by_subject for judgement in judgements], whole),
    )


def _decided_in(judgements: Sequence[Judgement], verdict_word: Word, whole: int) -> str:
    """The number of cells where a subject has this word, such as "faster in 2 (1.10 to 2.30 times)"; empty for none."""
    cells = [judgement.compared for judgement in judgements if judgement.word is verdict_word]
    if not cells:
        return ""
    words, _ = _IN_CELLS[verdict_word]
    amounts = _direction_note(judgements) if verdict_word is Word.EQUIVALENT else f" ({_times_text(cells)})"
    return f"{words} in {f'all {whole}' if len(cells) == whole else len(cells)}{amounts}"


def _direction_note(judgements: Sequence[Judgement]) -> str:
    """The number of equivalent cells with a shown difference, such as " (slower by less than the margin in 2)"; empty for none."""
    directions = [judgement.direction for judgement in judgements if judgement.word is Word.EQUIVALENT]
    shown = [
        f"{verdict_word} by less than the margin in {directions.count(verdict_word)}"
        for verdict_word in (Word.FASTER, Word.SLOWER)
        if verdict_word in directions
    ]
    return f" ({', '.join(shown)})" if shown else ""


def _size(judgements: Sequence[Judgement], whole: int) -> str:
    """The data behind verdicts over a grid."""
    forks = sorted({len(judgement.compared.counted_forks) for judgement in judgements})
    counts = plural(forks[-1], "fork") if forks[0] == forks[-1] else f"{forks[0]} to {forks[-1]} forks"
    return f"adjusted for {whole} cells, {counts}"


def over_cells(judgements: Sequence[Judgement]) -> Wording:
    """One subject's verdicts in all cells that are judged together.

    Such as "Over a grid of 6 cells of echoList, on this machine, this is faster than that in 5, 1.10 to 2.30 times the throughput;
    undecided in 1 (echoList, ListSize 1, 1 user).".
    """
    first, whole = judgements[0].compared, len(judgements)
    clauses: list[str] = []
    for verdict_word, (words, joined) in _IN_CELLS.items():
        cells = [judgement.compared for judgement in judgements if judgement.word is verdict_word]
        if not cells:
            continue
        against = f"{joined} {first.b}" if joined and not clauses else ""
        named = (
            f" ({'; '.join(_bare_cell_name(compared) for compared in cells)})"
            if len(cells) <= _MOST_NAMED < whole
            else ""
        )
        amounts = f", {_times_text(cells, quantity_text(first))}" if verdict_word in (Word.FASTER, Word.SLOWER) else ""
        amounts += _direction_note(judgements) if verdict_word is Word.EQUIVALENT else ""
        where = f"all {whole}" if len(cells) == whole else str(len(cells))
        clauses.append(f"{words}{against} in {where}{named}{amounts}")
    gaps = sum(judgement.gap is not None for judgement in judgements)
    differ = f"In {plural(gaps, 'cell')} the shares of failures differ beyond chance." if gaps else ""
    return Wording(f"{_cells_text(judgements)}, {first.a} is {'; '.join(clauses)}", _size(judgements, whole), differ)


def _cells_text(judgements: Sequence[Judgement]) -> str:
    """The cells of a sentence by their operations: a study may have several grids."""
    operations = list(dict.fromkeys(judgement.compared.cell.operation for judgement in judgements))
    cell = judgements[0].compared.cell
    if cell.load:
        return f"Over {plural(len(judgements), 'operation')} under {cell.title}, {NOW}"
    named = join_words(operations) if len(operations) <= _MOST_NAMED else plural(len(operations), "operation")
    return f"Over a grid of {len(judgements)} cells of {named}, {NOW}"


def _bare_cell_name(compared: Compared) -> str:
    """The name of a cell among others of its grid, without its own brackets."""
    cell = compared.cell
    if cell.load:
        return cell.operation
    return f"{cell.operation}, {cell.size}" if cell.size else cell.name


def _times_text(cells: Sequence[Compared], quantity: str = "") -> str:
    """The lowest and the highest ratio of these: `1.10 to 2.30 times the throughput`, `throughput 11 to 24 times lower`."""
    ratios = sorted(compared.ratio for compared in cells if compared.ratio is not None)
    if not ratios:
        return "-"
    low, high = ratios[0], ratios[-1]
    text = spoken_ratio(low) if spoken_ratio(low) == spoken_ratio(high) else spoken_range((low, high), low)
    if is_turned(low):
        return f"{quantity} {text}".strip()
    return f"{text} times{f' the {quantity}' if quantity else ''}"


def no_verdict(reasons: Sequence[str], compared: Compared | None = None) -> Wording:
    """Why there is no verdict, for all or for one comparison: the first reason, and the number of others."""
    more = f", and {plural(len(reasons) - 1, 'more reason')}" if len(reasons) > 1 else ""
    where = f" on {compared.a} against {compared.b}" if compared is not None else ""
    return Wording(f"No verdict{where}: {reasons[0]}{more}")


def contradiction_text(contradiction: ContradictedRun) -> str:
    """A contradicting earlier run, with both intervals."""
    here, before = (
        f"{spoken_ratio(ratio, interval)} ({spoken_range(interval, ratio)})"
        for ratio, interval in (
            (contradiction.ratio, contradiction.interval),
            (contradiction.earlier_ratio, contradiction.earlier_interval),
        )
    )
    where = {
        True: " on this machine since it was started",
        False: " on another machine, or before this one was restarted",
    }
    when = where.get(contradiction.same_boot, "") if contradiction.same_boot is not None else ""
    return (
        f"this contradicts the earlier run {contradiction.earlier} of the same question{when}: {here} now, {before} then; "
        "each holds only for its machine and hour"
    )


def ranking(compared: Compared, ranked: Sequence[Ranked], floors: Sequence[str], unranked: Sequence[str]) -> Wording:
    """Places in words, such as "By throughput on echoStruct, on this machine: this 1, that 2, another 3."; best measured first."""
    places = ", ".join(f"{place.subject} {place_text(place)}" for place in ranked)
    reasons = []
    if any(place.best < place.worst for place in ranked):
        reasons.append("Each range of places holds the places that no decided pair contradicts.")
    if floors:
        kind = "it is a floor" if len(floors) == 1 else "they are floors"
        reasons.append(f"Not ranked, because {kind}: {join_words(floors)}.")
    if unranked:
        reasons.append(f"Not ranked, because too few of their forks count: {join_words(unranked)}.")
    where = f"on {compared.cell.where}, {NOW}"
    return Wording(f"By {quantity_text(compared)} {where}: {places}", reasons=" ".join(reasons))


def place_text(rank: Ranked | Rank) -> str:
    """The possible places of a subject, such as "4 to 8"."""
    return str(rank.best) if rank.best == rank.worst else f"{rank.best} to {rank.worst}"


def amount(compared: Compared) -> str:
    """The ratio in words, such as "1.2 times the throughput", or "throughput 13 times lower" below 0.1."""
    if compared.ratio is None:
        return "nothing could be compared"
    return amount_text(compared.ratio, compared.bounds, quantity_text(compared))


def amount_text(ratio: float, bounds: tuple[float, float] | None, quantity: str) -> str:
    """As `amount`, of a ratio of this quantity."""
    text = spoken_ratio(ratio, bounds)
    return f"{quantity} {text}" if is_turned(ratio) else f"{text} times the {quantity}"


def basis(compared: Compared) -> str:
    """The interval, with the number of forks and pairs; empty where there is no ratio."""
    if compared.ratio is None:
        return ""
    bounds = compared.bounds
    if bounds is None:
        return compared.size
    widened = "; no narrower than their pairs allow" if compared.is_widened else ""
    return (
        f"{percent_text(compared.confidence)} interval {spoken_range(bounds, compared.ratio)}, {compared.size}{widened}"
    )


def prediction_text(expected: Elsewhere | None) -> str:
    """The prediction for another session, with the assumed deviation between sessions; empty where there is none."""
    if expected is None:
        return ""
    by = f", assuming that sessions differ by {100 * expected.deviation:.2g}%" if expected.assumed else ""
    return f"expected on another day or machine of this kind: {spoken_range(expected.interval)}{by}"


def quantity_text(compared: Compared) -> str:
    """The measure of a comparison within a sentence."""
    return lower_first(compared.measure.title)

"""The words of a verdict, and the joint error rate of several comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from .interval import Interval, equivalence_p_value, p_value

MARGIN = 0.03


class Better(StrEnum):
    """The better direction of a measure."""

    HIGHER = "higher"
    LOWER = "lower"


class Word(StrEnum):
    """The verdict's word on the first subject against the second; the last three decide nothing, each for another reason."""

    FASTER = "faster"
    SLOWER = "slower"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"  # its interval contains 1
    UNCONFIRMED = "unconfirmed"  # decided as a single comparison, but not among all comparisons
    TOO_FEW_FORKS = "too few forks"

    @property
    def decides(self) -> bool:
        """Whether a difference or an equivalence was shown."""
        return self in (Word.FASTER, Word.SLOWER, Word.EQUIVALENT)


def word(ratio: Interval, better: Better, margin: float = MARGIN) -> Word:
    """The verdict for an interval of the ratio a / b (not of its logarithm); rule 7 of METHODOLOGY.

    Equivalent where the interval lies within [1 / (1 + margin), 1 + margin]; else faster or slower where it excludes 1; else
    undecided. This order keeps a tiny but certain difference from raising an alarm.
    """
    if ratio.low >= 1 / (1 + margin) and ratio.high <= 1 + margin:
        return Word.EQUIVALENT
    if ratio.low > 1 or ratio.high < 1:
        return _direction(ratio.estimate > 1, better)
    return Word.UNDECIDED


def _direction(above: bool, better: Better) -> Word:
    return Word.FASTER if above == (better is Better.HIGHER) else Word.SLOWER


@dataclass(frozen=True)
class Judged:
    """One comparison's forks (log ratios a / b), the better direction, and the least deviation of the forks."""

    fork_log_ratios: Sequence[float]
    better: Better
    least_deviation: float = 0.0


@dataclass(frozen=True)
class PValues:
    """One comparison by its p-values: of an equivalence within the margin and of a difference; whether a / b is above 1."""

    equivalence_p: float
    difference_p: float
    above: bool
    better: Better


@dataclass(frozen=True)
class Given:
    """The word for a comparison, and the direction of any shown difference (faster or slower), also within the margin."""

    word: Word
    direction: Word | None

    @property
    def text(self) -> str:
        """The word in the report: a shown difference is mentioned, even within the margin."""
        return verdict_text(self.word, self.direction)


def verdict_text(word: str, direction: str | None) -> str:
    """A verdict's word as text: an equivalence with a shown difference has its direction."""
    return f"{direction}, by less than the margin" if word == Word.EQUIVALENT and direction is not None else str(word)


def words(comparisons: Sequence[Judged], alpha: float, margin: float = MARGIN) -> list[Given]:
    """The words for several comparisons, by their forks, with a chance of any wrong one of at most `alpha`."""
    return words_of(
        [
            PValues(
                equivalence_p_value(item.fork_log_ratios, margin, item.least_deviation),
                p_value(item.fork_log_ratios, least_deviation=item.least_deviation),
                math.fsum(item.fork_log_ratios) > 0,
                item.better,
            )
            for item in comparisons
        ],
        alpha,
    )


def words_of(comparisons: Sequence[PValues], alpha: float) -> list[Given]:
    """The words and directions for several comparisons with a chance of any wrong one of at most `alpha`.

    Holm 1979, "A simple sequentially rejective multiple test procedure", over both hypotheses of every comparison ("no
    difference", "a difference beyond the margin"). At most one of the two is true, so the divisor never exceeds the number of
    comparisons (Shaffer 1986, "Modified sequentially rejective multiple test procedures"). For one comparison this equals `word`
    on the 1 - alpha interval; for several, a result that `word` would decide and this does not is unconfirmed.
    """
    total = len(comparisons)
    hypotheses = sorted(
        [(item.equivalence_p, 0, place) for place, item in enumerate(comparisons)]
        + [(item.difference_p, 1, place) for place, item in enumerate(comparisons)]
    )
    equivalent: set[int] = set()
    different: set[int] = set()
    alone = {place for chance, _, place in hypotheses if chance <= alpha}
    for rejected, (chance, kind, place) in enumerate(hypotheses):
        if chance > alpha / min(total, 2 * total - rejected):
            break
        (different if kind else equivalent).add(place)
    given = []
    for place, item in enumerate(comparisons):
        direction = _direction(item.above, item.better) if place in different else None
        if place in equivalent:
            given.append(Given(Word.EQUIVALENT, direction))
        elif direction is not None:
            given.append(Given(direction, direction))
        else:
            given.append(Given(Word.UNCONFIRMED if place in alone else Word.UNDECIDED, None))
    return given

"""The pages of docs/method state the code's constants; each is compared with the code."""

from __future__ import annotations

import pytest
from steelyard.analyse import instrument
from steelyard.base.paths import root
from steelyard.measure.trial.jobs import ANSWERS_IN_A_TURN, ANSWERS_UNDER_WAY_IN_A_TURN
from steelyard.models.study import Study
from steelyard.plan.designs.design import MOST_IN_A_TRIAL
from steelyard.plan.slices import QUIET_AT_REST
from steelyard.plan.stopping import LEAST_WARM_UP_SECONDS
from steelyard.plan.stretches import FORK_ANSWERS, STRETCH_ANSWERS
from steelyard.statistics import (
    checks,
    drift,
    foreign_share,
    knee,
    looks,
    refusal,
    scalability,
    settling,
    steady,
    verdict_words,
)

COUNTS = {1: "a second", 3: "three", 4: "four", 40: "forty", 50: "fifty"}


def words_of(page: str) -> str:
    """A page of docs/method as one line of words."""
    return " ".join((root() / "docs" / "method" / f"{page}.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("fresh-starts", f"Nothing is concluded from fewer than {COUNTS[looks.LOOKS[0]]}"),
        (
            "fresh-starts",
            f"The planned looks are at {', '.join(map(str, looks.LOOKS[:-1]))} and {looks.LOOKS[-1]} forks",
        ),
        ("verdicts", f"where fewer than {COUNTS[looks.LOOKS[0]]} forks count there are *too few forks*"),
        ("pairs-and-turns", f"they take turns of {Study.model_fields['turn_ms'].default:g} ms"),
        ("pairs-and-turns", f"A turn is longer where {COUNTS[ANSWERS_IN_A_TURN]} answers take longer"),
        ("pairs-and-turns", f"longer where {COUNTS[ANSWERS_UNDER_WAY_IN_A_TURN]} of those answers take longer"),
        ("pairs-and-turns", f"uses more than {QUIET_AT_REST:.0%} of a processor without requests"),
        (
            "warm-up",
            f"slices until {COUNTS[steady.CONSECUTIVE]} in a row have their pace within {steady.PACE_TOLERANCE:.0%}",
        ),
        ("warm-up", f"JIT compiler threads below {steady.JIT_SHARE_LIMIT:.0%} of the subject's own time"),
        (
            "warm-up",
            f"the mean of {COUNTS[steady.LEVEL]} slices must be no more than {steady.PACE_TOLERANCE:.0%} above",
        ),
        ("instrument", f"must hold within {checks.LITTLE_TOLERANCE:.0%} on every steady closed cell"),
        ("shaped-load", f"those that last {checks.LITTLE_LEAST_BLOCK:g} response times"),
        (
            "pairs-and-turns",
            f"a stretch holds at least {STRETCH_ANSWERS} response times, and a fork at least {FORK_ANSWERS} over its stretches",
        ),
        (
            "pairs-and-turns",
            f"A fork with fewer than {FORK_ANSWERS} answers of each user counts for no verdict on throughput",
        ),
        ("instrument", f"at least {checks.TAIL_SUPPORT:g} / (1 - q) requests"),
        ("verdicts", f"With a margin m ({verdict_words.MARGIN:.0%})"),
        ("what-numbers-cannot-say", f"more than {instrument.LINK_WARNING:.0%} full on average"),
        ("verdicts", f"At most {COUNTS[MOST_IN_A_TRIAL]} share a trial"),
        ("budgets", f"never before {LEAST_WARM_UP_SECONDS:g} s a subject and operation"),
        ("shaped-load", f"at least {knee.LEAST_LEVELS} levels, each held for {knee.LEAST_HELD_SECONDS:g} s or more"),
        (
            "shaped-load",
            f"the growth is {drift.PRACTICAL:.0%} or more; steady if the interval lies below {drift.PRACTICAL:.0%}",
        ),
        ("shaped-load", f"more than {refusal.TOLERATED:.0%} of the requests fail"),
        ("shaped-load", f"stay within {settling.BAND:.0%} of the level"),
        ("instrument", f"More than {foreign_share.FOREIGN_LIMIT:.0%} of a reading voids its pair"),
        ("instrument", f"a reading of less than {COUNTS[int(foreign_share.LEAST_SECONDS)]} is not judged"),
        ("shaped-load", f"takes less than {scalability.NEGLIGIBLE:.1%} of the throughput at the highest level"),
    ],
)
def test_a_page_gives_the_number_that_the_code_uses(page: str, words: str) -> None:
    assert words in words_of(page)


def test_every_page_of_the_method_is_linked_from_the_methodology() -> None:
    methodology = (root() / "METHODOLOGY.md").read_text(encoding="utf-8")
    pages = sorted(page.name for page in (root() / "docs" / "method").glob("*.md"))
    assert len(pages) >= 10
    assert [page for page in pages if f"(docs/method/{page})" not in methodology] == []

"""METHODOLOGY.md names the numbers by which the code measures and judges; here each is held against it."""

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

SAID = " ".join((root() / "METHODOLOGY.md").read_text(encoding="utf-8").split())
COUNTS = {1: "a second", 3: "three", 4: "four", 40: "forty", 50: "fifty"}


@pytest.mark.parametrize(
    "words",
    [
        f"nothing is concluded from fewer than {COUNTS[looks.LOOKS[0]]}",
        f"where fewer than {COUNTS[looks.LOOKS[0]]} forks count there are *too few forks*",
        f"they take turns of {Study.model_fields['turn_ms'].default:g} ms (longer where {COUNTS[ANSWERS_IN_A_TURN]} answers",
        f"or {COUNTS[ANSWERS_UNDER_WAY_IN_A_TURN]} of those that an instant is likely to find under way",
        f"uses more than {QUIET_AT_REST:.0%} of a processor while nobody asks it",
        f"slices until {COUNTS[steady.CONSECUTIVE]} in a row have their pace within {steady.PACE_TOLERANCE:.0%}",
        f"JIT compiler threads below {steady.JIT_SHARE_LIMIT:.0%} of the subject's own time",
        f"the mean of {COUNTS[steady.LEVEL]} slices must be no more than {steady.PACE_TOLERANCE:.0%} above",
        f"must hold within {checks.LITTLE_TOLERANCE:.0%} on every steady closed cell",
        f"those that last {checks.LITTLE_LEAST_BLOCK:g} response times",
        f"A stretch holds at least {STRETCH_ANSWERS} response times, and a fork at least {FORK_ANSWERS} over its stretches",
        f"A fork with fewer than {FORK_ANSWERS} answers of each user counts for no verdict on throughput",
        f"at least {checks.TAIL_SUPPORT:g} / (1 - q) requests",
        f"With a margin m ({verdict_words.MARGIN:.0%})",
        f"more than {instrument.LINK_WARNING:.0%} full on average",
        f"At most {COUNTS[MOST_IN_A_TRIAL]} share a trial",
        f"never before {LEAST_WARM_UP_SECONDS:g} s a subject and operation",
        f"at least {knee.LEAST_LEVELS} levels, each held for {knee.LEAST_HELD_SECONDS:g} s or more",
        f"the growth is {drift.PRACTICAL:.0%} or more; steady if the interval lies below {drift.PRACTICAL:.0%}",
        f"more than {refusal.TOLERATED:.0%} of the requests fail",
        f"stay within {settling.BAND:.0%} of the level",
        f"More than {foreign_share.FOREIGN_LIMIT:.0%} of a reading voids its pair",
        f"a reading of less than {COUNTS[int(foreign_share.LEAST_SECONDS)]} is not judged",
        f"takes less than {scalability.NEGLIGIBLE:.1%} of the throughput at the highest level",
    ],
)
def test_a_rule_says_the_number_that_the_code_goes_by(words: str) -> None:
    assert words in SAID

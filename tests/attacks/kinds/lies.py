"""Lies of servers: answers with a wrong length, cut, late, in another encoding, or counted wrongly.

No lie may be counted as a right answer, and a load that met one must not end well.
"""

from __future__ import annotations

import random
from itertools import product

from .. import oracle
from ..ground import Ground
from ..oracle import Verdict
from ..target import LIES

SHARE = 90
MOST_TRUE_ANSWERS = 200
UNSEEN = "answer-to-nobody"  # no client can tell it from the answer to its next request, so the counts differ
COUNTED = "miscount"  # a lie of a server that the laboratory starts and asks for its count
WHEN = ("from the first", "later")
VARIANTS = (
    *(
        f"{lie}, {when}"
        for lie, when in product((name for name in LIES if name != COUNTED), (*WHEN, "on a connection per request"))
    ),
    *(f"{COUNTED}, {when}" for when in WHEN),
    "reset, from the first",
    "reset, later",
)


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Load a server that lies from the first request, or after some."""
    lie, _, when = variant.partition(", ")
    after = 0 if when == WHEN[0] else draw.randrange(2, MOST_TRUE_ANSWERS)
    more = ["--new-connection"] if when not in WHEN else []
    ground.protect()
    if lie == COUNTED:
        ended = ground.run(*ground.load_words("./shop"), ATTACK_LIE=lie, ATTACK_AFTER=str(after))
        wrong = ground.wrong(ended)
        if ended.code == 0:
            wrong.append("exit code 0, but the service reported another count than it had")
        return oracle.verdict(ended, wrong)
    with ground.serving(lie, after) as port:
        ended = ground.run(*ground.load_words(port, *more))
    return ground.load_verdict(ended, ground.wrong(ended, counted=lie != UNSEEN))

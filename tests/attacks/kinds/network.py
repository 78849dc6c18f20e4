"""Network: a relay between engine and server resets, delays, loses or cuts what passes, before a load or in the middle of it."""

from __future__ import annotations

import random
import time
from itertools import product

from .. import oracle
from ..ground import Ground
from ..oracle import Verdict
from ..relay import Relay

SHARE = 180
ACTS = (
    *("reset", "reset-for-good", "black-hole", "answers-lost", "half-open", "delay", "trickle", "cut", "port-closed"),
    *("black-hole, then as before", "delay, then as before", "reset-for-good, then as before"),
)
WHEN = ("before the verification", "during the verification", "under load")
# Targets that have no address here, or none at all.
NAMES = {
    "a name without an address": "nowhere.invalid:80",
    "a name that is too long": f"{'a' * 300}.invalid:80",
    "a name with an empty label": "a..b:80",
    "a name beyond ASCII": "größe.invalid:80",
    "port 0": "127.0.0.1:0",
    "a port beyond all": "127.0.0.1:65536",
    "a port where nothing listens": "127.0.0.1:{port}",
    "an address of IPv6 where nothing listens": "[::1]:{port}",
    "another machine": "192.0.2.1:80",
}
VARIANTS = (
    *NAMES,
    *(f"{act} {when}" for act, when in product(ACTS, WHEN)),
    *(f"{act} under load, a connection per request" for act in ACTS),
    *(f"{act} under load, an open load" for act in ACTS),
)
MOST_LATER_SECONDS = 1.0


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Load a server through the relay, and break the relay; or load a name that leads nowhere."""
    if variant in NAMES:
        return _load_nowhere(NAMES[variant].format(port=ground.port), ground)
    act = next(act for act in sorted(ACTS, key=len, reverse=True) if variant.startswith(act))
    more = {"request": ["--new-connection"], "load": ["--rate", "100/s"] if "open" in variant else []}
    ground.protect()
    with ground.serving() as port, Relay(port) as relay:
        words = ground.load_words(relay.port, *more.get(variant.split()[-1], []), seconds="2s")
        words = words if "--rate" not in words else _without_users(words)
        if WHEN[0] in variant:
            relay.follow(act)
        lab = ground.start(*words)
        if WHEN[0] not in variant:
            lab.await_step("verifying" if WHEN[1] in variant else "loading")
            time.sleep(draw.uniform(0, 0.1 if WHEN[1] in variant else MOST_LATER_SECONDS))
            relay.follow(act)
        ended = lab.end()
    return ground.load_verdict(ended, ground.wrong(ended))


def _load_nowhere(authority: str, ground: Ground) -> Verdict:
    ground.protect()
    ended = ground.run("load", f"http://{authority}/work", "--for", "1s", "--out", str(ground.runs))
    wrong = ground.wrong(ended)
    if ended.code == 0:
        wrong.append("a load of nothing ended well")
    return oracle.verdict(ended, wrong)


def _without_users(words: list[str]) -> list[str]:
    place = words.index("--users")
    return words[:place] + words[place + 2 :]

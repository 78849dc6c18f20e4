"""Sessions: users of a shop with log-in, whose shop lies, whose network breaks, or whose load is killed or paused.

The shop counts orders and broken rules. No user may get another's cart, and no order may be counted that was none.
"""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Mapping
from itertools import product
from typing import Any

from .. import oracle
from ..ground import Ground, send_signal
from ..lying_shop import LIES
from ..oracle import Ended, Verdict
from ..relay import Relay

SHARE = 40
ACTS = (
    "reset",
    "cut",
    "answers-lost, then as before",
    "black-hole, then as before",
    "delay, then as before",
    "trickle",
)
LOSE_NOTHING = ("delay", "trickle")
STRIKES = {
    "the shop is paused": signal.SIGSTOP,
    "the shop is killed": signal.SIGKILL,
    "the lab is killed": signal.SIGKILL,
    "the lab is interrupted": signal.SIGINT,
    "the lab is terminated": signal.SIGTERM,
    "the engine is killed": signal.SIGKILL,
    "the engine is paused": signal.SIGSTOP,
}
HOW = ("closed", "open")
VARIANTS = (
    *(f"{lie}, {when}" for lie, when in product(LIES, ("from the first", "later"))),
    *(f"{act} ({how})" for act, how in product(ACTS, HOW)),
    *(f"{strike} ({how})" for strike, how in product(STRIKES, HOW)),
)
MOST_TRUE_ANSWERS = 60
MOST_LATER_SECONDS = 1.0
PAUSE_SECONDS = 0.8
Counts = Mapping[str, int]


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Load the shop through a relay, with one thing wrong."""
    lie = next((lie for lie in LIES if variant.startswith(f"{lie},")), "")
    after = draw.randrange(5, MOST_TRUE_ANSWERS) if variant.endswith("later") else 0
    with ground.shop_with_login(lie, after) as (shop, port), Relay(port) as relay:
        ground.write_sessions(relay.port)
        ground.protect()
        load = ["--rate", "20/s"] if variant.endswith("(open)") else ["--users", "6"]
        times = ["--for", "3s", "--warm-up", "0", "--timeout", "2s", "--give-up", "3s"]
        lab = ground.start("load", "./sessions", *load, *times, "--out", str(ground.runs))
        sent: list[int] = []
        if not lie and lab.await_step("loading"):
            time.sleep(draw.uniform(0.2, MOST_LATER_SECONDS))
            sent = _strike(variant.rpartition(" (")[0], ground, lab.pid, shop, relay)
        ended = lab.end()
        send_signal(shop, signal.SIGCONT)
    wrong = ground.wrong(ended, sent, killed=signal.SIGKILL in sent)
    counts = oracle.document(ground.folder / f"{port}.json") or {}
    run = ground.run_folder()
    load_file = oracle.document(run / "load.json") if run is not None else None
    loses = not variant.startswith(LOSE_NOTHING)
    return ground.load_verdict(ended, [*wrong, *wrong_counts(counts, load_file, ended, lie=lie, loses=loses)])


def _strike(what: str, ground: Ground, lab: int, shop: int, relay: Relay) -> list[int]:
    """Do it; returns the signals that the lab got and that end it."""
    if what not in STRIKES:
        relay.follow(what)
        return []
    engines = [process.pid for process in ground.processes() if "steelyard-engine run" in process.words]
    victim = {"shop": [shop], "lab": [lab], "engine": engines[:1]}[what.split()[1]]
    for pid in victim:
        send_signal(pid, STRIKES[what])
    if STRIKES[what] == signal.SIGSTOP:
        time.sleep(PAUSE_SECONDS)
        for pid in victim:
            send_signal(pid, signal.SIGCONT)
    return [int(STRIKES[what])] if "lab" in what else []


def wrong_counts(counts: Counts, load: Mapping[str, Any] | None, ended: Ended, *, lie: str, loses: bool) -> list[str]:
    """What the shop's counts do not allow. `loses`: answers may be lost, after which the shop and a user disagree about a cart."""
    wrong = [f"{counts['injected']} requests had a header that a token brought"] if counts.get("injected") else []
    broken = counts.get("violations", 0)
    if broken and not lie and not loses:
        wrong.append(f"the shop counts {broken} broken rules")
    if broken and ended.code == 0:
        wrong.append(f"exit code 0, but the shop counts {broken} broken rules")
    if load is None or lie == "orders-anything":
        return wrong
    whole = sum(session["completed"] + session["completed_outside"] for session in load["sessions"]) + 1
    others = sum(session["failed"] + session["failed_outside"] + session["cut"] for session in load["sessions"])
    orders = counts.get("orders", 0)
    if not whole <= orders <= whole + others:
        wrong.append(
            f"{whole} sessions are stored as whole and {others} as others, and the shop counts {orders} orders"
        )
    return wrong

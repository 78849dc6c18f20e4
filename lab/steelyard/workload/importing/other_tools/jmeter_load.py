"""Thread groups of a JMeter plan: how many users make a session, how it goes on, and the load in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from .imported_requests import LeftOutError, load_words
from .jmeter_parts import Texts, properties

_AFTER_ERRORS = {"continue": "continue", "startnextloop": "end-session"}


@dataclass(frozen=True)
class GroupLoad:
    """The load of a thread group: its users and seconds (0: not known as numbers), and what `load` has for it."""

    users: int
    seconds: int
    sentence: str


def group_load(element: etree._Element, texts: Texts) -> GroupLoad:
    """A thread group as options of `load`: its users, ramp, and duration or loops; values that are not numbers are listed."""
    own = properties(element)

    def number(key: str) -> str:
        try:
            return texts.fill(own.get(key, "")).strip()
        except LeftOutError:
            return own.get(key, "")

    users, ramp, loops = (
        number(key) for key in ("ThreadGroup.num_threads", "ThreadGroup.ramp_time", "LoopController.loops")
    )
    scheduled = own.get("ThreadGroup.scheduler") == "true"
    duration = number("ThreadGroup.duration") if scheduled else ""
    sentences = [f"`{load_words(users, duration)}`"]
    delay = number("ThreadGroup.delay") if scheduled else ""
    stages = _stages(*(int(text) if text.isdecimal() else 0 for text in (users, ramp, duration, delay)))
    if stages and duration.isdecimal():
        sentences.append(f"its users start and end as in the plan with `steelyard load --stages {stages}`")
    elif stages:
        sentences.append(
            f"its users start as in the plan with `steelyard load --stages {stages},{users}/TIME`: choose the TIME"
        )
    if not scheduled and loops.isdecimal() and users.isdecimal():
        sentences.append(f"each user repeats it {loops} times")
    open_ended = {"users": users, "ramp": ramp, "duration": duration}
    sentences += [f"its {name} is {text[:60]}: choose a number" for name, text in open_ended.items() if "$" in text]
    known = [int(text) if text.isdecimal() and len(text) < 7 else 0 for text in (users, duration)]
    return GroupLoad(known[0], known[1], "; ".join(sentences))


def _stages(users: int, ramp: int, duration: int, delay: int) -> str:
    """The stages of a thread group for `load --stages`, from whole seconds; empty where all users begin at once."""
    if users < 1 or not (delay or (ramp and users > 1)) or not (ramp or duration):
        return ""
    stages = [f"0/{delay}s"] if delay else []
    if ramp:
        stages.append(f"0..{users}/{ramp}s")
    if duration > ramp:
        stages.append(f"{users}/{duration - ramp}s")
    return ",".join(stages)


def group_options(own: Mapping[str, str]) -> dict[str, object]:
    """The keys of a session that a thread group sets; raises LeftOutError for an action after errors that a session lacks."""
    action = own.get("ThreadGroup.on_sample_error", "continue")
    if action not in _AFTER_ERRORS:
        raise LeftOutError(f"{action} after an error: `load` stops only when every request has failed for --give-up")
    options: dict[str, object] = {} if action != "continue" else {"on_failure": "continue"}
    if own.get("ThreadGroup.same_user_on_next_iteration") == "false":
        options["new_visitor"] = True
    return options


def total_load(loads: Sequence[GroupLoad]) -> list[str]:
    """The load of several thread groups at once."""
    if len(loads) < 2 or not all(load.users for load in loads):
        return []
    words = load_words(sum(load.users for load in loads), max(load.seconds for load in loads) or "")
    return [f"all thread groups together: `{words}`; a user takes its next session by the weights"]

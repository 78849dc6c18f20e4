"""Loads with a shape: their duration, users, names, and scaled versions."""

from __future__ import annotations

from ..base.text import plural
from ..models.job import BigBang, Bursts, FixedWork, Profile, Ramp, Rate, Steps, UserStages

LEAST_HOLD_SECONDS = 5.0  # METHODOLOGY: the knee and the scalability law need steps held at least this long
LEAST_BURST_SECONDS = 8.0  # in shorter ones, recovery between bursts is lost in noise


def seconds_of(profile: Profile) -> float:
    """The duration of the load without lead-in and drain; for fixed work its limit."""
    match profile:
        case FixedWork():
            return profile.most_seconds
        case Steps():
            return len(profile.levels) * (profile.ramp_seconds + profile.hold_seconds + profile.pause_seconds)
        case Rate() | UserStages():
            return sum(stage.seconds for stage in profile.stages)
        case BigBang() | Ramp() | Bursts():
            return profile.seconds


def most_users(profile: Profile) -> int:
    """The maximum number of users; for an open load the limit of requests in flight."""
    match profile:
        case Ramp():
            return max(profile.from_users, profile.to_users)
        case Steps():
            return max(profile.levels)
        case UserStages():
            return max(_stage_levels(profile))
        case Rate():
            return profile.max_in_flight
        case BigBang() | Bursts() | FixedWork():
            return profile.users


NAMES = {
    "big-bang": "constant",
    "ramp": "ramp",
    "bursts": "bursts",
    "steps": "steps",
    "stages": "stages",
    "rate": "open",
    "fixed-work": "fixed work",
}
IN_A_SENTENCE = {
    "constant": "a constant load",
    "ramp": "a ramp",
    "bursts": "bursts",
    "steps": "steps of users",
    "stages": "stages of users",
    "open": "an open load",
    "fixed work": "fixed work",
}


def users_text(profile: Profile) -> str:
    """The range of users over the load, such as "1 to 40"."""
    match profile:
        case Ramp():
            return _change_text(profile.from_users, profile.to_users)
        case Steps():
            return _change_text(min(profile.levels), max(profile.levels))
        case UserStages():
            return _change_text(min(_stage_levels(profile)), max(_stage_levels(profile)))
        case Rate():
            return f"up to {profile.max_in_flight}"
        case BigBang() | Bursts() | FixedWork():
            return str(profile.users)


def _stage_levels(profile: UserStages) -> list[int]:
    """The numbers of users between which the load goes."""
    return [users for stage in profile.stages for users in (stage.from_users, stage.to_users)]


def _change_text(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first} to {last}"


def words(profile: Profile) -> str:
    """A short description of the load, such as "ramp, 1 to 40 users, 300 s"."""
    extra = ""
    match profile:
        case Bursts():
            extra = f", {profile.on_seconds:g} s on and {profile.off_seconds:g} s off"
        case Steps():
            extra = f", {plural(len(profile.levels), 'level')} of {profile.hold_seconds:g} s"
    users = users_text(profile)
    return f"{NAMES[profile.kind]}, {users} user{'' if users == '1' else 's'}{extra}, {seconds_of(profile):g} s"


def bursts_of(profile: Bursts) -> tuple[list[float], list[float]]:
    """The start and end of each burst, in seconds from the start of the load."""
    begins: list[float] = []
    at = profile.idle_seconds
    while at < profile.seconds:
        begins.append(at)
        at += profile.on_seconds + profile.off_seconds
    return begins, [min(begin + profile.on_seconds, profile.seconds) for begin in begins]


def levels_of(profile: Steps) -> list[tuple[int, float, float]]:
    """Each held level: its users, start and end, in seconds from the start of the load."""
    whole = profile.ramp_seconds + profile.hold_seconds + profile.pause_seconds
    held = [place * whole + profile.ramp_seconds for place in range(len(profile.levels))]
    return [(users, at, at + profile.hold_seconds) for users, at in zip(profile.levels, held, strict=True)]


def held_seconds(profile: Profile) -> float | None:
    """The total time for which a load of steps holds its levels; None for other loads."""
    return len(profile.levels) * profile.hold_seconds if isinstance(profile, Steps) else None


def scale_profile(profile: Profile, scale: float, least_ramp_seconds: float = 0.0) -> Profile:
    """The profile with its times multiplied by `scale`, but with minimum lengths, so that its shape stays measurable.

    Fixed work becomes less work, at least one session or request. Held steps and bursts keep a minimum length, and the
    number of bursts stays. A ramp keeps `least_ramp_seconds`: users who start within less than a session would run in
    step.
    """
    if scale == 1:
        return profile
    match profile:
        case FixedWork():
            return profile.model_copy(update={"each": max(1, round(profile.each * scale))})
        case Steps():
            return profile.model_copy(
                update={
                    "hold_seconds": _shorten(profile.hold_seconds, scale, LEAST_HOLD_SECONDS),
                    "ramp_seconds": _shorten(profile.ramp_seconds, scale, least_ramp_seconds),
                    "pause_seconds": profile.pause_seconds * scale,
                }
            )
        case Bursts():
            on, off = _shorten(profile.on_seconds, scale, LEAST_BURST_SECONDS), profile.off_seconds * scale
            bursts = (profile.seconds - profile.idle_seconds) / (profile.on_seconds + profile.off_seconds)
            idle = profile.idle_seconds * scale
            times = {"on_seconds": on, "off_seconds": off, "idle_seconds": idle, "seconds": idle + bursts * (on + off)}
            return profile.model_copy(update=times)
        case Rate() | UserStages():
            stages = [stage.model_copy(update={"seconds": stage.seconds * scale}) for stage in profile.stages]
            return profile.model_copy(update={"stages": stages})
        case BigBang() | Ramp():
            return profile.model_copy(update={"seconds": profile.seconds * scale})


def _shorten(seconds: float, scale: float, least: float) -> float:
    return max(seconds * scale, min(seconds, least))

"""Loads with a shape: how long they last, how many users they reach, and what they are when their times are shortened."""

from __future__ import annotations

from .models.job import BigBang, Bursts, Profile, Ramp, Rate, Steps

LEAST_HOLD_SECONDS = 5.0  # METHODOLOGY: the knee and the scalability law come from held steps of at least this
LEAST_BURST_SECONDS = 8.0  # below, recovery between bursts cannot be told from noise


def seconds_of(profile: Profile) -> float:
    """How long the load lasts, lead-in and drain left out."""
    match profile:
        case Steps():
            return len(profile.levels) * (profile.ramp_seconds + profile.hold_seconds + profile.pause_seconds)
        case Rate():
            return sum(stage.seconds for stage in profile.stages)
        case BigBang() | Ramp() | Bursts():
            return profile.seconds


def most_users(profile: Profile) -> int:
    """The users at the load's height; of an open load the requests that may be in flight."""
    match profile:
        case Ramp():
            return max(profile.from_users, profile.to_users)
        case Steps():
            return max(profile.levels)
        case Rate():
            return profile.max_in_flight
        case BigBang() | Bursts():
            return profile.users


def scaled(profile: Profile, scale: float) -> Profile:
    """The profile with its times multiplied by `scale`, but never so short that its shape could not be read any more.

    Held steps and bursts keep a least length, and as many bursts come as before.
    """
    if scale == 1:
        return profile
    match profile:
        case Steps():
            return profile.model_copy(
                update={
                    "hold_seconds": _shortened(profile.hold_seconds, scale, LEAST_HOLD_SECONDS),
                    "ramp_seconds": profile.ramp_seconds * scale,
                    "pause_seconds": profile.pause_seconds * scale,
                }
            )
        case Bursts():
            on, off = _shortened(profile.on_seconds, scale, LEAST_BURST_SECONDS), profile.off_seconds * scale
            bursts = (profile.seconds - profile.idle_seconds) / (profile.on_seconds + profile.off_seconds)
            idle = profile.idle_seconds * scale
            times = {"on_seconds": on, "off_seconds": off, "idle_seconds": idle, "seconds": idle + bursts * (on + off)}
            return profile.model_copy(update=times)
        case Rate():
            stages = [stage.model_copy(update={"seconds": stage.seconds * scale}) for stage in profile.stages]
            return profile.model_copy(update={"stages": stages})
        case BigBang() | Ramp():
            return profile.model_copy(update={"seconds": profile.seconds * scale})


def _shortened(seconds: float, scale: float, least: float) -> float:
    return max(seconds * scale, min(seconds, least))

"""The planned load of a target: its operations, the users or requests over time, and a description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..base.configuration import nearest
from ..base.errors import ConfigurationError
from ..base.text import plural
from ..models.job import BigBang, Bursts, FixedWork, Profile, Ramp, Rate, Session, Stage, Steps, Think
from ..models.outputs.own_service import LeftOut
from ..plan.cells import pauses_seconds
from . import answer_rules
from .load_spec import MOST_IN_FLIGHT, LoadSpec
from .load_target import LoadTarget

_MOST_STEPS = 20


@dataclass(frozen=True)
class Stretch:
    """One continuous stretch of load: users over time (`profile`), the weights of operations (`mix`), and the pauses.

    The first `lead_in_seconds` are not measured; `phase` is `verify`, `warm-up` or `measure`. `subject` is its subject
    if there are several; stretches with the same `deck` send the same requests in the same order. `unit` is counted by
    rates and fixed work: requests or sessions.
    """

    profile: Profile
    mix: Mapping[str, float]
    think: Think = field(default_factory=Think)
    lead_in_seconds: float = 1.0
    phase: str = "measure"
    subject: str = ""
    deck: str = ""
    unit: str = "request"


def loadable(load_target: LoadTarget, words: LoadSpec) -> tuple[LoadTarget, list[LeftOut]]:
    """The target to verify, and the operations that are not loaded: those that change data, unless the user allows it.

    Raises ConfigurationError if nothing is left to load.
    """
    if load_target.meaning == "grpc" and (
        words.new_connection or words.chunked or words.follow_redirects or words.packed
    ):
        raise ConfigurationError(
            f"{load_target.name} is called by gRPC, over HTTP/2",
            hint="leave out --new-connection, --chunked, --follow-redirects and --gzip",
        )
    for operation in load_target.operations.values():
        answer_rules.require_rules(operation.expect)
    load_target = load_target.select([*words.operations, *(name for name in words.mix if name not in words.operations)])
    load_target, left = _skip(load_target, words.skip)
    left += [
        LeftOut(what=name, why="it changes data: allow it with --writes")
        for name in load_target.weights
        if load_target.changes_data(name) and not words.writes
    ]
    if {omitted.what for omitted in left} >= {*load_target.weights}:
        raise ConfigurationError(
            f"all selected operations of {load_target.name} change data ({', '.join(omitted.what for omitted in left)})",
            hint="allow it with --writes, or correct changes_data in service.toml",
        )
    return load_target, left


def _skip(load_target: LoadTarget, names: Sequence[str]) -> tuple[LoadTarget, list[LeftOut]]:
    """The target without the operations and sessions of these names, which are not even verified; raises ConfigurationError."""
    known = load_target.weights
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise ConfigurationError(f"--skip: {load_target.name} loads no '{unknown}'{nearest(unknown, list(known))}")
    rest = [name for name in known if name not in names]
    if not rest:
        raise ConfigurationError(f"--skip leaves nothing of {load_target.name} to load", hint="leave one of them out")
    return load_target.select(rest), [LeftOut(what=name, why="--skip names it") for name in names]


def stretch_of(words: LoadSpec, weights: Mapping[str, float], most_rate: float | None) -> Stretch:
    """The stretch of load for these options, of names with their usual `weights`, within the target's limit; raises
    ConfigurationError if they conflict."""
    mix = {name: words.mix.get(name, weight) for name, weight in weights.items() if not words.mix or name in words.mix}
    if not mix:
        raise ConfigurationError("the mix contains none of the loaded operations")
    profile, think = profile_of(words), words.think
    if most_rate is not None:
        if isinstance(profile, Rate):
            if max(words.rates or (0.0, 0.0)) > most_rate:
                raise ConfigurationError(
                    f"the rate is above max_rate, {most_rate:g} requests per second", hint="lower the rate"
                )
        else:
            # Each user pauses long enough that all together stay below the limit.
            least_ms = max(words.users) / most_rate * 1000
            if think.kind == "none" or think.ms < least_ms:
                think = Think(kind="constant", ms=max(least_ms, think.to_ms, think.ms))
    lead_in = 0.0 if isinstance(profile, FixedWork) else words.warm_up_seconds
    if not isinstance(profile, BigBang | Rate | FixedWork):
        lead_in = 0.2
    return Stretch(profile, mix, think, lead_in)


def loaded_weights(load_target: LoadTarget, left: Sequence[LeftOut]) -> dict[str, float]:
    """What is loaded of a target, with its usual weight: all but what is `left` out."""
    omitted = {entry.what for entry in left}
    return {name: weight for name, weight in load_target.weights.items() if name not in omitted}


def require_endless_data(sessions: Mapping[str, Session]) -> None:
    """Raise ConfigurationError where the data of a session ends: a comparison drives both subjects for the same time."""
    for name, session in sessions.items():
        if session.rows is not None and session.rows.at_end == "stop":
            raise ConfigurationError(
                f"the session {name} stops at the end of its data, and a comparison drives both subjects for the same time",
                hint='data_end = "recycle" begins the data anew; `steelyard load` stops at its end',
            )


def judged_measure(sessions: Mapping[str, Session], *, open_load: bool) -> str:
    """The measure that judges a comparison by throughput or mean response time. Under open load the rate sets the throughput, and
    under closed load the pauses of sessions do."""
    pauses = any(pauses_seconds(session) for session in sessions.values())
    return "response_time_mean" if open_load or pauses else "throughput"


def require_bounded(load_target: LoadTarget, words: LoadSpec) -> None:
    """Raise ConfigurationError where sessions could send more than the target's max_rate, which counts requests."""
    if load_target.max_rate is None or not load_target.sessions:
        return
    most = max(len(session.operations) for session in load_target.sessions.values())
    if words.rates is None or max(words.rates) * most > load_target.max_rate:
        raise ConfigurationError(
            f"sessions of {load_target.name} may send more than max_rate, {load_target.max_rate:g} requests a second",
            hint=f"--rate {load_target.max_rate / most:.3g}/s starts so many sessions a second at most",
        )


def profile_of(words: LoadSpec) -> Profile:
    """The load's profile; raises ConfigurationError if the options give none."""
    seconds = words.seconds
    if words.profile not in ("constant", "rate") and words.most_requests is not None:
        raise ConfigurationError("--max-requests needs a constant number of users, or a rate")
    if words.iterations is not None:
        return _iterations(words, words.iterations)
    if words.poisson and words.rates is None:
        raise ConfigurationError("--poisson needs --rate", hint="--rate 200/s --poisson")
    if words.shape is not None:
        return words.shape
    if words.profile == "rate" or words.rates is not None:
        if words.rates is None or words.profile not in ("rate", "constant"):
            raise ConfigurationError(
                "--profile rate needs --rate, and --rate allows no other profile", hint="--profile rate --rate 200/s"
            )
        if words.most_requests is not None:
            seconds = min(seconds, words.most_requests / (sum(words.rates) / 2))
        stage = Stage(from_rate=words.rates[0], to_rate=words.rates[1], seconds=seconds)
        return Rate(arrivals="poisson" if words.poisson else "constant", stages=[stage], max_in_flight=MOST_IN_FLIGHT)
    return _closed_profile(words)


def _iterations(words: LoadSpec, each: int) -> FixedWork:
    """The profile of users who each do a number of iterations; raises ConfigurationError if other options conflict."""
    (first, last) = words.users
    if words.most_requests is not None:
        raise ConfigurationError("--iterations and --max-requests exclude each other", hint="leave one of them out")
    if words.shape is not None or words.rates is not None or words.profile != "constant" or first != last:
        raise ConfigurationError("--iterations needs a constant number of users", hint="--users 8 --iterations 100")
    return FixedWork(users=first, each=each, most_seconds=words.seconds)


def _closed_profile(words: LoadSpec) -> Profile:
    """The profile of a closed load; raises ConfigurationError if its options conflict."""
    (first, last), seconds = words.users, words.seconds
    if words.profile == "constant":
        if first != last:
            raise ConfigurationError(
                f"a range of users ({first}..{last}) needs a profile", hint="--profile ramp or --profile steps"
            )
        if words.most_requests is not None:
            users = min(first, words.most_requests)
            each, extra = divmod(words.most_requests, users)
            return FixedWork(users=users, each=each, extra=extra, most_seconds=seconds)
        return BigBang(users=first, seconds=seconds)
    if words.profile == "ramp":
        return Ramp(from_users=first, to_users=last, seconds=seconds)
    if words.profile == "steps":
        levels = _levels(first, last)
        return Steps(levels=levels, hold_seconds=seconds / len(levels))
    return Bursts(users=last, on_seconds=seconds / 10, off_seconds=seconds / 10, seconds=seconds)


def _levels(first: int, last: int) -> list[int]:
    count = min(_MOST_STEPS, abs(last - first) + 1)
    if count == 1:
        return [first]
    return [round(first + (last - first) * step / (count - 1)) for step in range(count)]


def load_text(words: LoadSpec, stretch: Stretch) -> str:
    """A short description of the load: `8 users for 10 s`."""
    profile = stretch.profile
    last = f"for {words.seconds:g} s"
    if isinstance(profile, Rate):
        ends = [rate for stage in profile.stages for rate in (stage.from_rate, stage.to_rate)]
        first, second = ends if len(profile.stages) == 1 else (min(ends), max(ends))
        rate = f"{first:g}" if first == second else f"{first:g} to {second:g}"
        how = "at random (Poisson)" if profile.arrivals == "poisson" else "evenly"
        within = f"in {len(profile.stages)} stages, " if len(profile.stages) > 1 else ""
        return f"{rate} {stretch.unit}s/s, {within}{how}, for {sum(stage.seconds for stage in profile.stages):g} s"
    if isinstance(profile, FixedWork):
        return f"{plural(profile.users, 'user')}, {profile.work:,} {stretch.unit}s"
    if isinstance(profile, BigBang):
        return f"{plural(profile.users, 'user')} {last}"
    first_users, last_users = words.users
    shape = {"ramp": "a ramp", "steps": "steps", "bursts": "bursts", "stages": "stages"}[profile.kind]
    users = plural(last_users, "user") if shape == "bursts" else f"{first_users} to {last_users} users"
    return f"{shape} of {users} {last}"

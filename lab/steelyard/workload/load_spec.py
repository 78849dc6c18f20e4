"""Parses the options of a load: users, rates, times, pauses, mixes, rules and goals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from ipaddress import ip_address

from pydantic import ValidationError

from ..base.configuration import nearest
from ..base.errors import ConfigurationError
from ..base.validation import problem_text
from ..catalogue.subject_syntax import share_of
from ..models.hosts import EngineHosts
from ..models.job import Rate, Stage, Think, UserStages
from ..models.service import Expect

PROFILES = ("constant", "ramp", "steps", "bursts", "rate")
STAGES = "stages"  # the profile of a load with --stages
MOST_IN_FLIGHT = 10_000
_TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|min|h)?\s*")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, None: 1.0}


@dataclass(frozen=True)
class NamedGoal:
    """The highest percentile of time, in milliseconds, of one operation, step or session; `share` is the percentile's (0.95)."""

    name: str
    share: float
    most_ms: float


@dataclass(frozen=True)
class Goals:
    """The goals of a load: percentiles of response time in milliseconds by their share (0.95), those of single operations, steps
    or sessions, and the highest share of failed requests. None: no goal."""

    percentiles: dict[float, float] = field(default_factory=dict)
    named: Sequence[NamedGoal] = ()
    errors: float | None = None


@dataclass(frozen=True)
class LoadSpec:
    """The options of `load`. `users` and `rates` are first and last values, equal if constant.

    `most_requests` ends the load for all users together, `iterations` for each. `shape` is the load in stages, whose extremes
    and time `users` or `rates` and `seconds` repeat. With `streams`, requests use HTTP/2 with so many streams per
    connection. `engines` share the load, all on this machine, or one on each of `hosts`.
    """

    users: tuple[int, int] = (4, 4)
    rates: tuple[float, float] | None = None
    poisson: bool = False
    profile: str = "constant"
    shape: UserStages | Rate | None = None
    seconds: float = 10.0
    warm_up_seconds: float = 1.0
    operations: Sequence[str] = ()
    skip: Sequence[str] = ()
    mix: dict[str, float] = field(default_factory=dict)
    think: Think = field(default_factory=Think)
    most_requests: int | None = None
    iterations: int | None = None
    timeout_seconds: float = 30.0
    give_up_seconds: float = 10.0
    expect: Expect = field(default_factory=Expect)
    headers: dict[str, str] = field(default_factory=dict)
    packed: bool = False
    chunked: bool = False
    new_connection: bool = False
    follow_redirects: bool = False
    streams: int | None = None
    writes: bool = False
    goals: Goals = field(default_factory=Goals)
    layers: bool = False
    engines: int = 1
    hosts: EngineHosts | None = None
    seed: int = 1

    @property
    def driving(self) -> int:
        """The number of engines that share the load."""
        return self.engines if self.hosts is None else len(self.hosts.hosts)


def seconds_of(words: str) -> float:
    """Seconds from `500ms`, `90s`, `10m`, `1h` or a plain number of seconds; raises ConfigurationError."""
    match = _TIME.fullmatch(words)
    seconds = float(match[1]) * _UNITS[match[2]] if match else 0.0
    if not 0 < seconds <= 7 * 24 * 3600:
        raise ConfigurationError(f"'{words}' is not a time", hint="write 500ms, 90s, 10m or 1h; a week at most")
    return seconds


def warm_up_of(words: str) -> float:
    """The warm-up in seconds, 0 for none; raises ConfigurationError."""
    return 0.0 if re.fullmatch(r"\s*0+(\.0*)?\s*(ms|s|m|min|h)?\s*", words) else seconds_of(words)


def users_of(words: str) -> tuple[int, int]:
    """The first and last number of users, from `8` or `1..40`; raises ConfigurationError."""
    match = re.fullmatch(r"\s*(\d{1,6})(?:\.\.(\d{1,6}))?\s*", words)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= 100_000 or not 1 <= last <= 100_000:
        raise ConfigurationError(f"'{words}' is not a number of users", hint="write 8, or 1..40; 100,000 at most")
    return first, last


def rates_of(words: str) -> tuple[float, float]:
    """The first and last rate in requests per second, from `200/s`, `200`, `10..200/s` or `600/m`; raises
    ConfigurationError."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)(?:\.\.(\d+(?:\.\d+)?))?\s*(?:/\s*(s|m|h))?\s*", words)
    per = _UNITS[match[3] or "s"] if match else 1.0
    first, last = (float(match[1]) / per, float(match[2] or match[1]) / per) if match else (0.0, 0.0)
    if not 0 < max(first, last) <= 1_000_000:
        raise ConfigurationError(f"'{words}' is not a rate", hint="write 200/s, or 10..200/s")
    return first, last


def rates_by_name(words: str) -> dict[str, float]:
    """Constant rates of sessions or operations, from `buy=20/s,look=5/s`; none where the words name none. Raises
    ConfigurationError."""
    rates: dict[str, float] = {}
    for pair in words.split(",") if "=" in words else ():
        name, _, rate = pair.strip().rpartition("=")
        first, last = rates_of(rate)
        if not name or name in rates or first != last:
            raise ConfigurationError(f"'{words}' does not name a constant rate of each", hint="write buy=20/s,look=5/s")
        rates[name] = first
    return rates


@dataclass(frozen=True)
class _StageText:
    """A stage as typed: its first and last value, per which time they are (empty: users), and its seconds."""

    first: float
    last: float
    per: str
    seconds: float


def with_stages(spec: LoadSpec, words: str) -> LoadSpec:
    """The load in stages of users (`0..50/30s,50/5m`) or of a rate (`10..200/s/30s,200/s/5m`); raises ConfigurationError."""
    stages = [_parse_stage(part.strip()) for part in words.split(",")]
    if len({bool(stage.per) for stage in stages}) > 1:
        raise ConfigurationError(
            "stages are of users or of a rate, not both", hint="write /s in each of them, or in none"
        )
    seconds = sum(stage.seconds for stage in stages)
    try:
        shape = _rate_stages(stages, poisson=spec.poisson) if stages[0].per else _user_stages(stages)
    except ValidationError as error:
        raise ConfigurationError(f"--stages {words[:60]}: {problem_text(error.errors()[0])}") from None
    if isinstance(shape, Rate):
        rates = [rate for stage in shape.stages for rate in (stage.from_rate, stage.to_rate)]
        return replace(spec, profile=STAGES, shape=shape, rates=(min(rates), max(rates)), seconds=seconds)
    users = [level for stage in shape.stages for level in (stage.from_users, stage.to_users)]
    return replace(spec, profile=STAGES, shape=shape, users=(min(users), max(users)), seconds=seconds)


def _parse_stage(words: str) -> _StageText:
    """A stage of `0..50/30s` or `10..200/s/30s`; raises ConfigurationError."""
    number = r"\d{1,9}(?:\.\d{1,9})?"
    match = re.fullmatch(rf"({number})(?:\.\.({number}))?(?:/([smh]))?/({number}(?:ms|s|m|min|h))", words)
    if match is None:
        raise ConfigurationError(
            f"'{words[:60]}' is not a stage",
            hint="write 0..50/30s,50/5m for users, or 10..200/s/30s,200/s/5m for a rate",
        )
    per = match[3] or ""
    length = _UNITS[per] if per else 1.0
    return _StageText(float(match[1]) / length, float(match[2] or match[1]) / length, per, seconds_of(match[4]))


def _user_stages(stages: Sequence[_StageText]) -> UserStages:
    ends = [{"from_users": stage.first, "to_users": stage.last, "seconds": stage.seconds} for stage in stages]
    return UserStages.model_validate({"stages": ends})


def _rate_stages(stages: Sequence[_StageText], *, poisson: bool) -> Rate:
    return Rate(
        arrivals="poisson" if poisson else "constant",
        stages=[Stage(from_rate=stage.first, to_rate=stage.last, seconds=stage.seconds) for stage in stages],
        max_in_flight=MOST_IN_FLIGHT,
    )


def parse_think(words: str) -> Think:
    """Pauses: none from an empty text, constant from `2s`, uniform from `1s..4s`; raises ConfigurationError."""
    first, dots, last = words.partition("..")
    if not words:
        return Think()
    if not dots:
        return Think(kind="constant", ms=seconds_of(first) * 1000)
    least, most = seconds_of(first), seconds_of(last)
    if least > most:
        raise ConfigurationError(f"'{words}' is not a pause", hint="write 2s, or 1s..4s")
    return Think(kind="uniform", ms=least * 1000, to_ms=most * 1000)


def mix_of(words: str) -> dict[str, float]:
    """Weights by operation, from `search=3,order=1`; raises ConfigurationError."""
    mix: dict[str, float] = {}
    for pair in filter(None, (part.strip() for part in words.split(","))):
        name, equals, weight = pair.rpartition("=")
        if not equals or not re.fullmatch(r"\d+(\.\d+)?", weight) or float(weight) <= 0 or name in mix:
            raise ConfigurationError(f"'{words}' is not a mix", hint="write OPERATION=WEIGHT,OPERATION=WEIGHT")
        mix[name] = float(weight)
    return mix


def headers_of(words: Sequence[str]) -> dict[str, str]:
    """Headers from `Name: value`; raises ConfigurationError. Secrets belong in [auth]."""
    headers: dict[str, str] = {}
    for line in words:
        name, colon, value = line.partition(":")
        if not colon or not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or not value.strip().isprintable():
            raise ConfigurationError(f"'{line[:60]}' is not a header", hint="write 'Name: value'")
        if name.lower() in {other.lower() for other in headers}:
            raise ConfigurationError(f"the header {name} is given twice", hint="remove one of them")
        headers[name] = value.strip()
    return headers


@dataclass(frozen=True)
class Resolved:
    """The IP addresses to use for a host and port."""

    host: str
    port: int
    addresses: Sequence[str]


def resolve_of(words: str) -> Resolved:
    """Addresses from `shop.test:443:127.0.0.1`, several separated by commas, IPv6 in brackets; raises ConfigurationError."""
    match = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(\d{1,5}):(\S+)", words)
    try:
        addresses = [str(ip_address(part.strip("[]"))) for part in match[3].split(",")] if match else []
    except ValueError:
        addresses = []
    if match is None or not addresses or not 0 < int(match[2]) < 2**16:
        raise ConfigurationError(
            f"--resolve '{words[:80]}' is not HOST:PORT:ADDRESS",
            hint="write shop.test:443:127.0.0.1; an IPv6 address is in brackets",
        )
    return Resolved(match[1].strip("[]").lower(), int(match[2]), addresses)


def expect_of(rules: Sequence[str]) -> Expect:
    """Rules for answers, from `status=200,201`, `fault=absent`, `least=10`, `most=9999`, `length=10..9999`,
    `contains=TEXT`, `matches=REGEX`, `xpath=PATH`, `jsonpath=PATH`, `answer=FILE` or `schema`; raises
    ConfigurationError."""
    parsed: dict[str, object] = {}
    listed: dict[str, list[str]] = {"xpath": [], "jsonpath": []}
    known = [
        "status",
        "fault",
        "least",
        "most",
        "length",
        "contains",
        "matches",
        "xpath",
        "jsonpath",
        "answer",
        "schema",
    ]
    for rule in rules:
        name, _, value = rule.partition("=")
        if name not in known:
            raise ConfigurationError(f"--expect has no rule '{name[:40]}'{nearest(name, known)}")
        if name in listed:
            listed[name].append(value)
        elif name == "status":
            parsed[name] = value.split(",")
        elif name == "length":
            least, dots, most = value.partition("..")
            if least.isdigit() and most.isdigit() and int(least) > int(most):
                raise ConfigurationError(f"--expect length={value} is an empty range", hint=f"length={most}..{least}")
            parsed |= {"least": least, "most": most if dots else least}
        else:
            parsed[name] = value if name != "schema" else value != "no"
    try:
        return Expect.model_validate({**parsed, **{name: paths for name, paths in listed.items() if paths}})
    except ValidationError as error:
        problem = error.errors()[0]
        raise ConfigurationError(f"--expect {problem['loc'][0]}: {problem_text(problem)}") from None


def goals_of(percentiles: dict[float, str | None], errors: str | None) -> Goals:
    """Goals, from times by percentile (`200ms`, `checkout=800ms`, or both with a comma) and a share of failures; raises
    ConfigurationError."""
    times: dict[float, float] = {}
    named: list[NamedGoal] = []
    for share, words in percentiles.items():
        for part in [] if words is None else words.split(","):
            name, equals, limit = part.rpartition("=")
            most_ms = _goal_seconds(limit) * 1000
            if not equals and share in times:
                raise ConfigurationError("there are two goals of all requests", hint="write 200ms,checkout=800ms")
            if equals:
                named.append(NamedGoal(name.strip(), share, most_ms))
            else:
                times[share] = most_ms
    return Goals(times, named, None if errors is None else share_or_none(errors))


def _goal_seconds(words: str) -> float:
    """Seconds of a goal.

    A unit is required: goals are usually in milliseconds, while plain numbers elsewhere are seconds.
    """
    if re.fullmatch(r"\s*[\d.]+\s*", words):
        number = words.strip()
        raise ConfigurationError(f"the goal '{number}' has no unit", hint=f"write {number}ms or {number}s")
    return seconds_of(words)


def share_or_none(words: str) -> float:
    """A share from 0 to 1: `1%`, `0.01`, `0`; raises ConfigurationError."""
    if re.fullmatch(r"\s*0+(\.0*)?\s*%?\s*", words):
        return 0.0
    try:
        return share_of(words)
    except ConfigurationError:
        raise ConfigurationError(f"'{words}' is not a share of requests", hint="write 1%, 0.01 or 0") from None

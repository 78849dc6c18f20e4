"""Exports a Hyperfoil benchmark: each operation a fork of the phases, checks of answers, users or a rate, and goals as
SLAs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from ...models.job import BigBang, Bursts, FixedWork, Ramp, Rate, Stage, Steps, Think, UserStages
from ...models.outputs.own_service import LeftOut
from .planned import PLACE, ExportedOperation, PlannedExport, Secret

_STEPS_OF_PLACES: Mapping[str, Mapping[str, Any]] = {
    "uuid": {"randomUUID": "uuid"},
    "time": {"timestamp": {"toVar": "time", "pattern": "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"}},
}
_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT")
_MOST_FILES = 100  # bodies of an operation
_MOST_LEVELS = 10  # of a ramp
_MOST_SESSIONS = 1_000


class _Parameter(str):
    """A parameter that the user gives when Hyperfoil runs the benchmark, by name."""


class _Together(tuple[str, ...]):
    """Texts and parameters concatenated to one text."""


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]  # the library has no types
    """YAML with Hyperfoil's tags for parameters."""


_Dumper.add_representer(_Parameter, lambda dumper, value: dumper.represent_scalar("!param", str(value)))
_Dumper.add_representer(_Together, lambda dumper, value: dumper.represent_sequence("!concat", value, flow_style=True))


def hyperfoil_files(plan: PlannedExport) -> tuple[dict[str, str], list[LeftOut]]:
    """The benchmark and, for several bodies, their files, by file name; and what the benchmark does not express."""
    name = plan.load_target.name.replace(":", "-")
    files: dict[str, str] = {}
    forks: dict[str, Any] = {}
    left_out = [*plan.left_out, *_approximations(plan)]
    why_none = "sessions are exported for k6 and JMeter alone"
    left_out += [LeftOut(what=session.name, why=why_none) for session in plan.sessions]
    for operation in plan.operations:
        why = _why_not(operation)
        if why is not None:
            left_out.append(LeftOut(what=operation.name, why=why))
            continue
        steps, bodies, otherwise = _steps(plan, operation, name)
        files |= bodies
        left_out += otherwise
        forks[operation.name] = {"weight": operation.weight, "scenario": [{operation.name: steps}]}
    benchmark = {
        "name": name,
        "http": _http(plan),
        "ergonomics": dict.fromkeys(
            ("repeatCookies", "userAgentFromSession", "autoRangeCheck", "stopOnInvalid"), False
        ),
        "phases": _phases(plan, forks),
    }
    head = (
        f"# Made by `steelyard export` from {name}. The output of `steelyard export` lists the differences to "
        "Steelyard.\n"
    )
    text = yaml.dump(benchmark, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return {f"{name}.hf.yaml": head + text, **files}, left_out


def _why_not(operation: ExportedOperation) -> str | None:
    """Why Hyperfoil cannot send an operation, as a sentence."""
    unknown = sorted(operation.places - _STEPS_OF_PLACES.keys())
    if unknown:
        return f"Hyperfoil has no equivalent of {', '.join(unknown)}"
    if operation.method not in _METHODS:
        return f"Hyperfoil does not support the method {operation.method}"
    paths, bodies = (len(set(column)) for column in zip(*operation.rows, strict=True))
    if bodies > 1 and (paths > 1 or operation.places):
        return "bodies come from files, in which Hyperfoil fills no places, and a path cannot belong to a body"
    texts = [path for path, _ in operation.rows] + list(operation.headers.values())
    texts += [operation.rows[0][1].decode("utf-8", "replace")] if operation.places else []
    if any("${" in text for text in texts):
        return "a request holds ${, which Hyperfoil would expand"
    if any(body.decode("utf-8", "replace").encode() != body for _, body in operation.rows):
        return "a body is not text"
    return None


def _steps(
    plan: PlannedExport, operation: ExportedOperation, name: str
) -> tuple[list[Any], dict[str, str], list[LeftOut]]:
    """The steps of a session, the bodies in separate files, and what is not expressed."""
    steps: list[Any] = [_STEPS_OF_PLACES[place] for place in sorted(operation.places)]
    paths = list(dict.fromkeys(path for path, _ in operation.rows))
    bodies = list(dict.fromkeys(body.decode() for _, body in operation.rows))
    files: dict[str, str] = {}
    left_out = []
    headers: dict[str, Any] = {key: _pattern(value) for key, value in operation.headers.items()}
    request: dict[str, Any] = {operation.method: _pattern(paths[0])}
    if len(paths) > 1:
        steps.append({"randomItem": {"list": paths, "toVar": "path"}})
        request = {operation.method: "${path}"}
    if len(bodies) > 1:
        if len(bodies) > _MOST_FILES:
            why = f"the first {_MOST_FILES} of {len(bodies):,} are exported, each as a file"
            left_out.append(LeftOut(what=f"bodies of {operation.name}", why=why))
        own = re.sub(r"[^\w-]", "_", operation.name)
        files = {f"{name}.{own}.{number}": body for number, body in enumerate(bodies[:_MOST_FILES], 1)}
        steps.append({"randomFile": {"files": list(files), "toVar": "body"}})
        request["body"] = {"fromVar": "body"}
    elif bodies[0]:
        request["body"] = {"pattern": _pattern(bodies[0])} if operation.places else {"text": bodies[0]}
    headers |= {secret.header: _secret(secret) for secret in plan.secrets}
    if headers:
        request["headers"] = headers
    handler, otherwise = _handler(operation)
    request |= {"handler": handler, "sla": _sla(plan)} if _sla(plan) else {"handler": handler}
    return [*steps, {"httpRequest": request}, *_pause(plan.think)], files, left_out + otherwise


def _pattern(text: str) -> str:
    """A text with Steelyard's places as Hyperfoil variables."""
    return PLACE.sub(lambda place: f"${{{place[1]}}}", text)


def _secret(secret: Secret) -> _Parameter | _Together:
    """A secret as a parameter that the user gives by name; for basic authentication, user name and password in base64
    together."""
    name = re.sub(r"\W", "_", secret.source.partition(":")[2])
    if secret.user is not None:
        name += "_BASE64"
    return _Together((secret.prefix, _Parameter(name))) if secret.prefix else _Parameter(name)


def _handler(operation: ExportedOperation) -> tuple[dict[str, Any], list[LeftOut]]:
    """Hyperfoil's checks of answers, and the checks that it lacks."""
    rule, left_out = operation.rule, []
    status = sorted(set(rule.status or [200]))
    whole = status == list(range(status[0], status[-1] + 1))
    handler: dict[str, Any] = {"status": {"range": status[0] if len(status) == 1 else f"{status[0]}-{status[-1]}"}}
    if not whole:
        why = f"Hyperfoil accepts every status from {status[0]} to {status[-1]}"
        left_out.append(LeftOut(what=f"status of {operation.name}", why=why))
    expressions = [rule.matches, None if rule.contains is None else _java_literal(rule.contains)]
    checks = [{"check": {"regex": f".*(?:{expression}).*"}} for expression in expressions if expression is not None]
    if checks:
        handler["body"] = checks[0] if len(checks) == 1 else checks
    if rule.length is not None:
        left_out.append(LeftOut(what=f"length of answers of {operation.name}", why="Hyperfoil has no such check"))
    return handler, left_out


def _java_literal(text: str) -> str:
    """A Java regular expression for exactly this text."""
    return "\\Q" + text.replace("\\E", "\\E\\\\E\\Q") + "\\E"


def _sla(plan: PlannedExport) -> list[dict[str, Any]]:
    goals = plan.words.goals
    sla: dict[str, Any] = {}
    if goals.percentiles:
        sla["limits"] = {share: f"{most:g} ms" for share, most in sorted(goals.percentiles.items())}
    if goals.errors is not None:
        sla |= {"errorRatio": goals.errors, "invalidRatio": goals.errors}
    return [{**sla, "blockedRatio": 1.0}] if sla else []


def _pause(think: Think) -> list[Any]:
    if think.kind == "none":
        return []
    if think.kind == "uniform":
        between = {"min": f"{think.ms:g}ms", "max": f"{think.to_ms:g}ms", "random": "LINEAR"}
        return [{"thinkTime": {"duration": f"{(think.ms + think.to_ms) / 2:g}ms", **between}}]
    return [{"thinkTime": f"{think.ms:g}ms"}]


def _http(plan: PlannedExport) -> dict[str, Any]:
    profile, tls = plan.profile, plan.load_target.tls
    users = _MOST_SESSIONS if isinstance(profile, Rate) else max(users for users, _ in _levels(plan))
    http: dict[str, Any] = {
        "host": plan.load_target.address,
        "sharedConnections": users,
        "requestTimeout": f"{plan.words.timeout_seconds:g}s",
        "allowHttp2x": False,
    }
    if tls.ca is not None:
        http["trustManager"] = {"certFile": str((plan.load_target.folder / tls.ca).resolve())}
    if tls.certificate is not None and tls.key is not None:
        files = {"certFile": tls.certificate, "keyFile": tls.key}
        http["keyManager"] = {key: str((plan.load_target.folder / file).resolve()) for key, file in files.items()}
    return http


def _phases(plan: PlannedExport, forks: Mapping[str, Any]) -> list[Any]:
    """The phases in order: the warm-up, then the load, with one phase per level of users."""
    profile = plan.profile
    phases: list[tuple[str, str, dict[str, Any]]] = []
    if plan.warm_up_seconds and isinstance(profile, BigBang | Rate):
        kind, load = _flat_plan(plan)
        phases.append(("warmUp", kind, {**load, "duration": f"{plan.warm_up_seconds:g}s", "isWarmup": True}))
    if isinstance(profile, Rate):
        for number, stage in enumerate(profile.stages, 1):
            name = "load" if len(profile.stages) == 1 else f"load{number}"
            kind, load = _arrivals(profile, stage)
            phases.append((name, kind, {**load, "duration": f"{stage.seconds:g}s"}))
    else:
        levels = _levels(plan)
        for number, (users, seconds) in enumerate(levels, 1):
            name = "load" if len(levels) == 1 else f"load{number}"
            kind = "always" if users else "noop"
            phases.append((name, kind, {"duration": f"{seconds:g}s", **({"users": users} if users else {})}))
    listed: list[Any] = []
    for number, (name, kind, load) in enumerate(phases):
        after = {"startAfterStrict": phases[number - 1][0]} if number else {}
        listed.append({name: {kind: {**load, **after, **({} if kind == "noop" else {"forks": dict(forks)})}}})
    return listed


def _flat_plan(plan: PlannedExport) -> tuple[str, dict[str, Any]]:
    if isinstance(plan.profile, Rate):
        first = plan.profile.stages[0]
        rate = first.from_rate or first.to_rate
        return _arrivals(plan.profile, first.model_copy(update={"from_rate": rate, "to_rate": rate}))
    return "always", {"users": _levels(plan)[0][0]}


def _arrivals(profile: Rate, stage: Stage) -> tuple[str, dict[str, Any]]:
    if not stage.from_rate and not stage.to_rate:
        return "noop", {}
    load: dict[str, Any] = {"variance": profile.arrivals == "poisson", "maxSessions": _MOST_SESSIONS}
    if stage.from_rate == stage.to_rate:
        return "constantRate", {"usersPerSec": stage.from_rate, **load}
    kind = "increasingRate" if stage.from_rate < stage.to_rate else "decreasingRate"
    return kind, {"initialUsersPerSec": stage.from_rate, "targetUsersPerSec": stage.to_rate, **load}


def _levels(plan: PlannedExport) -> list[tuple[int, float]]:
    """The levels of users: how many, and for how many seconds."""
    profile: Any = plan.profile
    if isinstance(profile, BigBang):
        return [(profile.users, profile.seconds)]
    if isinstance(profile, FixedWork):
        return [(profile.users, profile.most_seconds)]
    if isinstance(profile, Steps):
        return [(level, profile.hold_seconds) for level in profile.levels]
    if isinstance(profile, Ramp):
        return _ramp_levels(profile.from_users, profile.to_users, profile.seconds)
    if isinstance(profile, UserStages):
        return [
            level for stage in profile.stages for level in _ramp_levels(stage.from_users, stage.to_users, stage.seconds)
        ]
    assert isinstance(profile, Bursts)
    cycles = max(1, round(profile.seconds / (profile.on_seconds + profile.off_seconds)))
    return [(profile.users, profile.on_seconds), (0, profile.off_seconds)] * cycles


def _ramp_levels(first: int, last: int, seconds: float) -> list[tuple[int, float]]:
    """Levels of equal length that stand for a ramp: how many users, and for how many seconds."""
    count = min(_MOST_LEVELS, abs(last - first) + 1)
    levels = [round(first + (last - first) * step / max(1, count - 1)) for step in range(count)]
    return [(level, seconds / count) for level in levels]


def _approximations(plan: PlannedExport) -> list[LeftOut]:
    profile, left_out = plan.profile, []
    if len(plan.operations) > 1:
        why = (
            "Hyperfoil divides users or rate between operations by weight, and does not draw an operation for "
            "each request"
        )
        left_out.append(LeftOut(what="the mix", why=why))
    if isinstance(profile, FixedWork):
        why = f"Hyperfoil runs for {profile.most_seconds:g} s instead"
        left_out.append(LeftOut(what="--max-requests" if plan.words.iterations is None else "--iterations", why=why))
    if isinstance(profile, Ramp | UserStages):
        left_out.append(LeftOut(what="a ramp of users", why=f"it is exported as {len(_levels(plan))} levels"))
    if any(operation.rule.fault != "any" for operation in plan.operations):
        left_out.append(
            LeftOut(what="rule fault", why="Hyperfoil does not detect SOAP faults; it checks the status only")
        )
    if not plan.load_target.tls.verify:
        left_out.append(LeftOut(what="tls.verify", why="Hyperfoil has no such setting"))
    return left_out

"""Exports a k6 script: operations by weight, checks of answers, users or a rate, and goals as thresholds."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

from ...models.job import (
    BigBang,
    Bursts,
    Capture,
    CookieCapture,
    FixedWork,
    HeaderCapture,
    JsonCapture,
    PathCapture,
    Ramp,
    Rate,
    RegexCapture,
    Steps,
    Think,
    UserStages,
)
from ...models.outputs.own_service import LeftOut
from ...plan.cells import lead_out_seconds
from .planned import ExportedOperation, ExportedSession, ExportedUnit, PlannedExport, Secret

_FILLED = ("uuid", "time", "counter", "nonce")  # and time_plus_SECONDS
# of the expressions of the engine, in a form that JavaScript's differ from
_NOT_OF_JAVASCRIPT = ("(?P", "(?i", "(?s", "(?m", "(?x", "(?u", "(?-", "[[:", "\\A", "\\z", "\\pL", "&&")
_VIRTUAL_USERS = 1_000  # that k6 may add to reach a rate
_SCRIPTS = Path(__file__).parent


def k6_files(plan: PlannedExport) -> tuple[dict[str, str], list[LeftOut]]:
    """The script and its data by file name, and what the script does not express."""
    name, words = plan.load_target.name.replace(":", "-"), plan.words
    script, data = f"{name}.k6.js", f"{name}.k6.json"
    left_out = [*plan.left_out, *approximations(plan)]
    reasons = {unit.name: _why_not(plan, unit) for unit in plan.units}
    left_out += [LeftOut(what=unit, why=why) for unit, why in reasons.items() if why is not None]
    operations = [operation for operation in plan.operations if reasons[operation.name] is None]
    sessions = [session for session in plan.sessions if reasons[session.name] is None]
    texts = {
        "SERVICE": name,
        "LOAD": words.profile if words.rates is None else "a rate",
        "FILE": script,
        "DATA": data,
        "ADDRESS": json.dumps(plan.load_target.address),
        **secret_texts(plan),
        "OPERATION_LIST": json.dumps([_operation(operation) for operation in operations], indent=2),
        "SESSION_LIST": json.dumps([_session(session) for session in sessions], indent=2),
        "NEW_USERS": json.dumps(isinstance(plan.profile, Rate)),
        "OPTIONS": json.dumps({**load_options(plan, "http_req_duration"), "maxRedirects": 0}, indent=2),
        "PAUSE": pause_line(plan.think),
        "TIMEOUT": json.dumps(duration_text(words.timeout_seconds)),
    }
    sent = [*operations, *(step for session in sessions for step in session.steps)]
    rows: dict[str, Any] = {operation.name: [_row(path, body) for path, body in operation.rows] for operation in sent}
    rows |= {session.name: [dict(row) for row in session.rows] or [{}] for session in sessions}
    return {script: fill_script("k6_script.js", texts), data: json.dumps(rows, ensure_ascii=False) + "\n"}, left_out


def _why_not(plan: PlannedExport, unit: ExportedUnit) -> str | None:
    """Why k6 cannot send an operation, or the steps of a session; None if it can."""
    why_not = why_not_filled({place for step in unit.steps for place in step.places} - plan.values_of(unit))
    if why_not is not None:
        return why_not
    if any(isinstance(capture, PathCapture) for capture in unit.captures):
        return "k6 finds no value by a path of elements"
    expressions = [capture.expression for capture in unit.captures if isinstance(capture, RegexCapture)]
    other = next((expression for expression in expressions if javascript_expression(expression) is None), None)
    return None if other is None else f"JavaScript has no equivalent of the expression {other}"


def why_not_filled(places: Set[str]) -> str | None:
    """Why the script cannot fill these places; None if it can."""
    unknown = sorted(place for place in places if place not in _FILLED and not place.startswith("time_plus_"))
    return f"k6 has no equivalent of {', '.join(unknown)}" if unknown else None


def javascript_expression(expression: str) -> tuple[str, str] | None:
    """An expression of a capture for JavaScript, with its flags; None where it has no equivalent."""
    match = re.match(r"(?:\(\?([ims]+)\))?(.*)", expression, re.DOTALL)
    assert match is not None
    if any(other in match[2] for other in _NOT_OF_JAVASCRIPT):
        return None
    return match[2], "".join(sorted({*(match[1] or "")}))


def _session(session: ExportedSession) -> dict[str, Any]:
    model = session.session
    may_lack = {step.if_captured for step in model.steps}
    return {
        "name": session.name,
        "weight": session.weight,
        "once": sum(step.once for step in model.steps),
        "newVisitor": model.new_visitor,
        "goesOn": model.on_failure == "continue",
        "againOn": model.again_on,
        "againAfterMs": model.again_after_ms,
        "dataOf": "session" if model.rows is None else model.rows.each,
        "steps": [
            {
                **_operation(operation),
                "needs": sorted(operation.places & session.values),
                "ifCaptured": step.if_captured,
                "think": step.think.model_dump(),
                "captures": [
                    {**_capture(name, capture), **({"mayLack": True} if name in may_lack else {})}
                    for name, capture in step.captures.items()
                ],
            }
            for operation, step in zip(session.steps, model.steps, strict=True)
        ],
    }


def _capture(name: str, capture: Capture) -> dict[str, Any]:
    if isinstance(capture, HeaderCapture):
        return {"name": name, "kind": "header", "header": capture.name}
    if isinstance(capture, CookieCapture):
        return {"name": name, "kind": "cookie", "cookie": capture.name}
    if isinstance(capture, JsonCapture):
        return {"name": name, "kind": "json", "path": capture.path}
    assert isinstance(capture, RegexCapture)
    expression, flags = javascript_expression(capture.expression) or ("", "")
    return {"name": name, "kind": "regex", "expression": expression, "flags": flags}


def fill_script(file: str, texts: Mapping[str, str]) -> str:
    """A script with each `@NAME@` replaced in one pass: inserted text is not searched again."""
    texts = {**texts, "FUNCTIONS": (_SCRIPTS / "k6_values.js").read_text(encoding="utf-8").rstrip()}
    return re.sub("@([A-Z_]+)@", lambda name: texts[name[1]], (_SCRIPTS / file).read_text(encoding="utf-8"))


def _operation(operation: ExportedOperation) -> dict[str, Any]:
    rule = operation.rule
    return {
        "name": operation.name,
        "method": operation.method,
        "headers": dict(operation.headers),
        "weight": operation.weight,
        "filled": bool(operation.places),
        "right": {
            "status": rule.status,
            "fault": rule.fault,
            "contains": rule.contains,
            "matches": rule.matches,
            "length": None if rule.length is None else rule.length.model_dump(),
        },
    }


def _row(path: str, body: bytes) -> dict[str, Any]:
    try:
        return {"path": path, "body": body.decode()}
    except UnicodeDecodeError:
        return {"path": path, "body": base64.b64encode(body).decode(), "binary": True}


def secret_texts(plan: PlannedExport) -> dict[str, str]:
    """The objects of secret headers, and of the secret values of places, by the names that scripts have for them."""
    values = {place: f"secret({json.dumps(source)})" for place, source in sorted(plan.secret_values.items())}
    return {
        "SECRET_HEADERS": _object({secret.header: _secret(secret) for secret in plan.secrets}),
        "SECRET_VALUES": _object(values),
    }


def _object(expressions: Mapping[str, str]) -> str:
    """An object of JavaScript, whose values are expressions."""
    lines = [f"  {json.dumps(key)}: {value}," for key, value in expressions.items()]
    return "{\n" + "\n".join(lines) + "\n}" if lines else "{}"


def _secret(secret: Secret) -> str:
    value = f"secret({json.dumps(secret.source)})"
    if secret.user is not None:
        value = f"encoding.b64encode({json.dumps(secret.user + ':')} + {value})"
    return f"{json.dumps(secret.prefix)} + {value}" if secret.prefix else value


def pause_line(think: Think) -> str:
    """The statement of the pause after an answer."""
    if think.kind == "none":
        return "// each user sends its next request as soon as the answer arrives"
    if think.kind == "uniform":
        return f"sleep({think.ms / 1000:g} + Math.random() * {(think.to_ms - think.ms) / 1000:g});"
    return f"sleep({think.ms / 1000:g});"


def load_options(plan: PlannedExport, metric: str) -> dict[str, Any]:
    """The load and the goals as options of k6, whose `metric` has the response times."""
    scenarios: dict[str, Any] = {}
    load, seconds = _scenario(plan), plan.warm_up_seconds
    profile = plan.profile
    if seconds and isinstance(profile, BigBang | Rate) and not _keeps_users(plan):
        scenarios["warm_up"] = _scenario(plan, seconds)
        load["startTime"] = duration_text(seconds)
    scenarios["load"] = load
    goals = plan.words.goals
    thresholds: dict[str, list[str]] = {}
    if goals.percentiles:
        limits = [f"p({share * 100:g})<={most:g}" for share, most in sorted(goals.percentiles.items())]
        thresholds[f"{metric}{{scenario:load}}"] = limits
    thresholds["checks{scenario:load}"] = [f"rate>={1 - (goals.errors or 0.0):g}"]
    options: dict[str, Any] = {"scenarios": scenarios, "thresholds": thresholds}
    options["summaryTrendStats"] = ["avg", "med", "p(95)", "p(99)", "max"]
    if plan.sessions and not isinstance(profile, Rate):
        options["noCookiesReset"] = True
    if not plan.load_target.tls.verify:
        options["insecureSkipTLSVerify"] = True
    return options


def _keeps_users(plan: PlannedExport) -> bool:
    """Whether the users of the load are those of its warm-up, which k6's scenarios are not."""
    return bool(plan.sessions) and isinstance(plan.profile, BigBang)


def _scenario(plan: PlannedExport, seconds: float | None = None) -> dict[str, Any]:
    """The load as a k6 executor; for the warm-up limited to `seconds`."""
    sessions = {session.name: session.session for session in plan.sessions}
    profile, grace = plan.profile, duration_text(plan.words.timeout_seconds + lead_out_seconds(sessions))
    if isinstance(profile, Rate):
        return {**_arrivals(profile, seconds), "gracefulStop": grace}
    if isinstance(profile, FixedWork):
        work: dict[str, Any] = {"executor": "shared-iterations", "vus": profile.users, "iterations": profile.work}
        if sessions and not profile.extra:
            work |= {"executor": "per-vu-iterations", "iterations": profile.each}
        return {**work, "maxDuration": duration_text(profile.most_seconds)}
    if isinstance(profile, BigBang):
        whole = profile.seconds + (plan.warm_up_seconds if _keeps_users(plan) else 0.0)
        duration = duration_text(whole if seconds is None else seconds)
        return {"executor": "constant-vus", "vus": profile.users, "duration": duration, "gracefulStop": grace}
    first, stages = _stages(profile)
    stepped = [{"target": target, "duration": duration_text(lasting)} for target, lasting in stages]
    return {"executor": "ramping-vus", "startVUs": first, "stages": stepped, "gracefulRampDown": grace}


def _stages(profile: Ramp | Steps | Bursts | UserStages | Any) -> tuple[int, list[tuple[int, float]]]:
    """The first number of users, then the number at the end of each stage with its seconds."""
    if isinstance(profile, Ramp):
        return profile.from_users, [(profile.to_users, profile.seconds)]
    if isinstance(profile, UserStages):
        stages: list[tuple[int, float]] = []
        for stage in profile.stages:
            stages += [(stage.from_users, 0.0), (stage.to_users, stage.seconds)]
        return profile.stages[0].from_users, stages[1:]
    if isinstance(profile, Steps):
        held = [stage for level in profile.levels for stage in ((level, 0.0), (level, profile.hold_seconds))]
        return profile.levels[0], held
    cycles = math.ceil(profile.seconds / (profile.on_seconds + profile.off_seconds))
    on, off = (profile.users, profile.on_seconds), (0, profile.off_seconds)
    return profile.users, [stage for _ in range(cycles) for stage in ((on[0], 0.0), on, (0, 0.0), off)]


def _arrivals(profile: Rate, seconds: float | None) -> dict[str, Any]:
    ends = [rate for stage in profile.stages for rate in (stage.from_rate, stage.to_rate)]
    whole = all(float(rate).is_integer() for rate in ends)
    times, unit = (1, "1s") if whole else (3600, "1h")
    first = round(ends[0] * times)
    virtual = {"timeUnit": unit, "preAllocatedVUs": min(_VIRTUAL_USERS, 50), "maxVUs": _VIRTUAL_USERS}
    if len({*ends}) == 1 or seconds is not None:
        lasting = sum(stage.seconds for stage in profile.stages) if seconds is None else seconds
        return {"executor": "constant-arrival-rate", "rate": first, "duration": duration_text(lasting), **virtual}
    stages: list[dict[str, Any]] = []
    for stage in profile.stages:
        begin = {"target": round(stage.from_rate * times), "duration": duration_text(0)}
        stages += [begin, {"target": round(stage.to_rate * times), "duration": duration_text(stage.seconds)}]
    return {"executor": "ramping-arrival-rate", "startRate": first, "stages": stages[1:], **virtual}


def duration_text(seconds: float) -> str:
    """A duration as k6 writes it."""
    return f"{round(seconds * 1000)}ms"


def approximations(plan: PlannedExport) -> list[LeftOut]:
    """What k6 expresses in another way than the load, or not at all."""
    tls, left_out = plan.load_target.tls, []
    if isinstance(plan.profile, Rate) and plan.profile.arrivals == "poisson":
        left_out.append(LeftOut(what="--poisson", why="k6 sends at constant intervals"))
    if tls.ca is not None:
        left_out.append(LeftOut(what="tls.ca", why="k6 uses the system's roots; set others with SSL_CERT_FILE"))
    if tls.certificate is not None:
        left_out.append(LeftOut(what="tls.certificate", why="set tlsAuth in the script's options"))
    left_out.append(
        LeftOut(what="the order of requests", why="k6 draws operations by weight, in a different order in each run")
    )
    if _keeps_users(plan) and plan.warm_up_seconds:
        why = "users keep their sessions through it, so k6 counts it as part of the load"
        left_out.append(LeftOut(what="the warm-up of sessions", why=why))
    ending = [
        session.name for session in plan.sessions if session.session.rows and session.session.rows.at_end == "stop"
    ]
    left_out += [LeftOut(what=f"data_end of {name}", why="k6 begins with the first row again") for name in ending]
    return left_out

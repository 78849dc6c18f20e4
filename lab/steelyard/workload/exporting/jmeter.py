"""Exports a JMeter test plan: operations and sessions by weight, captures, pauses, data, checks of answers, users or a rate."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from lxml import etree

from ...base.errors import ConfigurationError
from ...models.job import (
    BigBang,
    Capture,
    CookieCapture,
    FixedWork,
    HeaderCapture,
    JsonCapture,
    PathCapture,
    Ramp,
    Rate,
    RegexCapture,
    Rule,
    Think,
)
from ...models.outputs.own_service import LeftOut
from .planned import ExportedOperation, ExportedSession, ExportedUnit, PlannedExport, Secret

_PLACE = re.compile(r"\{\{(\w{1,64})(?::(url|json|xml))?\}\}")
# How JMeter fills the engine's own places; a comma in a function has a backslash before it.
_FILLED: Mapping[str, str] = {
    "uuid": "${__UUID}",
    "time": "${__groovy(java.time.Instant.now().truncatedTo(java.time.temporal.ChronoUnit.MILLIS).toString())}",
    "counter": "${__counter(FALSE)}",
}
_CODED: Mapping[str, str] = {
    "url": '${{__groovy(java.net.URLEncoder.encode(vars.get("{name}")\\, "UTF-8").replace("+"\\, "%20"))}}',
    "json": '${{__groovy(org.apache.commons.text.StringEscapeUtils.escapeJson(vars.get("{name}")))}}',
    "xml": "${{__escapeXml(${{{name}}})}}",
}
_TIME_PLUS = re.compile(r"time_plus_([0-9]{1,9})")
# of the expressions of the engine, in a form that JMeter's (Perl 5) lack
_NOT_OF_PERL = ("(?P<", "[[:", "\\z", "\\p{", "&&", "(?x", "(?u", "(?-")
_NOT_OF_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_FAULT = r"<(\w+:)?Fault[\s>]"
# the types of a response assertion, and of the comparisons of a size assertion
_MATCHES, _CONTAINS, _NOT, _SUBSTRING = 1, 2, 4, 16
_AT_LEAST, _AT_MOST = 5, 6


def jmeter_files(plan: PlannedExport) -> tuple[dict[str, str], list[LeftOut]]:
    """The test plan and the data of its sessions by file name, and what the plan does not express. Raises ConfigurationError where
    JMeter has no such load."""
    name = plan.load_target.name.replace(":", "-")
    reasons = {unit.name: _why_not(plan, unit) for unit in plan.units}
    left_out = [*plan.left_out, *_approximations(plan)]
    left_out += [LeftOut(what=unit, why=why) for unit, why in reasons.items() if why is not None]
    units = [unit for unit in plan.units if reasons[unit.name] is None]
    for unit in units:
        left_out += _partly_left_out(unit)
    if len(units) > 1:
        why = "a controller for each part makes its share of the iterations, without a common order"
        left_out.append(LeftOut(what="the order of the mix", why=why))
    files: dict[str, str] = {}
    body: list[Part] = []
    for unit in units:
        parts = _unit_elements(plan, unit, name, files)
        if len(units) > 1:
            share = 100 * unit.weight / sum(other.weight for other in units)
            parts = [_throughput_controller(unit.name, share, parts)]
        body += parts
    cookies = [_cookie_manager(plan)] if plan.sessions else []
    group = _thread_group(plan, name)
    for part in body:
        group[1].extend(part)
    below = [_defaults(plan), *cookies, *_secret_headers(plan), group]
    tests = _element("TestPlan", "TestPlanGui", name, [_user_variables(plan)], below)
    root = etree.Element("jmeterTestPlan", version="1.2", properties="5.0", jmeter="5.6.3")
    etree.SubElement(root, "hashTree").extend(tests)
    etree.indent(root)
    text = etree.tostring(root, encoding="unicode")
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<!-- Made by `steelyard export`. Run it with: jmeter -n -t '
    return {f"{name}.jmx": f"{head}{name}.jmx -l results.jtl -->\n{text}\n", **files}, left_out


Part = list[etree._Element]  # an element and the tree below it


def _why_not(plan: PlannedExport, unit: ExportedUnit) -> str | None:
    """Why JMeter cannot send an operation, or the steps of a session; None if it can."""
    places = {place for step in unit.steps for place in step.places} - plan.values_of(unit)
    unknown = sorted(place for place in places if place not in _FILLED and not _TIME_PLUS.fullmatch(place))
    if unknown:
        return f"JMeter has no equivalent of {', '.join(unknown)}"
    for step in unit.steps:
        path, body = step.rows[0]
        if body.decode("utf-8", "replace").encode() != body or _NOT_OF_XML.search(body.decode()):
            return "a body is not text"
        if any("${" in text for text in (path, body.decode(), *step.headers.values())):
            return "a request holds ${, which JMeter would expand"
    expressions = [capture.expression for capture in unit.captures if isinstance(capture, RegexCapture)]
    expressions += [step.rule.matches for step in unit.steps if step.rule.matches is not None]
    other = next((each for each in expressions if any(piece in each for piece in _NOT_OF_PERL)), None)
    return None if other is None else f"JMeter has no equivalent of the expression {other}"


def _partly_left_out(unit: ExportedUnit) -> Iterator[LeftOut]:
    """What JMeter does otherwise with a part of the mix."""
    for step in unit.steps:
        if len(step.rows) > 1:
            yield LeftOut(what=f"rows of {step.name}", why=f"JMeter sends the first of {len(step.rows):,} requests")
    if isinstance(unit, ExportedOperation):
        return
    session = unit.session
    if session.again_on:
        statuses = ", ".join(map(str, session.again_on))
        yield LeftOut(what=f"again_on of {unit.name}", why=f"JMeter does not log in again after {statuses}")
    if session.again_after_ms is not None:
        yield LeftOut(what=f"again_after_ms of {unit.name}", why="JMeter logs in once")
    if unit.captures:
        why = "JMeter then sends an empty value, and the session continues"
        yield LeftOut(what=f"an answer of {unit.name} without a value to capture", why=why)


def _approximations(plan: PlannedExport) -> Iterator[LeftOut]:
    profile, tls = plan.profile, plan.load_target.tls
    if plan.warm_up_seconds and isinstance(profile, BigBang | Ramp):
        yield LeftOut(what="the warm-up", why="it is part of JMeter's load: leave it out of the results")
    if plan.sessions and isinstance(profile, BigBang | Ramp):
        yield LeftOut(what="the end of sessions", why="JMeter ends each user after its current request")
    if isinstance(profile, FixedWork) and profile.extra:
        yield LeftOut(
            what="--max-requests", why=f"{profile.users} users make {profile.each} each, the rest is left out"
        )
    if plan.words.goals.percentiles or plan.words.goals.errors is not None:
        yield LeftOut(what="goals", why="judge the results with `steelyard judge`")
    if plan.load_target.address.startswith("https:"):
        yield LeftOut(what="the certificate", why="JMeter accepts every certificate")
    if tls.certificate is not None:
        yield LeftOut(what="tls.certificate", why="give JMeter a key store with javax.net.ssl.keyStore")


def _element(kind: str, gui: str, name: str, properties: Sequence[etree._Element], below: Sequence[Part] = ()) -> Part:
    made = etree.Element(kind, guiclass=gui, testclass=kind, testname=name, enabled="true")
    made.extend(properties)
    tree = etree.Element("hashTree")
    for part in below:
        tree.extend(part)
    return [made, tree]


def _property(kind: str, name: str, value: object) -> etree._Element:
    made: etree._Element = etree.Element(f"{kind}Prop", name=name)
    made.text = str(value).lower() if isinstance(value, bool) else str(value)
    return made


def _string(name: str, value: object) -> etree._Element:
    return _property("string", name, value)


def _flag(name: str, value: bool) -> etree._Element:
    return _property("bool", name, value)


def _collection(name: str, inside: Sequence[etree._Element]) -> etree._Element:
    made: etree._Element = etree.Element("collectionProp", name=name)
    made.extend(inside)
    return made


def _inner(name: str, kind: str, inside: Sequence[etree._Element]) -> etree._Element:
    made: etree._Element = etree.Element("elementProp", name=name, elementType=kind)
    made.extend(inside)
    return made


def _user_variables(plan: PlannedExport) -> etree._Element:
    """The secrets, which JMeter reads from the environment or a file when it starts."""
    listed = [
        _inner(name, "Argument", [_string("Argument.name", name), _string("Argument.value", _secret_text(source))])
        for name, source in sorted(plan.secret_values.items())
    ]
    return _inner("TestPlan.user_defined_variables", "Arguments", [_collection("Arguments.arguments", listed)])


def _secret_text(source: str) -> str:
    return f"${{__groovy({_secret_expression(source)})}}"


def _secret_expression(source: str) -> str:
    """The Groovy expression of a secret."""
    kind, _, name = source.partition(":")
    return f"System.getenv({_groovy_text(name)})" if kind == "env" else f"new File({_groovy_text(name)}).text.trim()"


def _groovy_text(text: str) -> str:
    """A text as a literal of Groovy within a function of JMeter."""
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + quoted.replace("\\", "\\\\").replace(",", "\\,") + "'"


def _secret_headers(plan: PlannedExport) -> list[Part]:
    headers = {secret.header: _secret_header(secret) for secret in plan.secrets}
    return [_header_manager("secrets", headers)] if headers else []


def _secret_header(secret: Secret) -> str:
    if secret.user is None:
        return secret.prefix + _secret_text(secret.source)
    both = f"({_groovy_text(secret.user + ':')} + {_secret_expression(secret.source)})"
    return f"{secret.prefix}${{__groovy({both}.bytes.encodeBase64().toString())}}"


def _header_manager(name: str, headers: Mapping[str, str]) -> Part:
    listed = [
        _inner("", "Header", [_string("Header.name", key), _string("Header.value", value)])
        for key, value in headers.items()
    ]
    return _element("HeaderManager", "HeaderPanel", name, [_collection("HeaderManager.headers", listed)])


def _defaults(plan: PlannedExport) -> Part:
    address = urlsplit(plan.load_target.address)
    milliseconds = round(plan.words.timeout_seconds * 1000)
    made = [
        _inner("HTTPsampler.Arguments", "Arguments", [_collection("Arguments.arguments", [])]),
        _string("HTTPSampler.domain", f"${{__P(host,{address.hostname})}}"),
        _string("HTTPSampler.port", f"${{__P(port,{address.port or (443 if address.scheme == 'https' else 80)})}}"),
        _string("HTTPSampler.protocol", address.scheme),
        _string("HTTPSampler.connect_timeout", milliseconds),
        _string("HTTPSampler.response_timeout", milliseconds),
    ]
    return _element("ConfigTestElement", "HttpDefaultsGui", "HTTP Request Defaults", made)


def _cookie_manager(plan: PlannedExport) -> Part:
    new = any(session.session.new_visitor for session in plan.sessions)
    made = [_collection("CookieManager.cookies", []), _flag("CookieManager.clearEachIteration", new)]
    return _element("CookieManager", "CookiePanel", "HTTP Cookie Manager", made)


def _thread_group(plan: PlannedExport, name: str) -> Part:
    """The users, or the arrivals; raises ConfigurationError for a load that JMeter does not have."""
    profile = plan.profile
    goes_on = any(session.session.on_failure == "continue" for session in plan.sessions)
    error = _string("ThreadGroup.on_sample_error", "continue" if goes_on or not plan.sessions else "startnextloop")
    if isinstance(profile, Rate):
        package = "org.apache.jmeter.threads.openmodel"
        made = etree.Element(
            f"{package}.OpenModelThreadGroup",
            guiclass=f"{package}.gui.OpenModelThreadGroupGui",
            testclass=f"{package}.OpenModelThreadGroup",
            testname=name,
            enabled="true",
        )
        controller = _inner("ThreadGroup.main_controller", f"{package}.OpenModelThreadGroupController", [])
        made.extend([error, controller, _string("OpenModelThreadGroup.schedule", _schedule(profile))])
        return [made, etree.Element("hashTree")]
    loops, users, ramp = -1, 0, 0.0
    seconds: float | None = None
    if isinstance(profile, FixedWork):
        loops, users = profile.each, profile.users
    elif isinstance(profile, BigBang):
        users, seconds = profile.users, profile.seconds + plan.warm_up_seconds
    elif isinstance(profile, Ramp) and profile.from_users <= 1 <= profile.to_users:
        users, ramp, seconds = profile.to_users, profile.seconds, profile.seconds
    else:
        raise ConfigurationError(
            f"JMeter's thread groups have no load of this shape ({profile.kind})",
            hint="give --users N, --users 1..N --profile ramp, or --rate",
        )
    properties = [
        error,
        _inner(
            "ThreadGroup.main_controller",
            "LoopController",
            [_flag("LoopController.continue_forever", False), _string("LoopController.loops", loops)],
        ),
        _string("ThreadGroup.num_threads", users),
        _string("ThreadGroup.ramp_time", f"{ramp:g}"),
        _flag("ThreadGroup.scheduler", seconds is not None),
        _string("ThreadGroup.duration", "" if seconds is None else math.ceil(seconds)),
        _string("ThreadGroup.delay", ""),
        _flag("ThreadGroup.same_user_on_next_iteration", True),
    ]
    return _element("ThreadGroup", "ThreadGroupGui", name, properties)


def _schedule(profile: Rate) -> str:
    """The arrivals in the words of JMeter's open model."""
    how = "random_arrivals" if profile.arrivals == "poisson" else "even_arrivals"
    stages = [
        f"rate({stage.from_rate:g}/s) {how}({stage.seconds:g} s) rate({stage.to_rate:g}/s)" for stage in profile.stages
    ]
    return " ".join(stages)


def _throughput_controller(name: str, percent: float, below: Sequence[Part]) -> Part:
    share = etree.Element("FloatProperty")
    for kind, text in (
        ("name", "ThroughputController.percentThroughput"),
        ("value", f"{percent:g}"),
        ("savedValue", "0.0"),
    ):
        etree.SubElement(share, kind).text = text
    properties = [
        _property("int", "ThroughputController.style", 1),
        _flag("ThroughputController.perThread", False),
        _property("int", "ThroughputController.maxThroughput", 1),
        share,
    ]
    return _element("ThroughputController", "ThroughputControllerGui", name, properties, below)


def _unit_elements(plan: PlannedExport, unit: ExportedUnit, name: str, files: dict[str, str]) -> list[Part]:
    """The elements of an operation, or of a session, whose data may go into a file of its own."""
    if isinstance(unit, ExportedOperation):
        return [_sampler(unit, {}), *_pause(plan.think)]
    model = unit.session
    made: list[Part] = []
    if model.rows is not None:
        made.append(_data(plan, unit, f"{name}.{unit.name}.csv", files))
    once: list[Part] = []
    for operation, step in zip(unit.steps, model.steps, strict=True):
        parts = [_sampler(operation, step.captures), *_pause(step.think)]
        if step.if_captured is not None:
            parts = [_if_captured(step.if_captured, operation.name, parts)]
        (once if step.once else made).extend(parts)
    if once:
        place = 1 if model.rows is not None else 0
        made.insert(place, _element("OnceOnlyController", "OnceOnlyControllerGui", f"{unit.name}: once", [], once))
    return made


def _if_captured(value: str, step: str, below: list[Part]) -> Part:
    """The elements of a step, for where a value was captured."""
    properties = [
        _string("IfController.condition", f"${{__groovy(!(vars.get('{value}') ?: '').isEmpty())}}"),
        _flag("IfController.evaluateAll", False),
        _flag("IfController.useExpression", True),
    ]
    return _element("IfController", "IfControllerPanel", f"{step}: if {value} was captured", properties, below)


def _data(plan: PlannedExport, session: ExportedSession, file: str, files: dict[str, str]) -> Part:
    """The rows of a session's data: one for each user, or the next of a file for each iteration."""
    rows = session.session.rows
    assert rows is not None
    if rows.each == "user" and not isinstance(plan.profile, Rate):
        by_user = [
            _collection(str(number), [_string(str(place), row[name]) for place, name in enumerate(rows.columns)])
            for number, row in enumerate(session.rows)
        ]
        properties = [
            _collection("UserParameters.names", [_string(str(n), name) for n, name in enumerate(rows.columns)]),
            _collection("UserParameters.thread_values", by_user),
            _flag("UserParameters.per_iteration", True),
        ]
        return _element("UserParameters", "UserParametersGui", f"{session.name}: data", properties)
    text = io.StringIO()
    writer = csv.DictWriter(text, rows.columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(session.rows)
    files[file] = text.getvalue()
    stops = rows.at_end == "stop"
    properties = [
        _string("filename", file),
        _string("fileEncoding", "UTF-8"),
        _string("variableNames", ",".join(rows.columns)),
        _string("delimiter", ","),
        _flag("ignoreFirstLine", True),
        _flag("quotedData", True),
        _flag("recycle", not stops),
        _flag("stopThread", stops),
        _string("shareMode", "shareMode.all"),
    ]
    return _element("CSVDataSet", "TestBeanGUI", f"{session.name}: data", properties)


def _sampler(operation: ExportedOperation, captures: Mapping[str, Capture]) -> Part:
    path, body = operation.rows[0]
    value = _inner(
        "",
        "HTTPArgument",
        [_flag("HTTPArgument.always_encode", False), _string("Argument.value", _text_for_jmeter(body.decode()))],
    )
    properties = [
        _flag("HTTPSampler.postBodyRaw", True),
        _inner("HTTPsampler.Arguments", "Arguments", [_collection("Arguments.arguments", [value] if body else [])]),
        _string("HTTPSampler.path", _text_for_jmeter(path)),
        _string("HTTPSampler.method", operation.method),
        _flag("HTTPSampler.follow_redirects", False),
        _flag("HTTPSampler.auto_redirects", False),
        _flag("HTTPSampler.use_keepalive", True),
    ]
    below = [_header_manager("headers", {name: _text_for_jmeter(text) for name, text in operation.headers.items()})]
    below += _assertions(operation.rule)
    below += [_extractor(name, capture) for name, capture in captures.items()]
    return _element("HTTPSamplerProxy", "HttpTestSampleGui", operation.name, properties, below)


def _text_for_jmeter(text: str) -> str:
    """A text with Steelyard's places as JMeter's variables and functions."""
    if not _PLACE.search(text):
        return text
    pieces, at = [], 0
    for place in _PLACE.finditer(text):
        pieces += [_escape_backslashes(text[at : place.start()]), _function_of_place(place[1], place[2])]
        at = place.end()
    return "".join([*pieces, _escape_backslashes(text[at:])])


def _escape_backslashes(text: str) -> str:
    """A text beside functions, in which JMeter takes a backslash for an escape."""
    return text.replace("\\", "\\\\")


def _function_of_place(name: str, coding: str | None) -> str:
    own = _FILLED.get(name)
    later = _TIME_PLUS.fullmatch(name)
    if later is not None:
        own = f"${{__groovy(java.time.Instant.now().plusSeconds({later[1]}).toString())}}"
    if own is not None:
        return own
    return _CODED[coding].format(name=name) if coding else f"${{{name}}}"


def _assertions(rule: Rule) -> list[Part]:
    statuses = "|".join(map(str, rule.status or [200]))
    made = [_response_assertion("status", "response_code", _MATCHES, statuses)]
    if rule.fault != "any":
        kind = _CONTAINS if rule.fault == "present" else _CONTAINS | _NOT
        made.append(_response_assertion("fault", "response_data", kind, _FAULT))
    if rule.contains is not None:
        made.append(_response_assertion("contains", "response_data", _SUBSTRING, rule.contains))
    if rule.matches is not None:
        made.append(_response_assertion("matches", "response_data", _CONTAINS, rule.matches))
    if rule.length is not None:
        made.append(_size_assertion("least bytes", _AT_LEAST, rule.length.least))
        made.append(_size_assertion("most bytes", _AT_MOST, rule.length.most))
    return made


def _response_assertion(name: str, field: str, kind: int, text: str) -> Part:
    properties = [
        _collection("Asserion.test_strings", [_string("0", text)]),  # JMeter's spelling
        _string("Assertion.test_field", f"Assertion.{field}"),
        _flag("Assertion.assume_success", True),
        _property("int", "Assertion.test_type", kind),
    ]
    return _element("ResponseAssertion", "AssertionGui", name, properties)


def _size_assertion(name: str, operator: int, size: int) -> Part:
    properties = [
        _string("Assertion.test_field", "SizeAssertion.response_data"),
        _string("SizeAssertion.size", size),
        _property("int", "SizeAssertion.operator", operator),
    ]
    return _element("SizeAssertion", "SizeAssertionGui", name, properties)


def _extractor(name: str, capture: Capture) -> Part:
    if isinstance(capture, JsonCapture):
        steps = [f"[{step}]" if isinstance(step, int) else f"[{_json_path_key(step)}]" for step in capture.path]
        properties = [
            _string("JSONPostProcessor.referenceNames", name),
            _string("JSONPostProcessor.jsonPathExprs", "$" + "".join(steps)),
            _string("JSONPostProcessor.match_numbers", 1),
            _string("JSONPostProcessor.defaultValues", ""),
        ]
        return _element("JSONPostProcessor", "JSONPostProcessorGui", name, properties)
    if isinstance(capture, PathCapture):
        properties = [
            _string("XPathExtractor2.refname", name),
            _string("XPathExtractor2.xpathQuery", _xpath(capture.path)),
            _string("XPathExtractor2.matchNumber", 1),
            _string("XPathExtractor2.default", ""),
            _string("XPathExtractor2.namespaces", ""),
        ]
        return _element("XPath2Extractor", "XPath2ExtractorGui", name, properties)
    if isinstance(capture, HeaderCapture):
        return _regex_extractor(name, rf"(?im)^{re.escape(capture.name)}:[ \t]*([^\r\n]*)", 1, in_headers=True)
    if isinstance(capture, CookieCapture):
        expression = rf"(?im)^Set-Cookie:[ \t]*{re.escape(capture.name)}=([^;\r\n]*)"
        return _regex_extractor(name, expression, 1, in_headers=True)
    group = 1 if re.search(r"(?<!\\)\((?!\?)", capture.expression) else 0
    return _regex_extractor(name, capture.expression, group, in_headers=False)


def _json_path_key(key: str) -> str:
    return "'" + key.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _xpath(path: str) -> str:
    """A path of elements without prefixes as an XPath."""
    names = path.lstrip("/").split("/")
    last = names.pop() if names[-1].startswith("@") else "text()"
    attribute = f"@*[local-name()='{last[1:]}']" if last.startswith("@") else last
    return "".join(f"/*[local-name()='{name}']" for name in names) + f"/{attribute}"


def _regex_extractor(name: str, expression: str, group: int, *, in_headers: bool) -> Part:
    properties = [
        _string("RegexExtractor.useHeaders", "true" if in_headers else "false"),
        _string("RegexExtractor.refname", name),
        _string("RegexExtractor.regex", expression),
        _string("RegexExtractor.template", f"${group}$"),
        _string("RegexExtractor.default", ""),
        _flag("RegexExtractor.default_empty_value", True),
        _string("RegexExtractor.match_number", 1),
    ]
    return _element("RegexExtractor", "RegexExtractorGui", name, properties)


def _pause(think: Think) -> list[Part]:
    """A pause after a request, which is no sample."""
    durations = {
        "constant": f"{think.ms:g}",
        "uniform": f"${{__Random({think.ms:.0f},{max(think.ms, think.to_ms):.0f})}}",
        "exponential": f"${{__groovy((long) (-Math.log(1 - Math.random()) * {think.ms:g}))}}",
    }
    if think.kind == "none":
        return []
    properties = [
        _property("int", "ActionProcessor.action", 1),
        _property("int", "ActionProcessor.target", 0),
        _string("ActionProcessor.duration", durations[think.kind]),
    ]
    return [_element("TestAction", "TestActionGui", "pause", properties)]

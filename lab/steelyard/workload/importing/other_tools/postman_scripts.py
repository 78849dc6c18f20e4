"""Reads the scripts of a Postman collection as far as they set variables and check answers in simple form. Nothing is run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from . import captures
from .captures import FoundCapture
from .imported_requests import LeftOutError
from .rules import Rules, plain

_MOST_CHARACTERS = 100_000
_COMMENTS = re.compile(r"/\*.*?\*/|(?:(?<=[\s;{}])|^)//[^\n]*", re.DOTALL | re.MULTILINE)
_TEST = re.compile(
    r"""pm\.test(?:\.skip)?\(\s*(?:"[^"\n]*"|'[^'\n]*'|`[^`]*`)\s*,\s*(?:async\s*)?(?:function\s*\w*\s*\(\w*\)|\(?\w*\)?\s*=>)\s*\{?"""
)
_TOKEN = re.compile(r"""\s+|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|.""", re.DOTALL)
_STRUCTURE = re.compile(r"[{}()\[\];,\s]*(?:(?:else|try|finally|catch\s*(?:\(\w*\))?)[{}\s]*)?|['\"]use strict['\"]")
_SILENT = re.compile(r"console\.\w+\(.*|(?:pm\.\w+\.|postman\.)(?:unset|clear)\w*\(.*", re.DOTALL)
_NAME = r"""\(\s*["'`]([\w.-]{1,100})["'`]\s*,\s*(.*)\)"""
_SET = re.compile(
    r"(?:pm\.(?:environment|collectionVariables|globals|variables)\.set|postman\.set(?:Environment|Global)Variable)"
    + _NAME,
    re.DOTALL,
)
_DECLARED = re.compile(r"(?:(?:var|let|const)\s+)?([A-Za-z_$][\w$]*)\s*=(?![=>])\s*(.*)", re.DOTALL)
_JSON = re.compile(r"pm\.response\.json\(\)|JSON\.parse\(\s*(?:responseBody|pm\.response\.text\(\))\s*\)")
_TEXT = re.compile(r"(?:pm\.response\.text\(\)|responseBody)")
_HEADER = re.compile(r"""(?:pm\.response\.headers\.get|postman\.getResponseHeader)\(\s*["'`]([\w-]{1,100})["'`]\s*\)""")
_COOKIE = re.compile(
    r"""(?:pm\.cookies\.get|postman\.getResponseCookie)\(\s*["'`]([\w.-]{1,100})["'`]\s*\)(?:\.value)?"""
)
_MATCH = re.compile(_TEXT.pattern + r"""\.match\(\s*/((?:[^/\\\n]|\\.)+)/([a-z]*)\s*\)\[(\d)\]""")
_LITERAL = re.compile(r"""["'`]([^"'`$\\]*)["'`]|(-?\d[\d.]*|true|false)""")
_ACCESS = re.compile(r"""\??\.([A-Za-z_$][\w$]*)|(?:\?\.)?\[(\d{1,9})\]|(?:\?\.)?\[\s*["'`]([^"'`\\]*)["'`]\s*\]""")
_CODE = r"(?:pm\.response\.code|responseCode\.code|pm\.response\.status)"
_STATUS = re.compile(
    r"pm\.response\.to\.have\.status\((\d{3})\)"
    rf"|pm\.expect\({_CODE}\)\.to\.(?:be\.)?(?:deep\.)?(?:equals?|eql|eq)\((\d{{3}})\)"
    r"|pm\.expect\(pm\.response\)\.to\.have\.status\((\d{3})\)"
    rf"|tests\[[^\]]*\]\s*=\s*{_CODE}\s*===?\s*(\d{{3}})"
)
_STATUSES = re.compile(rf"pm\.expect\({_CODE}\)\.to\.be\.oneOf\(\[([\d,\s]+)\]\)")
_OK = re.compile(r"pm\.response\.to\.(?:be|have)\.(?:ok|success)|pm\.response\.to\.not\.be\.error")
_INCLUDES = re.compile(
    r"""pm\.expect\((?:pm\.response\.text\(\)|responseBody)\)\.to\.(?:include|contain)\(\s*(["'`])((?:(?!\1)[^\\])*)\1\s*\)"""
    r"""|tests\[[^\]]*\]\s*=\s*responseBody\.has\(\s*(["'`])((?:(?!\3)[^\\])*)\3\s*\)"""
)
_HAS = re.compile(r"""pm\.expect\((.*)\)\.to\.have\.(?:own\.)?property\(\s*["'`]([\w-]{1,100})["'`]\s*\)""", re.DOTALL)
_IS_THERE = re.compile(r"""pm\.expect\((.*)\)\.to\.(?:exist|be\.ok|not\.be\.(?:undefined|null))(?:\(\))?""", re.DOTALL)


@dataclass(frozen=True)
class _Value:
    """What an expression stands for: a place in the answer's JSON, another capture, or a literal."""

    path: Sequence[str | int] | None = None
    capture: FoundCapture | None = None
    literal: str | None = None


@dataclass
class ScriptMeaning:
    """What a script does: variables by name, from answers or as literals, rules for the answer, and the statements left."""

    captures: dict[str, FoundCapture] = field(default_factory=dict)
    literals: dict[str, str] = field(default_factory=dict)
    expect: dict[str, object] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)


def read_script(text: str) -> ScriptMeaning:
    """The meaning of a script after an answer, or before a request."""
    meaning, rules = ScriptMeaning(), Rules()
    if len(text) > _MOST_CHARACTERS:
        meaning.left.append(f"a script of more than {_MOST_CHARACTERS} characters")
        return meaning
    names: dict[str, _Value] = {}
    for statement in _statements(text):
        try:
            if not (_takes_value(statement, names, meaning) or _checks(statement, names, rules)):
                meaning.left.append(statement)
        except LeftOutError as error:
            meaning.left.append(f"{statement[:80]} ({error})")
    meaning.expect = rules.collected
    return meaning


def _statements(text: str) -> list[str]:
    """The statements of a script, without comments, braces, calls of pm.test around them, and prints."""
    pieces: list[str] = [""]
    for match in _TOKEN.finditer(_TEST.sub(";", _COMMENTS.sub("", text))):
        token = match[0]
        if token in (";", "{", "}") or (token.isspace() and "\n" in token):
            pieces.append("" if token != "}" else "}")
        else:
            pieces[-1] += token
    statements: list[str] = []
    for piece in pieces:
        plain_piece = piece.strip().lstrip("})").strip()
        if plain_piece.startswith(".") and statements:
            statements[-1] += plain_piece
        elif not _STRUCTURE.fullmatch(plain_piece) and not _SILENT.fullmatch(plain_piece):
            statements.append(_without_closing(plain_piece))
    return statements


def _without_closing(statement: str) -> str:
    """A statement without the closing parentheses of calls around it."""
    excess = statement.count(")") - statement.count("(")
    while excess > 0 and statement.endswith(")"):
        statement = statement[:-1].rstrip()
        excess -= 1
    return statement


def _takes_value(statement: str, names: dict[str, _Value], meaning: ScriptMeaning) -> bool:
    """Whether a statement sets a variable, or gives a name to a part of the answer."""
    if set_to := _SET.fullmatch(statement):
        value = _value_of(set_to[2], names)
        if value is None:
            return False
        meaning.captures.pop(set_to[1], None)
        meaning.literals.pop(set_to[1], None)
        if value.literal is not None:
            meaning.literals[set_to[1]] = value.literal
        else:
            meaning.captures[set_to[1]] = value.capture or captures.by_keys(value.path or [])
        return True
    declared = _DECLARED.fullmatch(statement)
    value = _value_of(declared[2], names) if declared else None
    if declared and value is not None:
        names[declared[1]] = value
        return True
    return False


def _value_of(expression: str, names: Mapping[str, _Value]) -> _Value | None:
    """What an expression stands for; None if it is none of the simple forms."""
    text = expression.strip()
    wrapped = re.fullmatch(r"String\((.*)\)|(.*)\.toString\(\)", text, re.DOTALL)
    text = (wrapped[1] or wrapped[2]).strip() if wrapped else text
    if literal := _LITERAL.fullmatch(text):
        return _Value(literal=literal[1] if literal[1] is not None else literal[2])
    if header := _HEADER.fullmatch(text):
        return _Value(capture=FoundCapture({"kind": "header", "name": header[1]}))
    if cookie := _COOKIE.fullmatch(text):
        return _Value(capture=FoundCapture({"kind": "cookie", "name": cookie[1]}))
    if matched := _MATCH.fullmatch(text):
        flags = f"(?{'i' if 'i' in matched[2] else ''}{'s' if 's' in matched[2] else ''})".replace("(?)", "")
        return _Value(capture=captures.by_expression(flags + matched[1].replace("\\/", "/"), int(matched[3])))
    begin = _JSON.match(text)
    named = re.match(r"[A-Za-z_$][\w$]*", text)
    if begin is None and (named is None or named[0] not in names):
        return None
    base = _Value(path=[]) if begin else names[named[0]] if named else None
    return _inner_value(base, text[(begin or named).end() :]) if base and (begin or named) else None  # type: ignore[union-attr]


def _inner_value(base: _Value, rest: str) -> _Value | None:
    """A part of a value: by keys and indexes."""
    at, path = 0, list(base.path or [])
    while at < len(rest):
        step = _ACCESS.match(rest, at)
        if step is None or base.path is None:
            return None
        path.append(int(step[2]) if step[2] else step[1] or step[3] or "")
        at = step.end()
    return replace(base, path=path) if base.path is not None else base


def _checks(statement: str, names: Mapping[str, _Value], rules: Rules) -> bool:
    """Whether a statement is a check of the answer that a rule has."""
    for form, add in _CHECKS.items():
        if match := form.fullmatch(statement):
            add(match, rules)
            return True
    for form in (_HAS, _IS_THERE):
        if match := form.fullmatch(statement):
            value = _value_of(match[1], names)
            if value is None or value.path is None:
                return False
            keys = [*value.path, *([match[2]] if form is _HAS else [])]
            rules.path("jsonpath", "$" + "".join(f"[{json.dumps(key)}]" for key in keys))
            return True
    return False


def _status(match: re.Match[str], rules: Rules) -> None:
    rules.status([int(code) for code in match.groups() if code])


def _statuses(match: re.Match[str], rules: Rules) -> None:
    rules.status([int(code) for code in re.findall(r"\d+", match[1])])


def _includes(match: re.Match[str], rules: Rules) -> None:
    text = match[2] if match[2] is not None else match[4]
    rules.contains(text) if "\n" not in text else rules.matches(plain(text))


_CHECKS: dict[re.Pattern[str], Callable[[re.Match[str], Rules], None]] = {
    _STATUS: _status,
    _STATUSES: _statuses,
    _OK: lambda _, __: None,
    _INCLUDES: _includes,
}

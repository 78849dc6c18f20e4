"""Extractors of a JMeter plan: the variables that they set, as captures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import zip_longest

from lxml import etree

from . import captures
from .captures import FoundCapture
from .imported_requests import LeftOutError
from .jmeter_parts import Fill, kind_of, properties

_OWN = Mapping[str, str]
_TEMPLATE = re.compile(r"\$(\d{1,2})\$")


def is_extractor(element: etree._Element) -> bool:
    """Whether an element takes values from answers, and is no script."""
    return kind_of(element) in _EXTRACTORS


def variables_of(element: etree._Element) -> list[str]:
    """The names of the variables that an extractor sets."""
    own = properties(element)
    names = next((text for key, text in own.items() if re.search(r"(?i)refname|referenceNames?$|^VAR$", key)), "")
    return [name.strip() for name in names.split(";") if name.strip()]


def captures_of(element: etree._Element, fill: Fill) -> dict[str, FoundCapture]:
    """The captures of an extractor by variable; raises LeftOutError."""
    own = properties(element)
    if own.get("Sample.scope") == "variable":
        raise LeftOutError("it searches a variable, not an answer")
    names = variables_of(element)
    if not names:
        raise LeftOutError("it names no variable")
    taken = _EXTRACTORS[kind_of(element)](own, fill)
    if len(taken) != len(names):
        raise LeftOutError(f"it has {len(taken)} paths for {len(names)} variables")
    return dict(zip(names, taken, strict=True))


def _match_of(text: str) -> int:
    """The number of the match, 0 for any; raises LeftOutError for all matches together."""
    number = int(text) if re.fullmatch(r"-?\d{1,6}", text.strip()) else 1
    if number < 0:
        raise LeftOutError("it takes all matches, and a capture takes one")
    return number


def _first_match(own: _OWN, *keys: str) -> None:
    """Raise LeftOutError where an extractor takes another match than the first, or any."""
    for key in keys:
        if _match_of(own.get(key, "")) > 1:
            raise LeftOutError("it takes another match than the first")


def _json(own: _OWN, fill: Fill) -> list[FoundCapture]:
    paths = fill(own.get("JSONPostProcessor.jsonPathExprs", "")).split(";")
    matches = own.get("JSONPostProcessor.match_numbers", "").split(";")
    paired = zip_longest(paths, matches[: len(paths)], fillvalue="")
    return [captures.by_json_path(path, _match_of(match or "0")) for path, match in paired]


def _jmes(own: _OWN, fill: Fill) -> list[FoundCapture]:
    paths = next((text for key, text in own.items() if key.startswith("JMESExtractor.jmes")), "")
    return [captures.by_json_path(path) for path in fill(paths).split(";")]


def _json_plugin(own: _OWN, fill: Fill) -> list[FoundCapture]:
    return [captures.by_json_path(fill(own.get("JSONPATH", "")))]


def _regex(own: _OWN, fill: Fill) -> list[FoundCapture]:
    template = _TEMPLATE.fullmatch(own.get("RegexExtractor.template") or "$1$")
    if template is None:
        raise LeftOutError("its template joins several groups")
    _first_match(own, "RegexExtractor.match_number")
    capture = captures.by_field_expression if _searches_head(own, "RegexExtractor") else captures.by_expression
    return [capture(fill(own.get("RegexExtractor.regex", "")), int(template[1]))]


def _boundary(own: _OWN, fill: Fill) -> list[FoundCapture]:
    _first_match(own, "BoundaryExtractor.match_number")
    left, right = (fill(own.get(f"BoundaryExtractor.{side}boundary", "")) for side in "lr")
    if _searches_head(own, "BoundaryExtractor"):
        return [captures.by_field_expression(f"{left}(.*?){right}")]
    return [captures.by_boundaries(left, right)]


def _searches_head(own: _OWN, kind: str) -> bool:
    """Whether an extractor searches the head of an answer; raises LeftOutError if it searches neither the head nor the body."""
    searched = own.get(f"{kind}.useHeaders", "false")
    if searched not in ("true", "false", "", "unescaped"):
        raise LeftOutError(f"it searches {searched}, and a capture searches the body or the head of an answer")
    return searched == "true"


def _xpath(own: _OWN, fill: Fill) -> list[FoundCapture]:
    _first_match(own, "XPathExtractor.matchNumber", "XPathExtractor2.matchNumber")
    if "true" in (own.get("XPathExtractor.fragment"), own.get("XPathExtractor2.fragment")):
        raise LeftOutError("it takes a piece of XML, and a capture takes a text")
    return [
        captures.by_xpath(fill(own.get("XPathExtractor.xpathQuery") or own.get("XPathExtractor2.xpathQuery") or ""))
    ]


def _css(own: _OWN, fill: Fill) -> list[FoundCapture]:
    _first_match(own, "HtmlExtractor.match_number")
    return [captures.by_selector(fill(own.get("HtmlExtractor.expr", "")), own.get("HtmlExtractor.attribute", ""))]


_EXTRACTORS: dict[str, Callable[[_OWN, Fill], list[FoundCapture]]] = {
    "JSONPostProcessor": _json,
    "JMESPathExtractor": _jmes,
    "JSONPathExtractor": _json_plugin,
    "RegexExtractor": _regex,
    "BoundaryExtractor": _boundary,
    "XPathExtractor": _xpath,
    "XPath2Extractor": _xpath,
    "HtmlExtractor": _css,
}

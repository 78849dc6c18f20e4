"""Parts of a JMeter plan: properties, variables, tables of data, arguments, credentials, and assertions."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote_plus

from lxml import etree

from ..names import local
from ..secrets import names_secret
from .filled_texts import PLACE, FilledTexts, as_place, encode_around_places, place_of
from .imported_requests import HeldCredentials, ImportedRequests, LeftOutError, NotYetError, neighbour_text
from .rules import FORBIDS_TEXT, ONLY_FOUND, Rules, plain

Fill = Callable[[str], str]
_PROPERTIES = ("stringProp", "boolProp", "intProp", "longProp", "floatProp", "doubleProp")
_ENCODED = re.compile(r"\$\{__urlencode\(((?:\{\{\w{1,64}\}\}|[^(){}$])*)\)\}")
_FUNCTION = re.compile(r"\$\{__\w+")
_MOST_ROWS = 100_000
# The test types of a response assertion, as bits.
_MATCHES, _CONTAINS, _NOT, _EQUALS, _SUBSTRING, _OR = 1, 2, 4, 8, 16, 32
_SEPARATORS = {"\\t": "\t", "tab": "\t", "": ","}


def kind_of(element: etree._Element) -> str:
    """The kind of a part: its tag without the package of a plugin."""
    return local(str(element.tag)).rpartition(".")[2]


def is_enabled(element: etree._Element) -> bool:
    """Whether a part is enabled."""
    return bool(element.get("enabled", "true") != "false")


def properties(element: etree._Element) -> dict[str, str]:
    """The properties of a part as texts by name, with those of the controller in a thread group."""
    own = {
        str(child.get("name")): child.text or "" for child in element if child.tag in _PROPERTIES and child.get("name")
    }
    for child in element.findall("elementProp[@name='ThreadGroup.main_controller']"):
        own |= properties(child)
    return own


def argument_elements(element: etree._Element) -> list[etree._Element]:
    """The arguments that a sampler sends."""
    names = ("HTTPsampler.Arguments", "HTTPSampler.arguments")
    return [
        each for name in names for each in element.iterfind(f"elementProp[@name='{name}']/collectionProp/elementProp")
    ]


def files_of(element: etree._Element) -> bool:
    """Whether a sampler sends files."""
    return element.find("elementProp[@name='HTTPsampler.Files']/collectionProp/elementProp") is not None


def arguments_of(element: etree._Element) -> dict[str, str]:
    """User-defined variables of a plan or of a variables element."""
    variables = {}
    for each in element.iterfind(".//elementProp[@elementType='Argument']"):
        own = properties(each)
        variables[own.get("Argument.name") or str(each.get("name"))] = own.get("Argument.value", "")
    return variables


def pairs(element: etree._Element, name: str, value: str) -> list[tuple[str, str]]:
    """Names and values of a list such as a header manager's."""
    listed = [properties(each) for each in element.iterfind("collectionProp/elementProp")]
    return [(own[name], own.get(value, "")) for own in listed if own.get(name)]


def credentials_of(element: etree._Element, held: ImportedRequests) -> HeldCredentials | None:
    """The credentials of the first entry of an authorization manager."""
    listed = [properties(each) for each in element.iterfind("collectionProp/elementProp")]
    named = f"AuthManager '{element.get('testname') or ''}'"
    if len(listed) > 1:
        held.leave_out(f"{named}: all but its first entry", "a service has one user")
    for own in listed[:1]:
        kind = own.get("Authorization.mechanism", "BASIC").lower()
        if kind in ("basic", "digest", "basic_digest", ""):
            return HeldCredentials("digest" if kind == "digest" else "basic", own.get("Authorization.username", ""))
        held.leave_out(named, f"`load` does not support {kind}")
    return None


class Texts(FilledTexts):
    """The variables and functions of a plan.

    `lost` are the variables whose extractor is left out. `defaults` are the values of properties that the command line may set.
    `stops`: users stop after the last row of a table.
    """

    variable = re.compile(r"\$\{(__\w+(?:\((?:[^(){}]|\([^(){}]*\))*\))?|[^${}]+)\}")

    def __init__(self, held: ImportedRequests) -> None:
        super().__init__(held)
        self.variables: dict[str, str] = {}
        self.columns: set[str] = set()
        self.lost: set[str] = set()
        self.defaults: dict[str, str] = {}
        self.stops = False

    def fill(self, text: str) -> str:
        """The text with its variables filled in; raises LeftOutError if something else fills one."""
        filled = _ENCODED.sub(_encoded_text, super().fill(text))
        unknown = _FUNCTION.search(filled)
        if unknown:
            raise LeftOutError(f"Steelyard has no equivalent of {unknown[0][:60]})}}")
        return filled

    def _value(self, name: str, depth: int) -> str:
        if name in self.columns:
            return as_place(place_of(name))
        if name in self.variables:
            return self._fill_nested(self.variables[name], depth + 1)
        if name.startswith("__"):
            return self._function(name)
        if name in self.lost:
            raise LeftOutError(f"${{{name[:60]}}} is taken from an answer in a way that is not imported")
        if name in self.coming:
            raise NotYetError(f"${{{name[:60]}}} is in the answer of a later request")
        raise LeftOutError(f"${{{name[:60]}}} is filled by an answer, a script or the command line")

    def _function(self, call: str) -> str:
        name, _, rest = call.partition("(")
        words = [word.strip() for word in rest.removesuffix(")").split(",")]
        if name == "__UUID":
            return "{{uuid}}"
        if name == "__counter":
            return "{{counter}}"
        if name in ("__P", "__property") and len(words) > 1 and words[-1]:
            self.defaults[words[0]] = words[-1]
            return words[-1]
        if name in ("__time", "__timeShift") and _is_time_of_the_engine(rest.removesuffix(")")):
            return "{{time}}"
        if name in ("__Random", "__RandomString") and (
            place := self._random_place(words, of_letters=name != "__Random")
        ):
            return as_place(place)
        if name == "__urlencode":
            return f"${{{call}}}"  # read once what is in it is filled
        raise LeftOutError(f"Steelyard has no equivalent of ${{{call[:60]}}}")

    def _random_place(self, words: Sequence[str], *, of_letters: bool) -> str:
        """The place of drawn letters or numbers; empty if the words name no length or no limits."""
        if of_letters and words[0].isdecimal() and 1 <= int(words[0]) <= 100_000:
            place = f"text_{words[0]}"
            self._held.data[place] = {"kind": "text", "length": int(words[0])}
            return place
        if not of_letters and len(words) > 1 and all(re.fullmatch(r"-?\d{1,9}", word) for word in words[:2]):
            first, last = sorted(map(int, words[:2]))
            place = f"random_{first}_{last}".replace("-", "m")
            self._held.data[place] = {"kind": "uniform", "first": first, "last": last}
            return place
        return ""


def _is_time_of_the_engine(words: str) -> bool:
    """Whether a format of `__time` is that of the engine's time, or differs by the zone and the milliseconds."""
    return re.match(r"yyyy-MM-dd'T'HH:mm:ss(?:\.SSS)?(?:'Z'|X{1,3}|Z)?(?:,|$)", words.strip()) is not None


def _encoded_text(call: re.Match[str]) -> str:
    """What `__urlencode` makes of a text, or of a place."""
    return PLACE.sub(lambda place: f"{place[1][:-2]}:url}}}}", encode_around_places(call[1], quote_plus))


def import_table(element: etree._Element, texts: Texts, place: Path, held: ImportedRequests) -> None:
    """Import a table of data with its columns as places; raises LeftOutError."""
    own = properties(element)
    file = texts.fill(own.get("filename", ""))
    content = neighbour_text(place, file).removeprefix("\ufeff")
    separator = _SEPARATORS.get(own.get("delimiter", ","), own.get("delimiter", ","))
    if len(separator) != 1:
        raise LeftOutError(f"its values are separated by '{separator[:20]}', which is not a single character")
    names = [name.strip() for name in own.get("variableNames", "").split(",") if name.strip()]
    quoted = own.get("quotedData") != "false"
    try:
        text = io.StringIO(content)
        plain = csv.reader(text, delimiter=separator, quoting=csv.QUOTE_NONE)
        rows = list(csv.reader(text, delimiter=separator) if quoted else plain)[: _MOST_ROWS + 1]
    except csv.Error as error:
        raise LeftOutError(f"{file} cannot be read: {error}") from None
    rows = [row for row in rows if row]
    if not names or own.get("ignoreFirstLine") == "true":
        names = names or [name.strip() for row in rows[:1] for name in row]
        rows = rows[1:]
    if not names or not rows:
        raise LeftOutError(f"{file} has no rows")
    hidden = [name for name in names if names_secret(name)]
    kept = [(number, name) for number, name in enumerate(names) if name not in hidden]
    texts.columns.update(names)
    name = f"{place_of(Path(file).stem)}.csv"
    held.files[name] = _table([place_of(name) for _, name in kept], rows, [number for number, _ in kept])
    for _, column in kept:
        held.data[place_of(column)] = {"kind": "csv", "file": f"data/{name}"}
    for column in hidden:
        held.leave_out(
            f"column {column} of {file}",
            f"its values are secrets: define it under [data.{place_of(column)}], of kind csv with your file and column",
        )
    texts.stops = texts.stops or (own.get("recycle") == "false" and own.get("stopThread") == "true")
    if own.get("recycle") == "false" and own.get("stopThread") != "true":
        held.leave_out(
            f"the end of {file}", "users go on without values after its last row; here the first row follows"
        )
    if own.get("shareMode", "").endswith(("thread", "group")):
        held.leave_out(f"the sharing of {file}", "each thread or group reads all its rows; here users share them")


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], columns: Sequence[int]) -> str:
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(names)
    table.writerows([row[column] if column < len(row) else "" for column in columns] for row in rows)
    return written.getvalue()


def form_of(arguments: Sequence[etree._Element], fill: Fill) -> str:
    """Arguments as a query, or as a form's body."""
    written = []
    for each in arguments:
        own = properties(each)
        name, value = fill(own.get("Argument.name", "")), fill(own.get("Argument.value", ""))
        if not name:
            continue  # JMeter skips it
        encode = own.get("HTTPArgument.always_encode") == "true"
        equals = "" if own.get("HTTPArgument.use_equals") == "false" and not value else "="
        if encode:
            name, value = (encode_around_places(text, quote_plus) for text in (name, value))
        written.append(name + equals + value)
    return "&".join(written)


def _response(element: etree._Element, rules: Rules, fill: Fill) -> None:
    own = properties(element)
    texts = [
        fill(each.text or "")
        for name in ("Asserion.test_strings", "Assertion.test_strings")
        for each in element.iterfind(f"collectionProp[@name='{name}']/stringProp")
    ]
    test_type = own.get("Assertion.test_type", "")
    kind = int(test_type) if re.fullmatch(r"\d{1,3}", test_type) else _CONTAINS
    looked_at = own.get("Assertion.test_field", "").rpartition(".")[2]
    if kind & _NOT:
        raise LeftOutError(FORBIDS_TEXT)
    if kind & _OR and len(texts) > 1 and looked_at != "response_code":
        raise LeftOutError("it accepts any one of several texts, and `expect` requires all")
    if looked_at == "response_code":
        if not all(re.fullmatch(r"\d{3}", text) for text in texts) or (len(texts) > 1 and not kind & _OR):
            raise LeftOutError("it matches status codes with an expression")
        rules.status([int(text) for text in texts])
        return
    if looked_at not in ("response_data", "response_data_as_document", ""):
        raise LeftOutError(f"it checks {looked_at}, which no rule of `expect` does")
    for text in texts:
        if kind & _SUBSTRING:
            rules.contains(text)
        elif kind & _EQUALS:
            rules.matches(rf"\A{plain(text)}$")
        elif kind & _MATCHES:
            rules.matches(rf"\A(?:{text})$")
        elif plain(text) == text:
            rules.contains(text)
        else:
            rules.matches(text)


def _json_path(element: etree._Element, rules: Rules, fill: Fill) -> None:
    own = properties(element)
    if own.get("INVERT") == "true" or own.get("EXPECT_NULL") == "true":
        raise LeftOutError(FORBIDS_TEXT)
    rules.path("jsonpath", fill(own.get("JSON_PATH", "")))
    if own.get("JSONVALIDATION") == "true" and own.get("EXPECTED_VALUE"):
        raise LeftOutError(ONLY_FOUND)


def _xpath(element: etree._Element, rules: Rules, fill: Fill) -> None:
    own = properties(element)
    if own.get("XPath.negate") == "true" or own.get("XPath2.negate") == "true":
        raise LeftOutError(FORBIDS_TEXT)
    rules.path("xpath", fill(own.get("XPath.xpath") or own.get("XPath2.xpath") or ""))


def _size(element: etree._Element, rules: Rules, fill: Fill) -> None:
    own = properties(element)
    text, operator = fill(own.get("SizeAssertion.size", "")), own.get("SizeAssertion.operator", "")
    if own.get("Assertion.test_field", "").rpartition(".")[2] not in ("response_data", "response_body"):
        raise LeftOutError("it measures more than the body of the answer")
    if not text.isdecimal() or operator not in ("1", "3", "4", "5", "6"):
        raise LeftOutError("it has no limit in bytes")
    size = int(text)
    least = {"1": size, "3": size + 1, "5": size}.get(operator)
    most = {"1": size, "4": size - 1, "6": size}.get(operator)
    rules.length(least, most)


ASSERTIONS: dict[str, Callable[[etree._Element, Rules, Fill], None]] = {
    "ResponseAssertion": _response,
    "JSONPathAssertion": _json_path,
    "XPathAssertion": _xpath,
    "XPath2Assertion": _xpath,
    "SizeAssertion": _size,
}

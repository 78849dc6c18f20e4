"""Reads Postman collections, version 2.0 and 2.1: the requests of all folders in order as one session.

Scripts are not run. Their simple forms are read; all others are listed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from ....base.errors import ImportRefusedError
from ....base.text import plural
from ..multipart import KIND as MULTIPART
from ..multipart import BodyPart, with_boundary, write_parts
from ..names import one_line
from ..secrets import names_secret, wildcard_of
from .filled_texts import PLACE, FilledTexts, as_place, encode_around_places, place_of, quote_text
from .imported_requests import (
    COOKIES_ARE_KEPT,
    RIGHT_STATUSES,
    HeldCredentials,
    HeldRequest,
    HeldSession,
    HeldStep,
    ImportedRequests,
    LeftOutError,
    NotYetError,
    json_of,
    value_at,
    with_query,
)
from .postman_scripts import ScriptMeaning, read_script

_SCHEMA = re.compile(r"schema\.(?:get)?postman\.com/(?:json/)?collection/v2\.[01]")
_SECRET = re.compile(r"(?i:bearer) \{\{secret_\w+\}\}")
_IN_PATHS, _IN_QUERIES = ' "<>`{}', " \"<>'"  # characters that Postman encodes there
_MOST_DEPTH = 50
_KINDS = {
    "json": "application/json",
    "xml": "application/xml",
    "html": "text/html",
    "javascript": "application/javascript",
}  # of raw bodies; others are plain text
_OF_ENGINE = {"$guid": "{{uuid}}", "$randomUUID": "{{uuid}}", "$isoTimestamp": "{{time}}"}


class PostmanCollection:
    """A collection, as Postman exports it."""

    title = "a Postman collection"
    mark = "it is JSON that names the schema of a collection"

    def recognizes(self, head: str) -> bool:
        """Whether the content is a JSON object that names the schema of a collection."""
        return head.lstrip("\ufeff \r\n\t").startswith("{") and _SCHEMA.search(head) is not None

    def read(self, content: bytes, place: Path) -> ImportedRequests:
        """The requests of all folders, as one session."""
        document = json_of(content, place)
        if isinstance(value_at(document, "collection"), dict):
            document = document["collection"]  # as Postman's own service answers
        items = value_at(document, "item")
        if not isinstance(items, list):
            raise ImportRefusedError(f"{place} is not a Postman collection: it has no list of items")
        collection = _Collection(ImportedRequests(self.title, statuses=RIGHT_STATUSES), document)
        steps = collection.steps(items, document.get("auth"), 0)
        name = value_at(document, "info", "name")
        collection.held.sessions.append(HeldSession(name if isinstance(name, str) else "collection", steps))
        collection.held.notes += [
            "an answer is right with a status from 200 to 206, unless a test of the collection names others; `load "
            "--follow-redirects` follows redirects",
            COOKIES_ARE_KEPT,
        ]
        return collection.held


class _Variables(FilledTexts):
    """The variables of a collection; `values` are those that it defines."""

    variable = re.compile(r"\{\{([^{}]{1,200})\}\}")

    def __init__(self, held: ImportedRequests) -> None:
        super().__init__(held)
        self.values: dict[str, str] = {}

    def fill(self, text: object) -> str:
        """A text with its variables filled in; raises LeftOutError if something else fills one."""
        return super().fill(_text_of(text))

    def _value(self, name: str, depth: int) -> str:
        if name.startswith("$"):
            return self._dynamic(name)
        if names_secret(name) and name not in self.coming:
            return as_place(wildcard_of(name))
        if self.values.get(name):
            return self._fill_nested(self.values[name], depth + 1)
        if name in self.coming:
            raise NotYetError(f"{as_place(name[:60])} is in the answer of a later request")
        return as_place(place_of(name))

    def _dynamic(self, name: str) -> str:
        if name in _OF_ENGINE:
            return _OF_ENGINE[name]
        if name == "$randomInt":
            self._held.data["random_0_1000"] = {"kind": "uniform", "first": 0, "last": 1000}
            return "{{random_0_1000}}"
        raise LeftOutError(f"Steelyard has no equivalent of {as_place(name[:60])}")


class _Collection:
    def __init__(self, held: ImportedRequests, document: Mapping[str, Any]) -> None:
        self.held = held
        self._variables = _Variables(held)
        for each in _objects_of(document.get("variable")):
            name = each.get("key") or each.get("id")
            if isinstance(name, str) and not each.get("disabled"):
                self._variables.values[name] = _text_of(each.get("value"))
        self._variables.coming = {name for text in _scripts_below(document, 0) for name in read_script(text).captures}
        self._leave_out_scripts(document, "the collection")

    def steps(self, items: Sequence[Any], auth: Any, depth: int) -> list[HeldStep]:
        """The steps of the items of a folder with this `auth`, and of the folders in it."""
        steps: list[HeldStep] = []
        for item in items:
            if not isinstance(item, dict):
                self.held.leave_out("an item", "it is not an object")
                continue
            name = one_line(str(item.get("name") or ""), 60)
            own = auth if item.get("auth") is None else item["auth"]
            if isinstance(item.get("item"), list):
                if depth == _MOST_DEPTH:
                    raise ImportRefusedError(f"the folders of the collection are nested more than {_MOST_DEPTH} deep")
                self._leave_out_scripts(item, f"folder '{name}'")
                steps += self.steps(item["item"], own, depth + 1)
                continue
            where = f"request '{name}'"
            try:
                steps.append(self._step(item, own, where, name))
            except LeftOutError as error:
                self.held.leave_out(where, str(error))
        return steps

    def _step(self, item: Mapping[str, Any], auth: Any, where: str, name: str) -> HeldStep:
        for event, script in _scripts(item):
            if event == "prerequest":
                meaning = self._meaning(script, f"script before {where}")
                self._variables.values.update(meaning.literals)
                for variable in meaning.captures:
                    self.held.leave_out(f"{variable} in the script before {where}", "no answer is there yet")
        asked = item.get("request")
        asked = {"url": asked, "method": "GET"} if isinstance(asked, str) else asked
        if not isinstance(asked, dict):
            raise LeftOutError("it has no request")
        request = self._request(asked, auth, where, name)
        captures: dict[str, Mapping[str, object]] = {}
        expect: dict[str, object] = {}
        for event, script in _scripts(item):
            if event == "test":
                meaning = self._meaning(script, f"test script of {where}")
                self._variables.values.update(meaning.literals)
                for variable in meaning.literals:
                    self._variables.captured.pop(variable, None)
                for variable, taken in meaning.captures.items():
                    captures[self._variables.capture(variable)] = taken.capture
                    self._variables.values.pop(variable, None)
                expect |= meaning.expect
        return HeldStep(replace(request, expect=expect), captures=captures)

    def _meaning(self, script: str, named: str) -> ScriptMeaning:
        meaning = read_script(script)
        if meaning.left:
            why = f"scripts are not run, and it has no equivalent: {one_line(meaning.left[0], 100)}"
            self.held.leave_out(f"{plural(len(meaning.left), 'statement')} in the {named}", why)
        return meaning

    def _leave_out_scripts(self, holder: Mapping[str, Any], named: str) -> None:
        """Name the scripts of a folder or of the collection, which Postman runs at each request."""
        if any(
            meaning.left or meaning.captures or meaning.expect or meaning.literals
            for meaning in (read_script(script) for _, script in _scripts(holder))
        ):
            self.held.leave_out(f"the script of {named}", "scripts of each request of a folder are not read")

    def _request(self, asked: Mapping[str, Any], auth: Any, where: str, name: str) -> HeldRequest:
        fill = self._variables.fill
        url = self._url(asked.get("url"))
        headers = self._headers(asked.get("header"), where)
        kind, body = self._body(asked.get("body"))
        if kind and not any(header.lower() == "content-type" for header, _ in headers):
            headers.append(("Content-Type", kind))
        credentials, more, query = self._auth(auth if asked.get("auth") is None else asked["auth"], where)
        url = with_query(url, query)
        method = fill(asked.get("method") or "GET").upper()
        for header in [each for each in headers if each[0].lower() == "authorization" and _SECRET.fullmatch(each[1])]:
            headers.remove(header)
            credentials = credentials or HeldCredentials("bearer")
        return HeldRequest(where, method, url, name=name, headers=(*headers, *more), body=body, credentials=credentials)

    def _url(self, url: Any) -> str:
        fill = self._variables.fill
        if isinstance(url, str):
            return _encoded_address(fill(url).partition("#")[0])
        if not isinstance(url, dict):
            raise LeftOutError("it has no URL")
        raw = url.get("raw")
        if not isinstance(raw, str) or not raw:
            raw = _address_of(url)
        address, mark, query = raw.partition("#")[0].partition("?")
        for each in _objects_of(url.get("variable")):
            name = each.get("key") or each.get("id")
            if isinstance(name, str) and re.search(rf"/:{re.escape(name)}(?=/|$)", address):
                value = fill(each.get("value"))
                if not value:
                    raise LeftOutError(f":{name[:60]} in its path has no value")
                address = re.sub(rf"/:{re.escape(name)}(?=/|$)", f"/{quote_text(value)}", address)
        return _encoded_address(fill(address + mark + query))

    def _headers(self, listed: Any, where: str) -> list[tuple[str, str]]:
        if isinstance(listed, str):
            split = (line.partition(":") for line in listed.splitlines() if ":" in line)
            listed = [{"key": name.strip(), "value": value.strip()} for name, _, value in split]
        headers = []
        for each in _objects_of(listed):
            name = each.get("key")
            if each.get("disabled") or not isinstance(name, str) or not name:
                continue
            try:
                headers.append((self._variables.fill(name), self._variables.fill(each.get("value"))))
            except NotYetError as error:
                self.held.leave_out(f"header {one_line(name, 60)} of {where}", str(error))
        return headers

    def _auth(self, auth: Any, where: str) -> tuple[HeldCredentials | None, list[tuple[str, str]], str]:
        """The credentials of a request: those of `[auth]`, headers with a captured value, or a query."""
        kind = auth.get("type") if isinstance(auth, dict) else None
        if not isinstance(kind, str) or kind == "noauth":
            return None, [], ""
        given = {str(each.get("key")): each.get("value") for each in _objects_of(auth.get(kind))}
        try:
            token = self._variables.fill(given.get("token") or given.get("accessToken"))
            if kind in ("bearer", "oauth2") and token:
                captured = [("Authorization", f"Bearer {token}")] if self._is_captured(token) else []
                return None if captured else HeldCredentials("bearer"), captured, ""
            if kind in ("basic", "digest"):
                user = self._variables.fill(given.get("username"))
                return HeldCredentials(kind, "" if PLACE.search(user) else user), [], ""
            if kind == "apikey" and isinstance(given.get("key"), str):
                return self._api_key(given)
        except NotYetError as error:
            self.held.leave_out(f"the authorization of {where}", str(error))
            return None, [], ""
        self.held.leave_out(f"the authorization of {where}", f"`[auth]` does not support {str(kind)[:40]}")
        return None, [], ""

    def _api_key(self, given: Mapping[str, Any]) -> tuple[HeldCredentials | None, list[tuple[str, str]], str]:
        name, value = given["key"], self._variables.fill(given.get("value"))
        held = value if PLACE.fullmatch(value) else as_place(wildcard_of(name))
        if given.get("in") == "query":
            return None, [], f"{quote_plus(name)}={held}"
        return None, [(name, held)], ""

    def _is_captured(self, text: str) -> bool:
        return text in map(as_place, self._variables.captured.values())

    def _body(self, body: Any) -> tuple[str, str]:
        """The content type of a body, empty if none is known, and the body; raises LeftOutError."""
        if not isinstance(body, dict) or body.get("disabled") or not isinstance(body.get("mode"), str):
            return "", ""
        fill, mode = self._variables.fill, body["mode"]
        if mode == "raw":
            language = value_at(body, "options", "raw", "language")
            return _KINDS.get(str(language), "text/plain") if body.get("raw") else "", fill(body.get("raw"))
        fields = [
            each
            for each in _objects_of(body.get(mode))
            if not each.get("disabled") and isinstance(each.get("key"), str)
        ]
        if mode == "urlencoded":
            pairs = [
                "=".join(encode_around_places(fill(each.get(part)), quote_plus) for part in ("key", "value"))
                for each in fields
            ]
            return "application/x-www-form-urlencoded", "&".join(pairs)
        if mode == "formdata":
            if any(each.get("type") == "file" for each in fields):
                raise LeftOutError("its form sends files, which a sample cannot hold")
            parts = [
                BodyPart(fill(each["key"]), fill(each.get("value")), content_type=fill(each.get("contentType")))
                for each in fields
            ]
            text, boundary = write_parts(parts)
            return with_boundary(MULTIPART, boundary), text
        if mode == "graphql" and isinstance(body.get("graphql"), dict):
            asked = {key: fill(body["graphql"].get(key)) for key in ("query", "variables", "operationName")}
            return "application/json", _graphql(asked)
        raise LeftOutError(f"its body is of the mode {str(mode)[:40]}, which a sample cannot hold")


def _text_of(value: object) -> str:
    """A value of the file as a text."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def _objects_of(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a list; of an object the names and values."""
    if isinstance(value, dict):
        return [{"key": key, "value": each} for key, each in value.items()]
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _scripts(item: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The scripts of an item, each with its event."""
    for event in _objects_of(item.get("event")):
        lines = value_at(event, "script", "exec")
        text = "\n".join(str(line) for line in lines) if isinstance(lines, list) else lines
        if isinstance(text, str) and text.strip() and not event.get("disabled"):
            yield str(event.get("listen")), text


def _scripts_below(item: Mapping[str, Any], depth: int) -> Iterator[str]:
    """The test scripts of all requests in a folder."""
    items = item.get("item")
    if not isinstance(items, list):
        yield from (script for event, script in _scripts(item) if event == "test")
    elif depth <= _MOST_DEPTH:
        for each in items:
            if isinstance(each, dict):
                yield from _scripts_below(each, depth + 1)


def _address_of(url: Mapping[str, Any]) -> str:
    """An address of its parts, where the file has no whole one."""

    def text(value: Any, between: str) -> str:
        return between.join(str(part) for part in value) if isinstance(value, list) else str(value or "")

    host, port = text(url.get("host"), "."), text(url.get("port"), "")
    query = [
        f"{each.get('key')}={each.get('value') or ''}"
        for each in _objects_of(url.get("query"))
        if not each.get("disabled")
    ]
    scheme = f"{url['protocol']}://" if isinstance(url.get("protocol"), str) else ""
    address = f"{scheme}{host}{f':{port}' if port else ''}/{text(url.get('path'), '/').lstrip('/')}"
    return address + (f"?{'&'.join(query)}" if query else "")


def _encoded_address(address: str) -> str:
    """An address as Postman sends it."""
    path, mark, query = address.partition("?")
    return _percent_encode(path, _IN_PATHS) + mark + _percent_encode(query, _IN_QUERIES)


def _percent_encode(text: str, letters: str) -> str:
    """A text with these letters percent-encoded; places are kept."""
    return encode_around_places(text, lambda piece: "".join(quote(each) if each in letters else each for each in piece))


def _graphql(asked: Mapping[str, str]) -> str:
    """A GraphQL request as JSON, of its query, its variables and the name of its operation."""
    try:
        variables = json.loads(asked["variables"]) if asked["variables"].strip() else {}
    except ValueError:
        raise LeftOutError("its GraphQL variables are not JSON") from None
    named = {"operationName": asked["operationName"]} if asked["operationName"] else {}
    return json.dumps({"query": asked["query"], **named, "variables": variables}, ensure_ascii=False)

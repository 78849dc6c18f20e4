"""An OpenAPI document becomes a folder whose requests are all valid; hostile or impossible input is reported with its place."""

from __future__ import annotations

import json
import random
import tomllib
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from answering import Reply, answering
from command import steelyard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_descriptions import import_text
from steelyard.base.errors import ConfigurationError, ImportRefusedError
from steelyard.catalogue import entries
from steelyard.measure.load import auth
from steelyard.models.outputs.own_service import ImportOutput
from steelyard.models.service import Auth, Column, Expect
from steelyard.workload import answer_rules, load_target
from steelyard.workload.data import rows_of
from steelyard.workload.importing.convert import convert_description
from steelyard.workload.importing.openapi import reading
from steelyard.workload.importing.openapi.json_samples import JsonSamples
from steelyard.workload.importing.openapi.parameters import WireForm
from steelyard.workload.importing.values import UnmetError
from test_importing_requests import recording

DOCUMENTS = Path(__file__).parent / "openapi"


def imported(name: str, folder: Path) -> tuple[ImportOutput, dict[str, Any]]:
    output = convert_description(str(DOCUMENTS / name), folder / "mine", ())
    described = tomllib.loads((folder / "mine" / "service.toml").read_text())
    entries.service_at(str(folder / "mine"))  # what was written is a service
    return output, described


def sample(folder: Path, operation: str) -> Any:
    return json.loads((folder / "mine" / "samples" / f"{operation}.json").read_text())


def judged_anew(folder: Path, name: str, value: Any) -> None:
    """By the file that was written, whatever the importer thought."""
    document = json.loads((folder / "mine" / "contract" / "requests.json").read_text())
    jsonschema.Draft202012Validator.check_schema(document)
    jsonschema.validate(value, {**document, "$ref": f"#/$defs/{name}"}, jsonschema.Draft202012Validator)


def test_a_shop_is_taken_over_with_a_valid_request_an_operation(tmp_path: Path) -> None:
    output, described = imported("shop.yaml", tmp_path)
    assert output.taken == ["getOrder", "deleteOrder", "createOrder"] and output.changing == [
        "deleteOrder",
        "createOrder",
    ]
    assert (output.operations, output.samples_valid, output.documents) == (3, 3, 1)
    assert described["target"] == "http://127.0.0.1:8099" and described["title"] == "A shop"
    operations = described["operations"]
    assert (
        operations["getOrder"]["path"] == "/api/v1/orders/5?fields=id,lines" and "sample" not in operations["getOrder"]
    )
    assert operations["getOrder"]["expect"] == {"status": [200], "least": 1}
    assert operations["deleteOrder"]["expect"] == {"status": [204], "schema": False}
    assert "# optional parameters: verbose (query)" in (tmp_path / "mine" / "service.toml").read_text()
    order = sample(tmp_path, "createOrder")
    judged_anew(tmp_path, "createOrder.body", order)
    assert "id" not in order, "the service makes it up"
    assert "parent" not in order, "an order within an order has no end"
    assert order["state"] == "NO" and order["date"] == "2026-05-01", "texts, whatever YAML 1.1 made of them"
    assert order["payment"]["kind"] == "card" and order["lines"][0] != order["lines"][1]


def test_what_is_not_taken_over_and_what_is_to_be_filled_in_is_said(tmp_path: Path) -> None:
    output, described = imported("shop.yaml", tmp_path)
    assert [(left.what, left.why) for left in output.left_out] == [
        (
            "operation POST /pictures",
            "its body is image/png, neither JSON nor a form nor plain text, and has no text as an example",
        )
    ]
    assert described["auth"] == {"kind": "api-key", "header": "X-API-Key", "secret": "env:MINE_SECRET"}
    notes = " ".join(output.notes)
    assert (
        "the secret into the variable MINE_SECRET" in notes
        and "the others are https://shop.example.org/api/v1" in notes
    )


def test_every_keyword_and_style_of_3_1_is_kept(tmp_path: Path) -> None:
    output, described = imported("modern.json", tmp_path)
    assert output.taken == ["styles", "bodies", "shown"]
    styles = described["operations"]["styles"]
    assert styles["path"] == (
        "/v2/styles/a%2Fb%20c/.1.2/;matrix=x,1,y,true"
        "?many=a&many=b%26c&piped=a%7Cb&deep%5Bk%5D=v&json=%7B%22k%22%3A%20%5B1%5D%7D&page=3"
    )
    assert styles["headers"] == {"Accept": "application/json", "X-Trace": "a,b", "Cookie": "session=s1"}
    assert len(styles["expect"]["status"]) > 2 and described["target"] == "http://127.0.0.1:8080"
    body = sample(tmp_path, "bodies")
    judged_anew(tmp_path, "bodies.body", body)
    assert body["choice"] == "second" and body["even"] == 4 and 0 < body["near"] < 0.001 and body["when"][:4] == "2026"
    assert sorted(body["set"]) == ["a", "b", "c"] and body["tree"] == {"leaves": []} and body["pet"] == {"kind": "Cat"}
    assert described["operations"]["bodies"]["headers"]["Content-Type"] == "application/json; charset=utf-8"
    assert described["operations"]["bodies"]["expect"] == {"status": [200, 202]}, "202 has no body"
    left = {each.what: each.why for each in output.left_out}
    assert "no valid request" in left["operation never"] and "endless" in left["operation loop"]
    assert "Nobody', which does not exist" in left["operation nowhere"] and "webhooks" in left


def test_an_example_is_sent_where_it_is_valid_and_is_no_place_for_data(tmp_path: Path) -> None:
    output, _ = imported("modern.json", tmp_path)
    assert sample(tmp_path, "shown") == {"a": "{{name}}"}
    assert "{{" not in (tmp_path / "mine" / "samples" / "shown.json").read_text()
    assert any("an example of shown.body does not match its schema" in note for note in output.notes)


def test_parts_come_from_the_folder_and_from_nowhere_else(tmp_path: Path) -> None:
    output, _ = imported("parts/main.yaml", tmp_path)
    assert (output.taken, output.documents) == (["apart"], 3)
    assert sample(tmp_path, "apart") == {"more": 12, "secret": "text"}
    answers = json.loads((tmp_path / "mine" / "contract" / "schema.json").read_text())["$defs"]
    assert answers["schema:Sent"]["required"] == ["more"], "what is write-only never comes back"
    left = {each.what: each.why for each in output.left_out}
    assert "outside its folder" in left["operation GET /b"] and "http://192.0.2.1/x.yaml" in left["operation GET /c"]
    assert "endless" in left["operation GET /d"]
    assert (tmp_path / "mine" / "contract" / "document" / "paths" / "a.yaml").is_file()
    (tmp_path / "main.yaml").write_text((DOCUMENTS / "parts" / "main.yaml").read_text())
    (tmp_path / "paths").mkdir()
    (tmp_path / "paths" / "a.yaml").symlink_to("/etc/hostname")
    with pytest.raises(ImportRefusedError, match="outside its folder"):
        convert_description(str(tmp_path / "main.yaml"), tmp_path / "other", ())


def document(paths: str = "", **more: str) -> str:
    rest = "".join(f'"{key}": {value}, ' for key, value in more.items())
    return f'{{"openapi": "3.1.0", "info": {{"title": "t"}}, {rest}"paths": {{{paths}}}}}'


def sending(schema: str) -> str:
    body = f'{{"content": {{"application/json": {{"schema": {schema}}}}}}}'
    return document(f'"/x": {{"post": {{"operationId": "x", "requestBody": {body}, "responses": {{"200": {{}}}}}}}}')


LAUGHS = "openapi: 3.1.0\nl0: &l0 [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"l{n + 1}: &l{n + 1} [{', '.join([f'*l{n}'] * 10)}]\n" for n in range(9)
)
HOSTILE = {
    "broken.json": ('{"openapi": "3.0.0",\n "paths": [}', "not well-formed JSON: .* at line 2, column 12"),
    "broken.yaml": ("openapi: 3.0.0\npaths: [a, b\nx: y\n", "not well-formed YAML: .* line [23]"),
    "laughs.yaml": (LAUGHS, "more than 1,000,000 values, its aliases written out"),
    "itself.yaml": ("openapi: 3.0.0\npaths: &a\n  b: *a\n", r"itself.yaml, line 3: the alias \*a refers to itself"),
    "python.yaml": (
        "openapi: 3.0.0\nx: !!python/object/apply:os.system ['true']\n",
        "line 2: the tag .*python.* is not",
    ),
    "twice.yaml": ("openapi: 3.0.0\npaths: {}\npaths: {}\n", "line 3: the key 'paths' occurs twice"),
    "twice.json": ('{"openapi": "3.0.0", "openapi": "3.0.1"}', "the key 'openapi' occurs twice"),
    "deep.yaml": ("openapi: 3.0.0\nx: " + "[" * 5000, "nested more than 100 levels"),
    "deep.json": ('{"openapi": ' + "[" * 200_000, "nested more than 100 levels|not well-formed"),
    "deeper.json": ('{"openapi": ' + "[" * 150 + "]" * 150 + "}", "nested more than 100 levels"),
    "infinite.json": ('{"openapi": "3.0.0", "x": 1e999}', "not a valid JSON number"),
    "half.json": ('{"openapi": "3.0.0", "x": "\\ud800"}', "half a character"),
    "bytes.yaml": ("openapi: 3.0.0\n\udcff\udcfe", "is not UTF-8 text: .* at byte 15"),
    "list.json": ('["openapi"]', "is of no kind that is read"),
    "list.yaml": ("- openapi\n", "its top level is not an object"),
    "unversioned.json": ('{"paths": {}}', "no version in a text field 'openapi'"),
    "old.yaml": ("swagger: '1.2'\npaths: {}\n", "is Swagger 1.2; Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2"),
    "new.yaml": ("openapi: 4.0.0\n", "is OpenAPI 4.0.0"),
    "number.yaml": ("openapi: 3\n", "no version in a text field 'openapi'"),
    "events.yaml": ("asyncapi: 3.0.0\n", "is AsyncAPI"),
    "paths.json": ('{"openapi": "3.0.0", "paths": []}', "cannot be used: #/paths is a list, but must be object"),
    "path.json": (document('"/x": 5'), "path /x: #/paths/~1x is a number, but must be object"),
    "server.json": (document(servers='[{"url": "ftp://x"}]'), "its server 'ftp://x' is not a valid http or https URL"),
    "cycle.json": (sending('{"$ref": "#/components"}'), "'#/components', which does not exist"),
    "self.json": (
        sending('{"$ref": "#/paths/~1x/post/requestBody/content/application~1json/schema"}'),
        "endless",
    ),
    "type.json": (sending('{"type": "strnig"}'), "schema/type is 'strnig', which is not a type"),
    "least.json": (sending('{"minLength": "3"}'), "schema/minLength is '3', which is not a valid number"),
    "required.json": (sending('{"required": true}'), "schema/required is true or false, but must be list"),
    "dynamic.json": (sending('{"$dynamicRef": "#x"}'), "has a \\$dynamicRef"),
    "wide.json": (sending('{"minItems": 100000000, "items": {"type": "string"}}'), "no valid request can be made"),
    "long.json": (sending('{"type": "string", "minLength": 100000000}'), "no valid request can be made"),
    "none.json": (document(), "no operation of .* can be imported"),
    "params.json": (document('"/x/{id": {"get": {"responses": {}}}'), "names 'id', which is not a described parameter"),
    "no-name.json": (document('"/x/{}": {"get": {"responses": {}}}'), "names '', which is not a described parameter"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_document_is_refused_in_a_sentence_with_its_place(name: str, tmp_path: Path) -> None:
    text, reason = HOSTILE[name]
    (tmp_path / name).write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(ImportRefusedError, match=reason) as refused:
        convert_description(str(tmp_path / name), tmp_path / "far" / "mine", ())
    assert name in refused.value.message and "\n" not in refused.value.message
    assert [path.name for path in tmp_path.iterdir()] == [name], "nothing is left"


def test_yaml_is_read_as_its_version_1_2_says() -> None:
    text = (
        "{openapi: 1, a: no, b: 12:30, c: 2026-01-01, d: 0o17, e: 010, f: 1.5e3, g: ~, h: true, i: 'true', j: !!str 7}"
    )
    assert reading.values_of(f"x: {text}".encode(), "p")["x"] == (
        {"openapi": 1, "a": "no", "b": "12:30", "c": "2026-01-01", "d": 15, "e": 10, "f": 1500.0}
        | {"g": None, "h": True, "i": "true", "j": "7"}
    )
    merged = b"base: &b {x: 1, y: 2}\nown: {<<: *b, y: 3}\n200: {}\n"
    assert reading.values_of(merged, "p") == {"base": {"x": 1, "y": 2}, "own": {"y": 3, "x": 1}, "200": {}}


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32), name=st.sampled_from(["shop.yaml", "modern.json", "old-shop.yaml", "newest.yaml"]))
def test_a_document_with_anything_wrong_in_it_is_taken_over_or_refused(
    seed: int, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Values are exchanged, bytes are lost: what comes is a service folder that can be read, or a sentence."""
    chance = random.Random(seed)
    raw = (DOCUMENTS / name).read_bytes()
    if chance.random() < 0.3:
        at = chance.randrange(len(raw))
        raw = (
            raw[:at]
            + bytes(chance.choices(b'{}[]":,&*!\n -\xff', k=chance.randrange(3)))
            + raw[at + chance.randrange(9) :]
        )
    else:
        values = reading.values_of(raw, name)
        for _ in range(3):
            _exchange(values, chance)
        raw = json.dumps(values).encode()
    folder = tmp_path_factory.mktemp("fuzzed")
    (folder / name).write_bytes(raw)
    try:
        output = convert_description(str(folder / name), folder / "mine", ())
    except ImportRefusedError as refused:
        assert name in refused.message and not (folder / "mine").exists()
    else:
        service = entries.service_at(str(folder / "mine"))
        assert list(service.model.operations) == output.taken
        assert load_target.of_service(service, 1, Expect()).operations.keys() == set(output.taken)


def _exchange(values: Any, chance: random.Random) -> None:
    """One value somewhere within becomes another."""
    while True:
        keys = list(values) if isinstance(values, dict) else list(range(len(values)))
        if not keys:
            return
        key = chance.choice(keys)
        inner = values[key]
        if isinstance(inner, dict | list) and chance.random() < 0.85:
            values = inner
            continue
        values[key] = chance.choice(
            [None, True, -1, 0.5, "", "x", "{", [], {}, [1], {"$ref": "#/paths"}, {"$ref": "#"}]
        )
        return


SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.builds(
            lambda a, b: {"type": "integer", "minimum": a, "maximum": a + b}, st.integers(-999, 999), st.integers(0, 9)
        ),
        st.builds(
            lambda a, b: {"type": "string", "minLength": a, "maxLength": a + b}, st.integers(0, 30), st.integers(0, 9)
        ),
        st.builds(lambda values: {"enum": values}, st.lists(st.text(max_size=3) | st.none(), min_size=1, max_size=3)),
        st.sampled_from(
            [{"type": "boolean"}, {"type": ["null", "number"], "exclusiveMinimum": 7}, {"format": "uuid"}, {}]
        ),
    ),
    lambda inner: st.one_of(
        st.builds(lambda item, n: {"type": "array", "items": item, "minItems": n}, inner, st.integers(0, 3)),
        st.builds(
            lambda described: {"type": "object", "properties": described, "required": list(described)},
            st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
        ),
        st.builds(
            lambda first, second: {"anyOf": [{"type": "integer", "minimum": 3, "maximum": 1}, first, second]},
            inner,
            inner,
        ),
        st.builds(lambda only: {"allOf": [only, {"title": "t"}]}, inner),
    ),
    max_leaves=6,
)


@settings(max_examples=25, deadline=None)
@given(SCHEMAS)
def test_a_schema_that_can_be_met_is_met(schema: Any) -> None:
    value = JsonSamples({"x": schema}).value("x")
    assert jsonschema.Draft202012Validator(schema).is_valid(value)


def test_a_value_that_its_style_cannot_write_is_never_sent() -> None:
    with pytest.raises(UnmetError, match="cannot represent"):
        WireForm("a", "query", "form", True).serialize([[1]])
    with pytest.raises(UnmetError, match="change the path"):
        WireForm("a", "path", "simple", False).serialize("..")
    with pytest.raises(UnmetError, match="not valid in a header"):
        WireForm("a", "header", "simple", False).serialize("x\r\nY: z")
    assert WireForm("a", "query", "form", False, reserved=True).serialize("x/y&z") == "a=x/y%26z"


def test_answers_are_judged_by_schema_and_by_values(tmp_path: Path) -> None:
    imported("shop.yaml", tmp_path)
    service = entries.service_at(str(tmp_path / "mine"))
    shop = load_target.of_service(service, 1, Expect())
    expect, schema = shop.operations["getOrder"].expect, shop.schema
    assert answer_rules.rules_of(expect, schema) == ["schema"] and shop.operations["getOrder"].bodies == [b""]
    line = {"item": "a", "count": 1}
    right = {"id": 5, "customer": "Anna", "lines": [line, {**line, "item": "b"}]}

    def said(answer: Any, rules: Expect = expect) -> str | None:
        return answer_rules.difference(json.dumps(answer).encode(), rules, schema, "getOrder")

    assert said(right) is None
    assert "'id' is a required property" in str(said({name: right[name] for name in ("customer", "lines")}))
    assert "'7' is not of type 'integer'" in str(said({**right, "id": "7"}))
    assert "$.customer" in str(said({**right, "customer": "x"}))
    assert "not JSON" in str(answer_rules.difference(b"<html/>", expect, schema, "getOrder"))
    (tmp_path / "right.json").write_text(
        '{"lines": [{"count": 1.0, "item": "a"}, {"item": "b", "count": 1}], "customer": "Anna", "id": 5e0}'
    )
    known = expect.model_copy(update={"answer": str(tmp_path / "right.json")})
    assert said(right, known) is None
    assert said({**right, "id": 6}, known) == "/id is 6, expected 5"
    assert "answer right.json" in answer_rules.rules_of(known, schema)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        said(right, expect.model_copy(update={"answer": str(tmp_path / "none.json")}))


def test_an_api_key_is_told_apart_from_the_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported("shop.yaml", tmp_path)
    shop = load_target.of_service(entries.service_at(str(tmp_path / "mine")), 1, Expect())
    monkeypatch.delenv("MINE_SECRET", raising=False)
    with pytest.raises(ConfigurationError, match="no variable MINE_SECRET"):
        auth.with_auth(shop, {})
    monkeypatch.setenv("MINE_SECRET", "opensesame")
    told, who = auth.with_auth(shop, {})
    assert who.secrets.headers == {"X-API-Key": "opensesame"} and "opensesame" not in repr(told)
    with pytest.raises(ValueError, match="header is required for kind api-key"):
        Auth(kind="api-key", secret="env:A")


MIXED = """openapi: 3.0.3
info: {title: Mixed, version: '1'}
servers: [{url: URL}]
security: [{jwt: []}]
components:
  securitySchemes:
    jwt: {type: http, scheme: bearer}
    the user: {type: http, scheme: basic}
    key: {type: apiKey, in: query, name: api key}
    jar: {type: apiKey, in: cookie, name: SID}
    head: {type: apiKey, in: header, name: X-Key}
paths:
  /open: {get: {security: [], responses: {'200': {description: x}}}}
  /jwt: {get: {responses: {'200': {description: x}}}}
  /basic: {get: {security: [{the user: []}], responses: {'200': {description: x}}}}
  /key: {get: {security: [{key: []}], responses: {'200': {description: x}}}}
  /jar:
    get:
      security: [{jar: [], head: []}]
      parameters: [{name: theme, in: cookie, required: true, schema: {enum: [dark]}}]
      responses: {'200': {description: x}}
"""


def test_each_operation_carries_the_credentials_of_its_schemes_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = {"JWT": "j.w.t", "THE_USER": "ann:pw", "KEY": "k&y", "JAR": "of-the-jar", "HEAD": "of-the-head"}
    for name, value in secrets.items():
        monkeypatch.setenv(f"MINE_{name}", value)
    with recording() as (url, seen):
        outcome = import_text(MIXED.replace("URL", url), tmp_path, "mixed.yaml")
        words = ["--users", "1", "--max-requests", "50", "--warm-up", "0", "--json", "--out", "runs"]
        loaded = steelyard("load", "./mine", *words, folder=tmp_path).outcome
        monkeypatch.delenv("MINE_JAR")
        alone = steelyard("load", "./mine", "--operation", "get_jwt", *words, folder=tmp_path)
        refused = steelyard("load", "./mine", "--operation", "get_jar", *words, folder=tmp_path)
    assert loaded["failed"] == 0
    assert {
        (path, *(headers.get(name) for name in ("authorization", "cookie", "x-key"))) for _, path, _, headers in seen
    } == {
        ("/open", None, None, None),
        ("/jwt", "Bearer j.w.t", None, None),
        ("/basic", "Basic YW5uOnB3", None, None),
        ("/key?api%20key=k%26y", None, None, None),
        ("/jar", None, "theme=dark; SID=of-the-jar", "of-the-head"),
    }
    assert alone.code == 0, "a secret is needed only where a request uses it"
    assert refused.code != 0 and "the environment has no variable MINE_JAR" in refused.err
    assert (
        "security 'the user' of get_basic: HTTP authentication 'basic': put USER:PASSWORD into the variable MINE_THE_USER"
        in (outcome.notes)
    )
    stored = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert not [content for content in stored if b"of-the-jar" in content or b"k%26y" in content]


def test_data_in_json_is_written_as_json_needs(tmp_path: Path) -> None:
    rows = rows_of({"a": Column(kind="choice", values=['say "hé"\n'])}, tmp_path, 1, "json")
    assert json.loads(f'"{rows[0]["a"]}"') == 'say "hé"\n'


def test_the_command_says_what_it_took_over(tmp_path: Path) -> None:
    ran = steelyard("import", str(DOCUMENTS / "shop.yaml"), "--out", "mine", folder=tmp_path)
    assert ran.code == 0 and "3 operations of" in ran.out and "note: security 'key'" in ran.out
    assert "not imported: operation POST /pictures: its body is image/png" in ran.out


ELSEWHERE = """openapi: 3.1.0
info: {title: Parts, version: '1'}
servers: [{url: 'http://127.0.0.1:8099'}]
paths:
  /a: {post: {operationId: a, requestBody: {$ref: 'PLACE/bodies.yaml#/Order'}, responses: {'200': {description: fine}}}}
"""
BODIES = """Order: {required: true, content: {application/json: {schema: {$ref: 'types.yaml#/Order'}}}}
"""
TYPES = """Order: {type: object, required: [size], properties: {size: {type: integer, minimum: 4}}}
"""


def test_a_reference_into_another_folder_needs_the_word_of_the_user(tmp_path: Path) -> None:
    for folder in ("own", "shared"):
        (tmp_path / folder).mkdir()
    (tmp_path / "own" / "main.yaml").write_text(ELSEWHERE.replace("PLACE", "../shared"))
    (tmp_path / "shared" / "bodies.yaml").write_text(BODIES)
    (tmp_path / "shared" / "types.yaml").write_text(TYPES)
    main, shared = str(tmp_path / "own" / "main.yaml"), str(tmp_path / "shared")
    with pytest.raises(ImportRefusedError, match=f"outside its folder: --also {shared} allows it"):
        convert_description(main, tmp_path / "mine", ())
    output = convert_description(main, tmp_path / "mine", (shared,))
    assert (output.taken, output.documents) == (["a"], 3)
    jsonschema.validate(sample(tmp_path, "a"), yaml.safe_load(TYPES)["Order"])
    kept = sorted(path.name for path in (tmp_path / "mine" / "contract" / "document").iterdir())
    assert kept == ["elsewhere-1-bodies.yaml", "elsewhere-2-types.yaml", "main.yaml"]


def test_a_reference_to_a_server_is_followed_only_if_the_user_allowed_it(tmp_path: Path) -> None:
    pages = {"/bodies.yaml": BODIES, "/types.yaml": TYPES}
    asked: list[str] = []

    def answer(request: BaseHTTPRequestHandler, _: bytes) -> Reply:
        asked.append(request.path)
        return 200, {"Content-Type": "application/yaml"}, pages[request.path].encode()

    with answering(answer) as url:
        (tmp_path / "main.yaml").write_text(ELSEWHERE.replace("PLACE", url))
        with pytest.raises(ImportRefusedError, match=f"no request was sent for it: --also {url} allows it"):
            convert_description(str(tmp_path / "main.yaml"), tmp_path / "mine", ())
        assert asked == []
        output = convert_description(str(tmp_path / "main.yaml"), tmp_path / "mine", (url,))
    assert (output.taken, output.documents, asked) == (["a"], 3, ["/bodies.yaml", "/types.yaml"])
    jsonschema.validate(sample(tmp_path, "a"), yaml.safe_load(TYPES)["Order"])

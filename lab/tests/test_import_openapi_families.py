"""What OpenAPI documents say in several ways is sent as its author meant it, or named: places, styles, levels and encodings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft4Validator
from small_descriptions import SERVER, import_text, openapi, reasons, service_file
from steelyard.base.errors import ImportRefusedError
from steelyard.models.outputs.own_service import ImportOutput
from steelyard.workload.importing.convert import convert_description

FINE = "responses: {'200': {description: fine}}"


def operation(folder: Path, name: str = "see") -> dict[str, Any]:
    described: dict[str, Any] = service_file(folder)["operations"][name]
    return described


def see(parameters: str, path: str = "/items", item: str = "") -> str:
    """A document of one operation with these parameters, and with more at its path."""
    return openapi(f"  {path}:\n{item}    get: {{operationId: see, parameters: [{parameters}], {FINE}}}\n")


def sent(body: str, components: str, folder: Path, version: str = "3.0.3") -> Any:
    """The sample of a body of this schema."""
    content = f"requestBody: {{required: true, content: {{application/json: {{schema: {body}}}}}}}"
    paths = f"  /items:\n    post: {{operationId: make, {content}, {FINE}}}\n"
    import_text(openapi(paths, version=version) + f"components:\n  schemas:\n{components}", folder, "a.yaml")
    return json.loads((folder / "mine" / "samples" / "make.json").read_text())


@pytest.mark.parametrize("key", ["parameters: []", "servers: [{url: 'http://127.0.0.1:9'}]"])
def test_a_path_that_is_elsewhere_and_says_more_here_is_named(key: str, tmp_path: Path) -> None:
    (tmp_path / "part.yml").write_text(f"get: {{operationId: a, {FINE}}}\n")
    paths = f"  /items:\n    get: {{operationId: see, {FINE}}}\n  /a:\n    $ref: part.yml\n    {key}\n"
    outcome = import_text(openapi(paths), tmp_path, "a.yaml")
    assert outcome.taken == ["see"] and f"it has a $ref and, beside it, {key.partition(':')[0]}" in reasons(outcome)


def test_an_operation_that_is_elsewhere_and_says_more_here_is_named(tmp_path: Path) -> None:
    (tmp_path / "part.yml").write_text(f"operationId: a\n{FINE}\n")
    paths = (
        f"  /items:\n    get: {{operationId: see, {FINE}}}\n"
        "  /a:\n    get: {$ref: part.yml, parameters: [{name: x, in: query, schema: {type: string}}]}\n"
        "  /b:\n    get: {$ref: part.yml, summary: the same}\n"
    )
    outcome = import_text(openapi(paths), tmp_path, "a.yaml")
    assert outcome.taken == ["see", "a"]
    assert "operation GET /a: it has a $ref and, beside it, parameters" in reasons(outcome)


def test_parameters_of_an_operation_take_the_place_of_those_of_its_path(tmp_path: Path) -> None:
    item = (
        "    parameters:\n      - $ref: '#/components/parameters/Page'\n"
        "      - {name: X-Shop, in: header, required: true, schema: {type: string}, example: of-path}\n"
        "      - {name: id, in: path, required: true, schema: {type: integer}, example: 1}\n"
    )
    own = (
        "{name: page, in: query, required: true, schema: {type: integer}, example: 7}, "
        "{name: x-shop, in: header, required: true, schema: {type: string}, example: of-operation}, "
        "{name: id, in: query, required: true, schema: {type: string}, example: b}"
    )
    shared = "{name: page, in: query, required: true, schema: {type: integer}, example: 3}"
    text = see(own, "/items/{id}", item) + f"components: {{parameters: {{Page: {shared}}}}}\n"
    assert not import_text(text, tmp_path, "a.yaml").left_out
    described = operation(tmp_path)
    assert described["path"] == "/items/1?page=7&id=b"
    assert {name.lower(): value for name, value in described["headers"].items()}["x-shop"] == "of-operation"
    assert len([name for name in described["headers"] if name.lower() == "x-shop"]) == 1


def test_servers_of_a_path_or_an_operation_replace_those_of_the_document(tmp_path: Path) -> None:
    paths = (
        f"  /a:\n    servers: [{{url: '{SERVER}/of-path'}}]\n    get: {{operationId: a, {FINE}}}\n"
        f"    put: {{operationId: b, servers: [{{url: '{SERVER}/of-operation'}}], {FINE}}}\n"
        f"  /c:\n    servers: []\n    get: {{operationId: c, servers: [], {FINE}}}\n"
    )
    import_text(openapi(paths, f"[{{url: '{SERVER}/of-document'}}]"), tmp_path, "a.yaml")
    said = {name: described["path"] for name, described in service_file(tmp_path)["operations"].items()}
    assert said == {"a": "/of-path/a", "b": "/of-operation/a", "c": "/of-document/c"}


@pytest.mark.parametrize(
    ("parameter", "query"),
    [
        ("schema: {type: array, items: {type: string}}, example: [a, 'b c']", "x=a&x=b%20c"),
        ("schema: {type: array, items: {type: string}}, explode: false, example: [a, 'b,c']", "x=a,b%2Cc"),
        ("schema: {type: array, items: {type: string}}, style: spaceDelimited, example: [a, 'b,c']", "x=a%20b%2Cc"),
        (
            "schema: {type: array, items: {type: string}}, style: spaceDelimited, allowReserved: true, example: [a, 'b,c']",
            "x=a%20b,c",
        ),
        ("schema: {type: array, items: {type: string}}, style: pipeDelimited, example: [a, b]", "x=a%7Cb"),
        ("schema: {type: object}, style: deepObject, example: {a: 1, 'b c': d}", "x%5Ba%5D=1&x%5Bb%20c%5D=d"),
        ("schema: {type: object}, example: {a: 1, b: c}", "a=1&b=c"),
        ("schema: {type: object}, explode: false, example: {a: 1, b: c}", "x=a,1,b,c"),
        ("content: {application/json: {schema: {type: object}, example: {a: [1]}}}", "x=%7B%22a%22%3A%20%5B1%5D%7D"),
        ("schema: {type: array, items: {type: string}}, example: []", ""),
    ],
)
def test_a_parameter_of_a_query_has_the_style_that_is_described(parameter: str, query: str, tmp_path: Path) -> None:
    import_text(see(f"{{name: x, in: query, required: true, {parameter}}}"), tmp_path, "a.yaml")
    assert operation(tmp_path)["path"] == (f"/items?{query}" if query else "/items")


def test_reserved_characters_in_a_path_stay_escaped(tmp_path: Path) -> None:
    parameter = "{name: id, in: path, required: true, allowReserved: true, schema: {type: string}, example: 'a/b?c'}"
    import_text(see(parameter, "/items/{id}"), tmp_path, "a.yaml")
    assert operation(tmp_path)["path"] == "/items/a%2Fb%3Fc"


def test_parameters_of_cookies_are_one_header(tmp_path: Path) -> None:
    parameters = (
        "{name: lang, in: cookie, required: true, schema: {type: string}, example: 'de;x'}, "
        "{name: flags, in: cookie, required: true, schema: {type: array, items: {type: integer}}, explode: false, example: [1, 2]}"
    )
    import_text(see(parameters), tmp_path, "a.yaml")
    assert operation(tmp_path)["headers"]["Cookie"] == "lang=de%3Bx; flags=1,2"


def test_a_path_with_a_query_is_named(tmp_path: Path) -> None:
    paths = (
        f"  /items:\n    get: {{operationId: see, {FINE}}}\n  /find?q={{q}}:\n    get: {{operationId: find, {FINE}}}\n"
    )
    outcome = import_text(openapi(paths), tmp_path, "a.yaml")
    assert outcome.taken == ["see"] and "its path has a query or a fragment" in reasons(outcome)


def test_all_right_statuses_are_right_whatever_their_case(tmp_path: Path) -> None:
    paths = "  /items:\n    get: {operationId: see, responses: {'2xx': {description: fine}}}\n"
    import_text(openapi(paths), tmp_path, "a.yaml")
    assert {200, 201, 204} <= set(operation(tmp_path)["expect"]["status"])


BASE = """    Id: {type: string, readOnly: true}
    Base:
      type: object
      required: [id, size]
      properties: {id: {$ref: '#/components/schemas/Id'}, made: {type: string, readOnly: true}, size: {type: integer}}
"""


def test_what_only_answers_have_is_not_sent(tmp_path: Path) -> None:
    own = "{type: object, required: [made, name], properties: {name: {type: string}}}"
    body = f"{{allOf: [{{$ref: '#/components/schemas/Base'}}, {own}]}}"
    assert sent(body, BASE, tmp_path) == {"size": 1, "name": "text"}


def test_a_required_property_of_what_a_schema_extends_is_not_sent_if_only_answers_have_it(tmp_path: Path) -> None:
    body = "{allOf: [{$ref: '#/components/schemas/Base'}], required: [made], properties: {name: {type: string}}}"
    assert sent(body, BASE, tmp_path) == {"size": 1, "name": "text"}


def test_a_property_that_says_it_beside_its_reference_is_not_sent_by_3_1(tmp_path: Path) -> None:
    components = "    Plain: {type: string}\n"
    body = (
        "{type: object, required: [id, name], properties: "
        "{id: {$ref: '#/components/schemas/Plain', readOnly: true}, name: {type: string}, secret: {type: string, writeOnly: true}}}"
    )
    assert sent(body, components, tmp_path, "3.1.0") == {"name": "text", "secret": "text"}


def test_alternatives_in_files_of_their_own_need_no_name_for_the_discriminator(tmp_path: Path) -> None:
    (tmp_path / "cat.yaml").write_text(
        "type: object\nrequired: [kind]\nproperties: {kind: {type: string, example: tabby}}\n"
    )
    plain = "{oneOf: [{$ref: cat.yaml}], discriminator: {propertyName: kind}}"
    assert sent(plain, "    Unused: {type: string}\n", tmp_path) == {"kind": "tabby"}
    (tmp_path / "mine").rename(tmp_path / "plain")
    mapped = "{oneOf: [{$ref: cat.yaml}], discriminator: {propertyName: kind, mapping: {cat: cat.yaml}}}"
    assert sent(mapped, "    Unused: {type: string}\n", tmp_path) == {"kind": "cat"}


def imported(raw: bytes, folder: Path) -> ImportOutput:
    (folder / "a.yaml").write_bytes(raw)
    return convert_description(str(folder / "a.yaml"), folder / "mine", ())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_document_is_read_in_every_encoding_of_json_and_yaml(encoding: str, tmp_path: Path) -> None:
    text = see("{name: x, in: query, required: true, schema: {type: string}, example: é}")
    assert imported(text.encode(encoding), tmp_path).taken == ["see"]
    assert operation(tmp_path)["path"] == "/items?x=%C3%A9"


def test_anchors_and_merge_keys_are_written_out(tmp_path: Path) -> None:
    text = openapi(
        "  /a:\n    get:\n      operationId: a\n      responses: &fine {'200': {description: fine}}\n"
        "      parameters:\n"
        "        - &id {name: id, in: query, required: true, schema: {type: integer}, example: 1}\n"
        "        - {<<: *id, name: other, example: 2}\n"
        "        - {name: last, <<: [{example: 3}, *id]}\n"
        "  /b:\n    get: {operationId: b, responses: *fine}\n"
    )
    assert import_text(text, tmp_path, "a.yaml").taken == ["a", "b"]
    assert operation(tmp_path, "a")["path"] == "/a?id=1&other=2&last=3"


def test_several_documents_in_one_file_are_refused_in_a_sentence(tmp_path: Path) -> None:
    text = see("")
    with pytest.raises(ImportRefusedError, match="a second document begins, but only one is allowed"):
        import_text(f"{text}---\n{text}", tmp_path, "a.yaml")


MANY = "[{url: 'https://one.example/v1'}, {url: 'https://two.example/v2'}, {url: 'https://two.example/v3'}]"


@pytest.mark.parametrize(
    ("port", "target", "path"),
    [
        (None, "https://one.example", "/v1/items"),
        ("https://two.example", "https://two.example", "/v2/items"),
        ("https://two.example/v3", "https://two.example", "/v3/items"),
    ],
)
def test_each_of_several_servers_can_be_chosen(port: str | None, target: str, path: str, tmp_path: Path) -> None:
    text = openapi(f"  /items:\n    get: {{operationId: see, {FINE}}}\n", MANY)
    outcome = import_text(text, tmp_path, "a.yaml", *([port] if port else []))
    assert (service_file(tmp_path)["target"], operation(tmp_path)["path"]) == (target, path)
    (note,) = [note for note in outcome.notes if note.startswith("servers:")]
    assert f"{target}{path.removesuffix('/items')} was chosen" in note and "--port URL takes another" in note


def test_servers_of_an_operation_are_named_and_chosen_like_those_of_the_document(tmp_path: Path) -> None:
    own = f"servers: [{{url: '{SERVER}'}}, {{url: 'http://127.0.0.1:9090'}}]"
    text = openapi(f"  /a:\n    get: {{operationId: see, {own}, {FINE}}}\n")
    outcome = import_text(text, tmp_path, "a.yaml")
    assert any(f"{SERVER} was chosen; the others are http://127.0.0.1:9090" in note for note in outcome.notes)
    (tmp_path / "mine").rename(tmp_path / "first")
    import_text(text, tmp_path, "a.yaml", "http://127.0.0.1:9090")
    assert service_file(tmp_path)["target"] == "http://127.0.0.1:9090"


def test_a_server_that_is_none_is_named_beside_one_that_is(tmp_path: Path) -> None:
    servers = f"[{{url: 'http://server:port/'}}, {{url: '{SERVER}'}}]"
    outcome = import_text(openapi(f"  /a:\n    get: {{operationId: see, {FINE}}}\n", servers), tmp_path, "a.yaml")
    assert service_file(tmp_path)["target"] == SERVER
    assert any("its server 'http://server:port/' is not a valid" in note for note in outcome.notes)
    (tmp_path / "mine").rename(tmp_path / "first")
    alone = openapi(f"  /a:\n    get: {{operationId: see, {FINE}}}\n", "[{url: 'https://{tenant}.example/'}]")
    with pytest.raises(ImportRefusedError, match="--target URL names the server"):
        import_text(alone, tmp_path, "a.yaml")


def test_the_variables_of_a_server_have_their_defaults(tmp_path: Path) -> None:
    variables = "{host: {default: 127.0.0.1}, port: {enum: ['8080'], default: '8080'}, base: {default: v2}}"
    servers = f"[{{url: 'http://{{host}}:{{port}}/{{base}}', variables: {variables}}}]"
    import_text(openapi(f"  /a:\n    get: {{operationId: see, {FINE}}}\n", servers), tmp_path, "a.yaml")
    assert (service_file(tmp_path)["target"], operation(tmp_path)["path"]) == (SERVER, "/v2/a")


def test_a_value_that_is_left_empty_is_none(tmp_path: Path) -> None:
    text = openapi(
        "  /a:\n    parameters:\n    get:\n      operationId: see\n      summary:\n      description:\n      tags:\n"
        "      parameters:\n"
        "      security:\n      requestBody:\n      responses: {'200': {description: , content: }}\n"
        "  /b:\n    post:\n      operationId: make\n      responses: {'200': {description: fine}}\n      requestBody:\n"
        "        content: {application/json: {schema: {type: object, required: , "
        "properties: {x: {type: integer, enum: , format: }}}}}\n"
        "  /c:\n    get:\n"
    )
    outcome = import_text(text, tmp_path, "a.yaml")
    assert outcome.taken == ["see", "make"] and "operation GET /c: " in reasons(outcome)
    assert json.loads((tmp_path / "mine" / "samples" / "make.json").read_text()) == {"x": 1}


def test_a_null_that_is_an_example_or_a_constant_is_sent(tmp_path: Path) -> None:
    body = "{type: object, required: [a, b], properties: {a: {nullable: true, type: string, example: null}, b: {enum: [null]}}}"
    assert sent(body, "    Unused: {type: string}\n", tmp_path) == {"a": None, "b": None}


@pytest.mark.parametrize("version", ["3.0", "3.1", "'3.0.0'", "3.2"])
def test_a_version_without_quotes_is_read(version: str, tmp_path: Path) -> None:
    text = openapi(f"  /a:\n    get: {{operationId: see, {FINE}}}\n", version=version)
    assert import_text(text, tmp_path, "a.yaml").taken == ["see"]


@pytest.mark.parametrize(
    "parameter",
    [
        "{name: x, in: query, style: odd, schema: {type: string}}",
        "{name: x, in: header, content: {text/csv: {schema: {type: string}}}}",
        "{name: 'a b', in: header, schema: {type: string}}",
        "{name: x, in: elsewhere}",
    ],
)
def test_an_optional_parameter_that_cannot_be_sent_costs_nothing_but_itself(parameter: str, tmp_path: Path) -> None:
    outcome = import_text(see(parameter), tmp_path, "a.yaml")
    assert outcome.taken == ["see"] and operation(tmp_path)["path"] == "/items"
    assert any("an optional parameter was left out: #/paths/~1items/get/parameters/0" in note for note in outcome.notes)
    with pytest.raises(ImportRefusedError, match="no operation of"):
        import_text(see(f"{parameter[:-1]}, required: true}}"), tmp_path / "mine", "a.yaml")


@pytest.mark.parametrize(
    ("schema", "wrong"),
    [
        ("{type: string, format: date-time}", "2026-01-31 12:00:00"),
        ("{type: string, format: date-time}", "2026-13-31T12:00:00Z"),
        ("{type: string, format: time}", "12:00"),
        ("{type: string, format: duration}", "5 minutes"),
        ("{type: string, format: byte}", "no base64"),
        ("{type: string, format: date}", "31.1.2026"),
        ("{type: string, format: uuid}", "7"),
        ("{type: string, format: ipv4}", "300.0.0.1"),
        ("{type: string, format: email}", "me"),
        ("{type: integer, format: int32}", 3_000_000_000),
    ],
)
def test_an_example_that_breaks_its_format_is_not_sent(schema: str, wrong: object, tmp_path: Path) -> None:
    shown = schema[:-1] + f", example: {json.dumps(wrong)}}}"
    body = f"{{type: object, required: [x], properties: {{x: {shown}}}}}"
    value = sent(body, "    Unused: {type: string}\n", tmp_path)["x"]
    assert value != wrong
    (tmp_path / "mine").rename(tmp_path / "first")
    right = shown.replace(json.dumps(wrong), json.dumps(value))
    assert sent(body.replace(shown, right), "    Unused: {type: string}\n", tmp_path) == {"x": value}


SCHEMAS = [
    "{allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, required: [size], properties: {size: {minimum: 3}}}]}",
    "{anyOf: [{type: string, pattern: '^[A-Z]{3}-[0-9]+$'}, {type: integer}]}",
    "{oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], discriminator: {propertyName: kind}}",
    "{type: array, minItems: 2, uniqueItems: true, items: {enum: [a, b, c]}}",
    "{type: object, additionalProperties: {type: integer, multipleOf: 7}, minProperties: 2}",
    "{type: object, required: [next], properties: {next: {nullable: true, allOf: [{$ref: '#/components/schemas/Node'}]}}}",
    "{type: object, properties: {at: {type: string, format: date-time}, id: {type: string, format: uuid}}, required: [at, id]}",
    "{type: number, minimum: 0, exclusiveMinimum: true, maximum: 0.5}",
    "{type: string, minLength: 12, maxLength: 12}",
    "{type: object, required: [a], properties: {a: {not: {type: string}}}}",
]
COMPONENTS = (
    "    Pet: {type: object, required: [name], properties: {name: {type: string}, kind: {type: string}}}\n"
    "    Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {required: [kind], properties: {lives: {type: integer}}}]}\n"
    "    Dog: {type: object, required: [kind, bark], properties: {kind: {type: string}, bark: {type: boolean}}}\n"
    "    Node: {type: object, properties: {next: {$ref: '#/components/schemas/Node'}}}\n"
)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_body_of_every_composition_keeps_the_schema_of_the_source(schema: str, tmp_path: Path) -> None:
    value = sent(schema, COMPONENTS, tmp_path)
    source = yaml.safe_load(f"schema: {schema}\ncomponents:\n  schemas:\n{COMPONENTS}")
    judge = Draft4Validator({**as_draft_4(source["schema"]), "components": as_draft_4(source["components"])})
    judge.validate(value)


def as_draft_4(schema: Any) -> Any:
    """A schema of OpenAPI 3.0 in the draft of JSON Schema that it extends: only `nullable` differs."""
    if isinstance(schema, list):
        return [as_draft_4(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: as_draft_4(value) for key, value in schema.items()}
    return (
        {"anyOf": [{key: value for key, value in inner.items() if key != "nullable"}, {"type": "null"}]}
        if inner.get("nullable")
        else inner
    )


def test_references_stand_wherever_openapi_lets_them(tmp_path: Path) -> None:
    paths = (
        "  /items/{id}: {$ref: '#/components/pathItems/Item'}\n"
        "  /other:\n    post:\n      operationId: make\n      requestBody: {$ref: '#/components/requestBodies/Made'}\n"
        "      responses: {'201': {$ref: '#/components/responses/Done'}}\n"
    )
    components = (
        "components:\n"
        "  pathItems:\n    Item:\n      parameters: [{$ref: '#/components/parameters/Id'}]\n"
        "      get: {operationId: see, responses: {'200': {$ref: '#/components/responses/Done'}}}\n"
        "  parameters:\n    Id: {name: id, in: path, required: true, schema: {$ref: '#/components/schemas/Id'}}\n"
        "  requestBodies:\n    Made: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Made'}, "
        "examples: {one: {$ref: '#/components/examples/One'}}}}}\n"
        "  responses:\n    Done: {description: done, content: {application/json: {schema: {$ref: '#/components/schemas/Made'}}}}\n"
        "  examples:\n    One: {value: {size: 41}}\n"
        "  schemas:\n    Id: {type: integer, minimum: 7}\n"
        "    Made: {type: object, required: [size], properties: {size: {type: integer}}}\n"
    )
    outcome = import_text(openapi(paths, version="3.1.0") + components, tmp_path, "a.yaml")
    assert outcome.taken == ["see", "make"] and operation(tmp_path)["path"] == "/items/7"
    assert json.loads((tmp_path / "mine" / "samples" / "make.json").read_text()) == {"size": 41}
    assert operation(tmp_path, "make")["expect"]["status"] == [201]


def test_a_path_keeps_its_template_for_a_stand_in(tmp_path: Path) -> None:
    parameter = "{name: straße, in: path, required: true, schema: {type: string}, example: 'Köln 1/2'}"
    import_text(see(parameter, "/größe/{straße}"), tmp_path, "a.yaml")
    described = operation(tmp_path)
    assert (
        described["template"] == "/gr%C3%B6%C3%9Fe/{stra%C3%9Fe}"
        and described["path"] == "/gr%C3%B6%C3%9Fe/K%C3%B6ln%201%2F2"
    )

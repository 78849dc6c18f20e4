"""What OpenAPI documents say in several ways is sent as its author meant it, or named: places, styles, levels and encodings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
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

"""Swagger 2.0 and OpenAPI 3.2 become folders whose requests a second library accepts by the source document."""

from __future__ import annotations

import email
import email.policy
import json
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from small_descriptions import import_text, openapi, reasons, service_file
from steelyard.base.errors import ImportRefusedError
from steelyard.catalogue import entries
from steelyard.models.service import Expect
from steelyard.workload import load_target
from steelyard.workload.importing.convert import convert_description
from steelyard.workload.importing.openapi.content_types import accept_of
from steelyard.workload.importing.openapi.forms import FieldForm, write_body
from steelyard.workload.importing.values import UnmetError

DOCUMENTS = Path(__file__).parent / "openapi"
FINE = "responses: {'200': {description: fine}}"


def body_of(folder: Path, operation: str) -> bytes:
    """The body of an operation's request as a load sends it."""
    service = entries.service_at(str(folder / "mine"))
    return load_target.of_service(service, 1, Expect()).operations[operation].bodies[0]


def parts_of(body: bytes, content_type: str) -> dict[str, EmailMessage]:
    """The parts of a multipart body by name, as the library for mail reads them."""
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    message = email.message_from_bytes(head + body, policy=email.policy.HTTP)
    assert message.is_multipart() and not message.defects
    parts = [part for part in message.iter_parts() if isinstance(part, EmailMessage)]
    return {str(part.get_param("name", header="content-disposition")): part for part in parts}


def content_of(part: EmailMessage) -> str:
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode()


def posting(content: str) -> str:
    return f"  /a:\n    post: {{operationId: a, requestBody: {{required: true, content: {content}}}, {FINE}}}\n"


def test_a_document_of_swagger_is_taken_over_as_it_describes_its_requests(tmp_path: Path) -> None:
    output = convert_description(str(DOCUMENTS / "old-shop.yaml"), tmp_path / "mine", ())
    assert output.taken == ["getOrder", "createOrder", "signIn", "addPicture", "exportAll"]
    assert "operation POST /as-xml: its body is application/xml" in reasons(output)
    described = service_file(tmp_path)
    assert described["target"] == "http://127.0.0.1:8099" and described["auth"]["kind"] == "basic"
    get = described["operations"]["getOrder"]
    assert get["path"] == "/api/v1/orders/5?fields=id%7Clines&each=a&each=b&tabs=a%09b"
    assert get["headers"] == {"Accept": "application/json", "X-Trace": "1,2"}
    assert any("the others are https://127.0.0.1:8099" in note for note in output.notes)


def test_a_body_of_swagger_keeps_the_schema_of_the_source(tmp_path: Path) -> None:
    convert_description(str(DOCUMENTS / "old-shop.yaml"), tmp_path / "mine", ())
    source = yaml.safe_load((DOCUMENTS / "old-shop.yaml").read_text())
    schema = {"definitions": source["definitions"], "$ref": "#/definitions/Order"}
    schema["definitions"]["Order"]["required"].remove("id")  # the service makes it: it is read-only
    order = json.loads(body_of(tmp_path, "createOrder"))
    assert jsonschema.Draft4Validator(schema).is_valid(order) and "id" not in order
    assert not jsonschema.Draft4Validator(schema).is_valid({**order, "lines": [{"item": "a", "count": 0}] * 2})
    kept = json.loads((tmp_path / "mine" / "contract" / "schema.json").read_text())["$defs"]
    assert kept["schema:Order"]["properties"]["note"]["type"] == ["string", "null"]


def test_a_form_of_swagger_is_what_a_form_parser_reads(tmp_path: Path) -> None:
    convert_description(str(DOCUMENTS / "old-shop.yaml"), tmp_path / "mine", ())
    operations = service_file(tmp_path)["operations"]
    form = parse_qs(body_of(tmp_path, "signIn").decode(), strict_parsing=True)
    assert (
        form.keys() == {"user", "level", "tags"} and form["tags"] == ["a b", "c&d"] and 7 <= int(form["level"][0]) <= 9
    )
    assert operations["signIn"]["headers"]["Content-Type"] == "application/x-www-form-urlencoded"
    parts = parts_of(body_of(tmp_path, "addPicture"), operations["addPicture"]["headers"]["Content-Type"])
    assert parts["picture"].get_filename() == "picture" and parts["title"].get_filename() is None
    assert parts["picture"].get_content_type() == "application/octet-stream"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("swagger: '2.0'\nschemes: [ws]\nhost: a\npaths: {}\n", "its schemes are ws, neither http nor https"),
        ("swagger: '2.0'\nhost: [a]\npaths: {}\n", "#/host is a list, but must be text"),
        ("swagger: '2.0'\nhost: 'a b'\npaths: {/a: {get: {responses: {}}}}\n", "is not a valid http or https URL"),
        (
            "swagger: '2.0'\npaths: {/a: {get: {responses: {}, parameters: [{name: a, in: query, required: true, "
            "type: array, collectionFormat: semicolons}]}}}\n",
            "unknown collectionFormat 'semicolons'",
        ),
        (
            "swagger: '2.0'\npaths: {'/a/{b}': {get: {responses: {}, parameters: [{name: b, in: path, type: array, "
            "collectionFormat: pipes}]}}}\n",
            "'pipes', which is not supported for a path",
        ),
        (
            "swagger: '2.0'\nproduces: [5]\npaths: {/a: {get: {responses: {'200': {}}}}}\n",
            "#/produces/0 is a number, but must be text",
        ),
    ],
)
def test_a_swagger_document_that_cannot_be_used_is_refused_with_the_place(
    text: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(ImportRefusedError, match=reason):
        import_text(text, tmp_path, "old.yaml")


def test_a_document_of_3_2_is_taken_over_and_what_is_new_is_read_or_named(tmp_path: Path) -> None:
    output = convert_description(str(DOCUMENTS / "newest.yaml"), tmp_path / "mine", ())
    operations = service_file(tmp_path)["operations"]
    assert output.taken == ["findOrders", "copyOrders", "search"]
    assert (operations["findOrders"]["method"], operations["copyOrders"]["method"]) == ("QUERY", "COPY")
    assert output.changing == ["copyOrders"]
    sent = dict(parse_qsl(operations["search"]["path"].partition("?")[2], strict_parsing=True))
    assert sent == {"text": "a b&c", "page": "2"} and operations["search"]["headers"]["Accept"] == "text/event-stream"
    search = yaml.safe_load((DOCUMENTS / "newest.yaml").read_text())["components"]["schemas"]["Search"]
    jsonschema.validate(json.loads(body_of(tmp_path, "findOrders")), search)
    assert "'odd method' is not a supported method" in reasons(output)
    assert "describes the whole query as application/jsonpath, not a form" in reasons(output)


def test_an_answer_without_the_discriminator_is_right_if_3_2_names_a_default(tmp_path: Path) -> None:
    convert_description(str(DOCUMENTS / "newest.yaml"), tmp_path / "mine", ())
    schema = json.loads((tmp_path / "mine" / "contract" / "schema.json").read_text())
    judge = jsonschema.Draft202012Validator({**schema, "$ref": "#/$defs/findOrders"})
    assert judge.is_valid([{"legs": 4}, {"kind": "Cat", "lives": 9}]) and not judge.is_valid([{"kind": "Cat"}])


ANIMALS = """
    Pet: {type: object, required: [kind], discriminator: DISCRIMINATOR, properties: {kind: {type: string}}}
    Cat: {allOf: [{$ref: "PLACE/Pet"}, {type: object, properties: {lives: {type: integer}}}]}
"""


@pytest.mark.parametrize(
    ("head", "place", "discriminator", "names"),
    [
        ("swagger: '2.0'", "definitions", "kind", ["Pet", "Cat"]),
        ("openapi: 3.0.3", "components/schemas", "{propertyName: kind}", ["Pet", "Cat"]),
        ("openapi: 3.1.0", "components/schemas", "{propertyName: kind, mapping: {c: Cat}}", ["Pet", "c"]),
    ],
)
def test_a_discriminator_names_the_schema_that_is_sent(
    head: str, place: str, discriminator: str, names: list[str], tmp_path: Path
) -> None:
    schemas = ANIMALS.replace("DISCRIMINATOR", discriminator).replace("PLACE", f"#/{place}")
    text = f"{head}\ninfo: {{title: t, version: '1'}}\npaths:\n"
    for name in ("Pet", "Cat"):
        schema = f"schema: {{$ref: '#/{place}/{name}'}}"
        body = f"requestBody: {{content: {{application/json: {{{schema}}}}}}}"
        if "swagger" in head:
            body = f"parameters: [{{name: body, in: body, {schema}}}]"
        text += f"  /{name}:\n    post: {{operationId: {name}, {body}, {FINE}}}\n"
    text += "definitions:" + schemas if "swagger" in head else "components:\n  schemas:" + schemas
    import_text(text, tmp_path, "animals.yaml")
    assert [json.loads(body_of(tmp_path, name))["kind"] for name in ("Pet", "Cat")] == names


def test_a_form_keeps_its_schema_and_a_field_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    schema = (
        "{type: object, required: [email], properties: {email: {type: string, format: email}, address: {type: object, "
        "properties: {city: {type: string}}}, deep: {type: object, properties: {a: {type: array, items: {type: object, "
        "properties: {b: {type: string}}}}}}, plain: {type: object, properties: {x: {type: integer}}}}}"
    )
    styles = "encoding: {address: {style: deepObject, explode: true}, deep: {style: deepObject, explode: true}}"
    text = openapi(posting(f"{{application/x-www-form-urlencoded: {{schema: {schema}, {styles}}}}}"))
    import_text(text, tmp_path, "orders.yaml")
    sent = dict(parse_qsl(body_of(tmp_path, "a").decode(), strict_parsing=True))
    assert sent == {"email": "name@example.org", "address[city]": "text", "plain": '{"x": 1}'}
    jsonschema.validate({"email": sent["email"], "plain": json.loads(sent["plain"])}, yaml.safe_load(schema))
    assert "# optional parameters: deep (form)" in (tmp_path / "mine" / "service.toml").read_text()


def test_a_required_field_that_a_form_cannot_hold_leaves_the_operation_out(tmp_path: Path) -> None:
    schema = "{type: object, required: [a], properties: {a: {type: object, properties: {b: {type: array}}}}}"
    content = f"{{application/x-www-form-urlencoded: {{schema: {schema}, encoding: {{a: {{style: deepObject}}}}}}}}"
    with pytest.raises(ImportRefusedError, match="the field a holds a value that a form cannot represent"):
        import_text(openapi(posting(content)), tmp_path, "orders.yaml")


def test_the_parts_of_a_multipart_body_are_of_the_described_types(tmp_path: Path) -> None:
    schema = (
        "{allOf: [{type: object, properties: {file: {type: string, format: binary}}}], properties: {about: {type: object, "
        "properties: {size: {type: integer}}}, tags: {type: array, minItems: 2, items: {type: string}}, note: {type: string}}}"
    )
    encoding = "encoding: {file: {contentType: 'image/png, image/jpeg'}, note: {contentType: text/markdown}}"
    import_text(openapi(posting(f"{{multipart/form-data: {{schema: {schema}, {encoding}}}}}")), tmp_path, "orders.yaml")
    body = body_of(tmp_path, "a")
    assert body.endswith(b"\r\n") and body.count(b"\r\n") == body.count(b"\n"), "a load sends its line ends"
    parts = parts_of(body, service_file(tmp_path)["operations"]["a"]["headers"]["Content-Type"])
    assert parts["file"].get_content_type() == "image/png" and parts["note"].get_content_type() == "text/markdown"
    assert json.loads(content_of(parts["about"])) == {"size": 1} and body.count(b'name="tags"') == 2


def test_plain_text_is_sent_where_nothing_else_is_described(tmp_path: Path) -> None:
    content = "{text/plain: {schema: {type: string, minLength: 9}}, application/xml: {}}"
    import_text(openapi(posting(content)), tmp_path, "orders.yaml")
    assert len(body_of(tmp_path, "a")) == 9
    assert service_file(tmp_path)["operations"]["a"]["headers"]["Content-Type"] == "text/plain"


SHOWN = "a,b\\n1,2\\n"


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        (f'{{text/csv: {{example: "{SHOWN}"}}}}', ("text/csv", "a,b\n1,2\n")),
        ("{image/png: {}, application/xml: {examples: {one: {value: <a b='1'/>}}}}", ("application/xml", "<a b='1'/>")),
        ("{text/csv: {example: [1, 2]}}", None),
        ("{application/xml: {schema: {type: object}}}", None),
    ],
)
def test_a_body_of_another_type_is_the_text_that_the_document_shows(
    content: str, sent: tuple[str, str] | None, tmp_path: Path
) -> None:
    asked = f"requestBody: {{content: {content}}}, responses: {{'200': {{description: x}}}}"
    paths = (
        f"  /a:\n    post: {{operationId: a, {asked}}}\n  /b:\n    get: {{responses: {{'200': {{description: x}}}}}}\n"
    )
    outcome = import_text(openapi(paths), tmp_path, "a.yaml")
    operation = service_file(tmp_path)["operations"].get("a")
    if sent is None:
        assert operation is None and "and has no text as an example" in reasons(outcome)
        return
    written = (tmp_path / "mine" / operation["sample"]).read_text()
    assert (operation["headers"]["Content-Type"], written) == sent


@pytest.mark.parametrize(
    ("kinds", "accept"),
    [
        (["text/plain;charset=UTF-8"], "text/plain"),
        (["text/csv", "application/pdf", "text/csv"], "text/csv, application/pdf"),
        (["application/xml", "application/json"], "application/json"),
        (["application/vnd.shop+json; v=2; charset=utf-8"], "application/vnd.shop+json; v=2"),
        (["*/*"], "application/json, */*;q=0.8"),
        (["not a type\r\nX: y", "text/plain"], "text/plain"),
        ([], "*/*"),
    ],
)
def test_accept_is_what_an_operation_answers(kinds: list[str], accept: str) -> None:
    assert accept_of(kinds) == accept


def test_accept_comes_from_the_described_answers_and_text_of_any_type_is_not_checked_as_json(tmp_path: Path) -> None:
    def answering(name: str, content: str) -> str:
        answer = f"responses: {{'200': {{description: fine, content: {content}}}}}"
        return f"  /{name}:\n    get: {{operationId: {name}, {answer}}}\n"

    paths = answering("plain", "{text/plain: {schema: {type: string}}}")
    paths += answering("any", "{'*/*': {schema: {type: string}}}")
    paths += answering("object", "{'*/*': {schema: {type: object}}}")
    import_text(openapi(paths), tmp_path, "orders.yaml")
    operations = service_file(tmp_path)["operations"]
    assert operations["plain"]["headers"] == {"Accept": "text/plain"}
    assert operations["any"]["headers"] == operations["object"]["headers"] == {"Accept": "application/json, */*;q=0.8"}
    assert operations["any"]["expect"]["schema"] is False and "schema" not in operations["object"]["expect"]


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20)
VALUES: st.SearchStrategy[Any] = st.one_of(TEXTS, st.integers(), st.booleans(), st.lists(TEXTS, min_size=1, max_size=3))


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(TEXTS.filter(bool), VALUES, min_size=1, max_size=4))
def test_any_form_reads_back_as_it_was_meant(value: dict[str, Any]) -> None:
    wanted = [
        (name, item if isinstance(item, str) else json.dumps(item))
        for name, items in value.items()
        for item in (items if isinstance(items, list) else [items])
    ]
    form = write_body("form", "application/x-www-form-urlencoded", value, {})
    assert parse_qsl(form.text, keep_blank_values=True) == wanted
    if any("{{" in text for pair in wanted for text in pair):
        with pytest.raises(UnmetError, match="two braces"):
            write_body("multipart", "multipart/form-data", value, {})
        return
    written = write_body("multipart", "multipart/form-data", value, {name: FieldForm() for name in value})
    boundary = written.content_type.partition("boundary=")[2]
    pieces = written.text.split(f"--{boundary}")
    assert pieces[-1] == "--\r\n" and len(pieces) == len(wanted) + 2
    assert [piece.partition("\r\n\r\n")[2].removesuffix("\r\n") for piece in pieces[1:-1]] == [
        text for _, text in wanted
    ]


def test_a_boundary_never_stands_in_the_content() -> None:
    written = write_body("multipart", "multipart/form-data", {"a": "steelyard-part-1"}, {})
    assert written.content_type == "multipart/form-data; boundary=steelyard-part-2"

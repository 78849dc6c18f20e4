"""A file is read as what its content shows, with the reason; a kind that is not read is refused by its name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from answering import answering
from command import steelyard
from small_descriptions import SERVER, import_text, openapi, reasons, wsdl
from steelyard.base.errors import ImportRefusedError
from steelyard.workload.importing.convert import convert_description
from steelyard.workload.importing.other_kinds import OTHER_TEXTS, OTHER_VALUES, OTHER_XML
from test_har_sessions import entry, har
from test_postman_sessions import collection, request

PATHS = "  /a:\n    get: {operationId: a, responses: {'200': {description: fine}}}\n"
SDL = "type Query { count: Int! }\n"
PROTO = 'syntax = "proto3";\npackage shop;\nmessage A { string id = 1; }\nservice Items { rpc Get (A) returns (A); }\n'
COMMAND = f"curl {SERVER}/items\n"


@pytest.mark.parametrize(
    ("text", "kind", "shown_by"),
    [
        (wsdl(), "a WSDL", "the root <definitions>"),
        (openapi(PATHS), "an OpenAPI document", "a line begins with openapi:"),
        ('{"info": {"title": "t"}, "paths": PATHS, "swagger": "2.0"}', "an OpenAPI document", "the key swagger"),
        (SDL, "a GraphQL schema", "defines types as GraphQL does"),
        (PROTO, "a .proto file", "its syntax as protobuf does"),
        (COMMAND, "curl commands", "a line begins with curl"),
        (f"# openapi is described elsewhere\n{COMMAND}", "curl commands", "a line begins with curl"),
        (f'fetch("{SERVER}/a", {{"method": "GET"}});\n', "calls of fetch", "begins with a call of fetch"),
        (f"### one\nGET {SERVER}/a\n", "a .http file", "a line is a request"),
        (f"{SERVER}/a\n{SERVER}/b\n", "a file of URLs for Siege", "its first line is an address"),
        (f'Invoke-WebRequest -Uri "{SERVER}/a"\n', "calls of PowerShell", "Invoke-WebRequest"),
        (har(entry(1, "/a")), "a HAR file", "a log and its entries"),
        (collection(request("a", f"{SERVER}/a")), "a Postman collection", "the schema of a collection"),
    ],
)
def test_the_kind_of_a_file_follows_from_its_content_whatever_its_name(
    text: str, kind: str, shown_by: str, tmp_path: Path
) -> None:
    paths = {"/a": {"get": {"operationId": "a", "responses": {"200": {"description": "fine"}}}}}
    outcome = import_text(text.replace("PATHS", json.dumps(paths)), tmp_path, "brought")
    assert outcome.kind == kind and shown_by in outcome.shown_by
    assert outcome.operations > 0


def test_the_command_says_what_showed_the_kind(tmp_path: Path) -> None:
    (tmp_path / "brought").write_text(SDL)
    ran = steelyard("import", "brought", "--out", "mine", folder=tmp_path)
    assert ran.code == 0 and "recognized as a GraphQL schema: it defines types as GraphQL does" in ran.out, ran.err


SHOWN = [
    ("shop.proto", PROTO.replace("message", f"/* For example:\n  {COMMAND}*/\nmessage"), "a .proto file"),
    ("shop.graphql", f'"""\nFor example:\n\n{COMMAND}"""\n{SDL}', "a GraphQL schema"),
    ("schema", f"# {COMMAND}{SDL}", "a GraphQL schema"),
    ("orders.yaml", openapi(PATHS).replace("info:", f"# {COMMAND}info:"), "an OpenAPI document"),
    ("orders.yaml", f"# {COMMAND}{openapi(PATHS)}", "an OpenAPI document"),
    (
        "orders.yaml",
        openapi(PATHS).replace("'1'}", f"'1', description: '\n\n        {COMMAND}  '}}"),
        "an OpenAPI document",
    ),
    ("orders.yaml", openapi(PATHS.replace("a, ", "a, description: as k6 asks it, ")), "an OpenAPI document"),
    ("orders.wsdl", wsdl().replace("<w:types>", f"<w:documentation>\n{COMMAND}</w:documentation><w:types>"), "a WSDL"),
    (
        "shop.graphql",
        f'# GET it:\n\ntype Query {{\n  """\nGET {SERVER}/a\n  """\n  count: Int!\n}}\n',
        "a GraphQL schema",
    ),
]


@pytest.mark.parametrize(("name", "text", "kind"), SHOWN)
def test_a_description_that_shows_a_request_is_still_a_description(
    name: str, text: str, kind: str, tmp_path: Path
) -> None:
    assert import_text(text, tmp_path, name).kind == kind


def test_commands_in_a_page_of_markdown_or_a_script_of_a_shell_are_read(tmp_path: Path) -> None:
    page = f"# The shop\n\nBy Python:\n\n```python\nimport requests\n```\n\nBy curl:\n\n```sh\n{COMMAND}```\n"
    assert import_text(page, tmp_path, "README.md").taken == ["get-items"]
    (tmp_path / "mine").rename(tmp_path / "first")
    body = f"#!/bin/sh\nset -e\ncurl {SERVER}/schema -d '\ntype Query {{ a: Int }}'\n"
    assert import_text(body, tmp_path, "send.sh").taken == ["post-schema"]


NAMED = [
    ("<!DOCTYPE html>\n<html><body>Log in</body></html>", "a page in HTML", "/openapi.json"),
    ('<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>', "an XML schema", "import the WSDL"),
    ('<application xmlns="http://wadl.dev.java.net/2009/02"/>', "a WADL", "OpenAPI 3"),
    (
        '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"/>',
        "a SOAP message",
        "steelyard load URL --body",
    ),
    ('<testResults version="1.2"/>', "a result of JMeter", "steelyard judge"),
    ("<?xml version='1.0'?><!-- a --><tsung/>", "a plan of Tsung", "steelyard record"),
    ('<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"/>', "an OData description", "OpenAPI 3"),
    ('{"swaggerVersion": "1.2", "apis": []}', "a Swagger 1 document", "OpenAPI 3"),
    ('{"kind": "discovery#restDescription"}', "a Google API discovery document", "OpenAPI 3"),
    (
        '{"name": "local", "values": [], "_postman_variable_scope": "environment"}',
        "a Postman environment",
        "collection",
    ),
    ('{"id": "1", "requests": [{"collectionId": "1"}]}', "a Postman collection of another version", "v2.1"),
    (
        '{"info": {"schema": "https://schema.getpostman.com/json/collection/v1.0.0/collection.json"}, "item": []}',
        "a Postman collection of another version",
        "v2.1",
    ),
    ('{"info": {"name": "shop"}, "item": []}', "a Postman collection that names no schema", "v2.1"),
    ('{"_type": "export", "__export_format": 4, "resources": []}', "an export of Insomnia", "HAR"),
    ('[{"v": 2, "name": "a", "folders": [], "requests": []}]', "a collection of Hoppscotch", "HAR"),
    ('{"$schema": "https://json-schema.org/draft/2020-12/schema"}', "a JSON Schema", "OpenAPI 3"),
    ('{"type":"Metric","data":{}}\n', "a result of k6", "steelyard judge"),
    ("const http = require('k6/http');\n", "a k6 script", "steelyard record"),
    ("import http from 'k6/http';\nexport default function () {}\n", "a k6 script", "steelyard record"),
    ("package a;\nclass A extends Simulation {}\n", "a Gatling simulation", "steelyard record"),
    ('import { simulation } from "@gatling.io/core";\n', "a Gatling simulation", "steelyard record"),
    ('"""A test.\n\n  curl http://a/\n"""\nfrom locust import HttpUser\n', "a Locust script", "steelyard record"),
    ("config:\n  target: http://a\nscenarios:\n  - flow: []\n", "a script of Artillery", "steelyard record"),
    ("execution:\n- concurrency: 1\nscenarios: {}\n", "a configuration of Taurus", "steelyard record"),
    ('import requests\nrequests.get("http://a/")\n', "a script of Python", "steelyard record"),
    ('const axios = require("axios");\n', "a script of JavaScript", "steelyard record"),
    ("query One {\n  count\n}\n", "a document of GraphQL requests", "schema"),
    ("#%RAML 1.0\ntitle: a\n", "a RAML document", "OpenAPI 3"),
    ("FORMAT: 1A\n\n# The shop\n", "an API Blueprint", "OpenAPI 3"),
    ("type: collection.insomnia.rest/5.0\nname: a\n", "an export of Insomnia", "HAR"),
    ("meta {\n  name: a\n}\n\nget {\n  url: http://a/\n}\n", "a request of Bruno", "HAR"),
    ("namespace java shop\n\nservice Items {\n  i32 count()\n}\n", "a Thrift file", "steelyard record"),
    ("timeStamp,elapsed,label\n1,2,a\n", "a result of JMeter", "steelyard judge"),
    ("PK\x03\x04\x14\0\0\0", "a zip archive", "unpack it"),
    ("%PDF-1.7\n", "a PDF", "/openapi.json"),
]


@pytest.mark.parametrize(("text", "title", "instead"), NAMED, ids=[title for _, title, _ in NAMED])
def test_a_kind_that_is_not_read_is_refused_by_name_with_what_to_do(
    text: str, title: str, instead: str, tmp_path: Path
) -> None:
    with pytest.raises(ImportRefusedError) as refused:
        import_text(text, tmp_path, "brought")
    assert f"is {title}" in refused.value.message and "which is not read" in refused.value.message
    assert instead in refused.value.hint and not (tmp_path / "mine").exists()


def test_every_kind_that_is_not_read_is_tried() -> None:
    assert {title for _, title, _ in NAMED} == {other.title for other in (*OTHER_XML, *OTHER_VALUES, *OTHER_TEXTS)}


@pytest.mark.parametrize("name", ["notes.txt", "notes"])
def test_a_text_of_no_known_kind_is_refused_with_its_beginning_and_the_kinds(name: str, tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match="is of no kind that is read: it begins with 'Dear all") as refused:
        import_text("Dear all,\nthe shop is open.\n", tmp_path, name)
    assert "WSDL 1.1" in refused.value.hint and "SoapUI" in refused.value.hint


@pytest.mark.parametrize("text", ["{}", "[]", "null", '{"items": 3}'])
def test_json_of_no_known_kind_is_not_called_an_openapi_document(text: str, tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match="is of no kind that is read: it begins with") as refused:
        import_text(text, tmp_path, "shop.postman_collection.json")
    assert "OpenAPI document" not in refused.value.message and "Postman" in refused.value.hint


def test_requests_at_a_url_are_named_as_what_they_are(tmp_path: Path) -> None:
    with (
        answering(lambda *_: (200, {}, har(entry(1, "/a")).encode())) as address,
        pytest.raises(ImportRefusedError, match="is a HAR file, which is read from a file") as refused,
    ):
        convert_description(f"{address}/visit.har", tmp_path / "mine", ())
    assert "save it to a file" in refused.value.hint


def test_a_har_whose_log_is_not_its_first_key_is_one(tmp_path: Path) -> None:
    document = {"comment": "a visit", "version": 1.2, **json.loads(har(entry(1, "/a")))}
    assert import_text(json.dumps(document), tmp_path, "visit.json").kind == "a HAR file"


def test_a_collection_as_postmans_service_answers_is_one(tmp_path: Path) -> None:
    text = json.dumps({"collection": json.loads(collection(request("a", f"{SERVER}/a")))})
    outcome = import_text(text, tmp_path, "collection.json")
    assert outcome.taken == ["a"] and reasons(outcome) == ""

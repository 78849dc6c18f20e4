"""Requests are read from the files that people have, and a file of another kind is named, with what to do instead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_descriptions import import_text, openapi, reasons, service_file
from steelyard.base.errors import ImportRefusedError

REQUESTS = """@host = 127.0.0.1:8080
@base = http://{{host}}/shop

### log in
POST {{base}}/login HTTP/1.1
Content-Type: application/json

{"user": "a"}

> {% client.global.set("token", response.body.token); %}

###
# who I am
GET {{base}}/me
    ?full=yes
Accept: application/json

### made anew
GET {{base}}/{{$guid}}
"""
FETCH = """fetch("http://127.0.0.1:8080/items", {
  "headers": {"accept": "application/json", "content-type": "application/json", "sec-fetch-mode": "cors"},
  "body": "{\\"size\\":1}", "method": "POST", "mode": "cors"
}); ;
fetch("http://127.0.0.1:8080/items/1", {"method": "GET"});
fetch("http://127.0.0.1:8080/other", {method: "GET"});
"""


def test_the_blocks_of_a_http_file_are_requests(tmp_path: Path) -> None:
    outcome = import_text(REQUESTS, tmp_path, "shop.http")
    assert outcome.taken == ["log-in", "get-shop-me"]
    operations = service_file(tmp_path)["operations"]
    assert (operations["log-in"]["method"], operations["log-in"]["path"]) == ("POST", "/shop/login")
    assert operations["get-shop-me"]["path"] == "/shop/me?full=yes"
    assert json.loads((tmp_path / "mine" / "samples" / "log-in.json").read_text()) == {"user": "a"}
    assert "scripts are not run" in reasons(outcome) and "nothing fills {{$guid}}" in reasons(outcome)


def test_calls_of_fetch_are_requests(tmp_path: Path) -> None:
    outcome = import_text(FETCH, tmp_path, "copied.txt")
    assert outcome.taken == ["post-items", "get-items-1"]
    operation = service_file(tmp_path)["operations"]["post-items"]
    assert operation["headers"] == {"accept": "application/json", "content-type": "application/json"}
    assert json.loads((tmp_path / "mine" / "samples" / "post-items.json").read_text()) == {"size": 1}
    assert "line 6: its address or options are not JSON" in reasons(outcome)


def test_wsdl_2_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match=r"is WSDL 2\.0, which is not supported") as refused:
        import_text('<description xmlns="http://www.w3.org/ns/wsdl"/>', tmp_path, "orders.wsdl")
    assert "WSDL 1.1" in refused.value.hint


def test_a_path_parameter_that_nothing_describes_is_a_text_and_is_named(tmp_path: Path) -> None:
    described = "parameters: [{name: Shop, in: path, required: true, schema: {type: integer, minimum: 7}}], "
    answer = "responses: {'200': {description: fine}}"
    paths = f"  /shops/{{shop}}/a/{{id}}:\n    get: {{operationId: a, {described}{answer}}}\n"
    outcome = import_text(openapi(paths), tmp_path, "orders.yaml")
    assert outcome.taken == ["a"] and not outcome.left_out
    assert service_file(tmp_path)["operations"]["a"]["path"] == "/shops/text/a/text"
    notes = " ".join(outcome.notes)
    assert "shop of GET /shops/{shop}/a/{id}, id of GET /shops/{shop}/a/{id}" in notes
    assert "were left out: Shop of GET /shops/{shop}/a/{id}" in notes

"""A Postman collection becomes a session: its folders in order, variables, values of answers, bodies; scripts are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from imported_sessions import Imported, guide_shop, load_folder
from steelyard.base.errors import ImportRefusedError
from steelyard.workload.importing.other_tools.postman_scripts import read_script

V21 = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
LOGIN_TEST = """
// keep the token
pm.test("it is there", function () {
    pm.response.to.have.status(201);
    const data = pm.response.json();
    pm.expect(data.token).to.exist;
    pm.environment.set("token", data.token);
    pm.collectionVariables.set("cart-id", pm.response.json().carts[0]["id"]);
});
console.log("http://done;");
tv4.validate(data, schema);
"""


def request(name: str, url: object, method: str = "GET", test: str = "", **more: Any) -> dict[str, Any]:
    """An item of a collection."""
    events = [{"listen": "test", "script": {"exec": test.splitlines()}}] if test else []
    return {"name": name, "event": events, "request": {"method": method, "url": url, **more}}


def collection(*items: object, schema: str = V21, **more: Any) -> str:
    """A collection of these items."""
    return json.dumps({"info": {"name": "The shop", "schema": schema}, "item": items, **more})


SHOP = collection(
    {
        "name": "Log in",
        "item": [
            request(
                "log in",
                {"raw": "{{base}}/login"},
                "POST",
                LOGIN_TEST,
                body={
                    "mode": "raw",
                    "raw": '{"user": "{{user}}", "password": "secret-of-body"}',
                    "options": {"raw": {"language": "json"}},
                },
            )
        ],
    },
    {
        "name": "Buy",
        "item": [
            request(
                "see cart",
                {"raw": "{{base}}/carts/:cart?of={{user}}#top", "variable": [{"key": "cart", "value": "{{cart-id}}"}]},
            ),
            request(
                "add",
                "{{base}}/items",
                "POST",
                header=[{"key": "X-Trace", "value": "{{$guid}}"}, {"key": "X-Off", "value": "1", "disabled": True}],
                body={
                    "mode": "urlencoded",
                    "urlencoded": [{"key": "item", "value": "a book"}, {"key": "cart", "value": "{{cart-id}}"}],
                },
            ),
            request(
                "attach",
                "{{base}}/notes",
                "PUT",
                body={"mode": "formdata", "formdata": [{"key": "text", "value": "for {{user}}", "type": "text"}]},
            ),
            request(
                "upload",
                "{{base}}/files",
                "POST",
                body={"mode": "formdata", "formdata": [{"key": "f", "type": "file", "src": "a"}]},
            ),
        ],
    },
    variable=[
        {"key": "base", "value": "http://127.0.0.1:8080/api"},
        {"key": "user", "value": "ann"},
        {"key": "token", "value": ""},
    ],
    auth={"type": "bearer", "bearer": [{"key": "token", "value": "{{token}}", "type": "string"}]},
)


def test_the_folders_of_a_collection_are_one_session_in_order(tmp_path: Path) -> None:
    shop = Imported(SHOP, tmp_path, "shop.json")
    assert [(one.session, one.steps) for one in shop.outcome.sessions] == [
        ("The-shop", ["log-in", "see-cart", "add", "attach"])
    ]
    steps = shop.steps("The-shop")
    assert steps["log-in"]["captures"] == {
        "token": {"kind": "json", "path": ["token"]},
        "cart_id": {"kind": "json", "path": ["carts", 0, "id"]},
    }
    shop.fill("secret_password")
    login, cart, add, attach = shop.sent("The-shop")
    assert login.bodies == [b'{"user": "ann", "password": "{{secret_password:json}}"}']
    assert login.expect.status == [201] and login.expect.jsonpath == ['$["token"]']
    assert login.headers == {"Content-Type": "application/json"}
    assert (cart.path, cart.headers) == ("/api/carts/{{cart_id}}?of=ann", {"Authorization": "Bearer {{token}}"})
    assert add.bodies == [b"item=a+book&cart={{cart_id:url}}"] and add.headers["X-Trace"] == "{{uuid}}"
    assert cart.expect.status == [200, 201, 202, 203, 204, 205, 206]
    boundary = attach.headers["Content-Type"].partition("boundary=")[2]
    assert attach.method == "PUT" and attach.bodies[0].startswith(f"--{boundary}".encode())
    assert b'name="text"' in attach.bodies[0] and b"for ann" in attach.bodies[0]


def test_the_summary_names_scripts_files_and_headers_that_are_left_out(tmp_path: Path) -> None:
    shop = Imported(SHOP, tmp_path, "shop.json")
    assert "1 statement in the test script of request 'log in': scripts are not run" in shop.left
    assert "tv4.validate(data, schema)" in shop.left and "console" not in shop.left
    assert "request 'upload': its form sends files" in shop.left
    assert "the authorization of request 'log in': {{token}} is in the answer of a later request" in shop.left
    assert "to fill: [data.secret_password]" in shop.notes
    assert all(b"secret-of" not in file.read_bytes() for file in shop.folder.rglob("*") if file.is_file())


def test_version_2_0_and_credentials_are_read(tmp_path: Path) -> None:
    old = collection(
        request(
            "a",
            "http://127.0.0.1:8080/a",
            header="Accept: text/plain\nX-B: 1",
            auth={"type": "basic", "basic": {"username": "ann", "password": "secret-of-auth"}},
        ),
        request(
            "b",
            {
                "protocol": "http",
                "host": ["127", "0", "0", "1"],
                "port": "8080",
                "path": ["b", "c"],
                "query": [{"key": "q", "value": "1"}],
            },
            auth={"type": "noauth"},
        ),
        request("c", "http://127.0.0.1:8080/c", auth={"type": "awsv4", "awsv4": {}}),
        schema=V21.replace("v2.1", "v2.0"),
    )
    made = Imported(old, tmp_path, "old.json")
    assert made.file["secrets"] == {"auth_password": "env:MINE_PASSWORD"}
    first, second, _ = made.sent("The-shop")
    basic = {"Authorization": "Basic {{base64('ann:',auth_password)}}"}
    assert first.headers == {"Accept": "text/plain", "X-B": "1", **basic} and second.path == "/b/c?q=1"
    assert "Authorization" not in second.headers, "it has no credentials of its own"
    assert "the authorization of request 'c': `[auth]` does not support awsv4" in made.left


def test_a_server_of_an_environment_is_named_by_target(tmp_path: Path) -> None:
    text = collection(request("a", "{{host}}/a"), request("b", "{{host}}/b/{{unknown}}"))
    with pytest.raises(ImportRefusedError, match=r"nothing says which server \{\{host\}\} is"):
        Imported(text, tmp_path, "c.json")
    made = Imported(text, tmp_path, "c.json", target="http://127.0.0.1:9")
    assert "to fill: [data.unknown]" in made.notes
    made.fill("unknown", "x")
    assert [step.path for step in made.sent("The-shop")] == ["/a", "/b/{{unknown}}"]


@pytest.mark.parametrize(
    ("script", "capture"),
    [
        ('pm.environment.set("x", pm.response.json().a.b)', {"kind": "json", "path": ["a", "b"]}),
        (
            'var d = JSON.parse(responseBody); postman.setEnvironmentVariable("x", d["a"][0].b);',
            {"kind": "json", "path": ["a", 0, "b"]},
        ),
        ("let t = pm.response.json().t; pm.globals.set('x', String(t));", {"kind": "json", "path": ["t"]}),
        ('pm.collectionVariables.set("x", pm.response.headers.get("X-T"));', {"kind": "header", "name": "X-T"}),
        ('pm.environment.set("x", pm.cookies.get("sid"));', {"kind": "cookie", "name": "sid"}),
        (
            'pm.environment.set("x", pm.response.text().match(/id="(\\d+)"/)[1]);',
            {"kind": "regex", "expression": 'id="(\\d+)"'},
        ),
        (
            'if (pm.response.code === 200) { pm.environment.set("x", pm.response.json().a) }',
            {"kind": "json", "path": ["a"]},
        ),
    ],
)
def test_simple_scripts_are_captures(script: str, capture: dict[str, object]) -> None:
    assert {name: taken.capture for name, taken in read_script(script).captures.items()} == {"x": capture}


@pytest.mark.parametrize(
    "script",
    [
        'pm.environment.set("x", pm.response.json().a + 1);',
        'pm.environment.set("x", pm.response.json().items.find(i => i.ok).id);',
        'pm.environment.set("x", CryptoJS.MD5("a"));',
        "postman.setNextRequest('a');",
        'pm.environment.set("x", pm.response.json()[name]);',
    ],
)
def test_other_scripts_are_left(script: str) -> None:
    meaning = read_script(script)
    assert meaning.left and not meaning.captures and not meaning.literals


@pytest.mark.parametrize(
    ("script", "rules"),
    [
        ('pm.test("a", () => pm.response.to.have.status(204));', {"status": [204]}),
        ("pm.expect(pm.response.code).to.be.oneOf([200, 201]);", {"status": [200, 201]}),
        ('tests["ok"] = responseCode.code === 200;', {"status": [200]}),
        ("pm.test('b', function(){ pm.expect(pm.response.text()).to.include('done'); });", {"contains": "done"}),
        ('pm.expect(pm.response.json().a).to.have.property("b")', {"jsonpath": ['$["a"]["b"]']}),
    ],
)
def test_simple_checks_are_rules(script: str, rules: dict[str, object]) -> None:
    meaning = read_script(script)
    assert meaning.expect == rules and meaning.left == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"info": {"schema": "' + V21 + '"}, "item": 7}', "no list of items"),
        ('{"info": {"schema": "' + V21 + '"}, "item": [', "not well-formed JSON"),
        (collection(7, request("a", 7)), "no request of"),
    ],
)
def test_a_broken_collection_is_refused(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match=why):
        Imported(text, tmp_path, "broken.json")


def test_a_collection_for_the_guides_shop_breaks_no_rule_of_it(tmp_path: Path) -> None:
    token = 'pm.environment.set("token", pm.response.json().token);'
    form = 'const cart = pm.response.json();\npm.collectionVariables.set("form", cart.form);'
    raw = {"mode": "raw", "raw": '{"user": "user1", "password": "of-mine"}'}
    fields = [{"key": "form", "value": "{{form}}"}, {"key": "item", "value": "book of user1"}]
    text = collection(
        request("log in", "{{shop}}/login", "POST", token, body=raw, auth={"type": "noauth"}),
        request("cart", "{{shop}}/cart", test=form),
        request("add", "{{shop}}/items", "POST", body={"mode": "urlencoded", "urlencoded": fields}),
        request("order", "{{shop}}/orders", "POST"),
        auth={"type": "bearer", "bearer": [{"key": "token", "value": "{{token}}"}]},
    )
    with guide_shop() as (address, counts):
        shop = Imported(text, tmp_path, "shop.json", target=address)
        shop.fill("secret_password", "password of user1")
        outcome = load_folder(tmp_path, "./mine", "--users", "1", "--for", "1s", "--writes")
    (session,) = outcome["sessions"]
    assert counts["violations"] == 0 and 2 < session["completed"] <= counts["orders"] and outcome["failed"] == 0


def test_variables_that_multiply_end_soon(tmp_path: Path) -> None:
    grown = [{"key": f"v{number}", "value": f"{{{{v{number + 1}}}}}" * 10} for number in range(20)]
    made = Imported(
        collection(
            request("a", "http://127.0.0.1:8080/a"), request("b", "http://127.0.0.1:8080/{{v0}}"), variable=grown
        ),
        tmp_path,
        "grown.json",
    )
    assert "request 'b': its variables refer to each other endlessly" in made.left and made.outcome.taken == ["a"]


def test_a_script_of_many_parentheses_is_read_soon() -> None:
    assert read_script("a" + ")" * 90_000).left


def test_a_variable_with_the_name_of_a_place_of_the_engine_is_to_be_filled(tmp_path: Path) -> None:
    made = Imported(collection(request("a", "http://127.0.0.1:8080/{{time}}")), tmp_path, "shop.json")
    assert "to fill: [data.v_time] in service.toml" in made.notes

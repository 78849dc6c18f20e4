"""The guide's commands are valid, and its import and load have the described results."""

from __future__ import annotations

import json
import shlex
import shutil
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from answering import Reply, answering
from command import Ran, steelyard
from steelyard.base import paths

GUIDE = (paths.root() / "docs" / "guides" / "weigh-your-own.md").read_text()
LINES = [line.strip() for line in GUIDE.splitlines() if line.startswith("    steelyard ")]


def command(part: str) -> str:
    """The one command of the guide with these words in it."""
    (line,) = (line for line in LINES if part in line)
    return line


IMPORT, OPENAPI, RECORD = command("import 'http"), command("openapi.json"), command(" record ")
WSDL = Path(__file__).parent / "wsdl" / "ports.wsdl"
ANSWER = (
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
    '<AddResponse xmlns="urn:example:ports"><sum>2</sum></AddResponse></s:Body></s:Envelope>'
)


DESCRIBED = {
    "openapi": "3.1.0",
    "info": {"title": "Orders"},
    "paths": {
        "/orders/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 7}}],
            "get": {
                "operationId": "read",
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}}
                },
            },
        }
    },
    "components": {
        "schemas": {"Order": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}}
    },
}


class Calculator:
    """Answers its WSDL, sums, and orders; counts what it was asked."""

    def __init__(self) -> None:
        self.posts: list[tuple[str, bytes]] = []
        self.order = b'{"id": 8}'

    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> Reply:
        if request.command == "POST":
            self.posts.append((str(request.headers.get("Authorization")), body))
            return 200, {}, b'{"id": 7}' if request.path == "/orders" else ANSWER.encode()
        if request.path in ("/openapi.json", "/orders/7"):
            return 200, {}, self.order if request.path == "/orders/7" else json.dumps(DESCRIBED).encode()
        place = f"http://127.0.0.1:{request.server.server_address[1]}"
        return 200, {}, WSDL.read_text().replace("http://127.0.0.1:8080", place).encode()


@pytest.fixture
def calculator() -> Calculator:
    return Calculator()


@pytest.fixture
def url(calculator: Calculator) -> Iterator[str]:
    with answering(calculator.answer) as address:
        yield address


def run(words: str, folder: Path, **environment: str) -> Ran:
    return steelyard(*shlex.split(words)[1:], folder=folder, environment=environment)


def test_the_guide_imports_and_loads(calculator: Calculator, url: str, tmp_path: Path) -> None:
    users, ramp, rate, alone = (command(part) for part in ("--users 4 --for 10s", "ramp", "--poisson", "load http"))
    ran = run(IMPORT.replace("http://127.0.0.1:8080", url) + " --port Soap11", tmp_path)
    assert ran.code == 0, ran.err
    for loading in (
        users.replace("10s", "1s"),
        ramp.replace("1..40 --over 5m", "1..2 --over 1s"),
        rate.replace("200/s", "9/s").replace("1m", "1s"),
    ):
        ran = run(f"{loading} --json --out runs", tmp_path)
        assert ran.out, ran.err
        found = json.loads(ran.out)
        assert found["failed"] == 0 and found["completed"] > 0, found
        assert found["completed"] + found["outside"] == found["sent"] == len(calculator.posts)
        calculator.posts.clear()
    (tmp_path / "order.json").write_text('{"part": 1}')
    ran = run(alone.replace("http://127.0.0.1:8080", url) + " --max-requests 5 --users 1 --json", tmp_path)
    assert ran.code == 0 and json.loads(ran.out)["completed"] == 5, ran.err
    assert {body for _, body in calculator.posts} == {b'{"part": 1}'}


def test_the_guide_imports_an_openapi_document_whose_wrong_answers_are_refused(
    calculator: Calculator, url: str, tmp_path: Path
) -> None:
    ran = run(OPENAPI.replace("http://127.0.0.1:8080", url), tmp_path)
    assert ran.code == 0 and "1 operation of" in ran.out, ran.err
    loading = "steelyard load orders --users 1 --max-requests 3 --json"
    ran = run(loading, tmp_path)
    assert ran.code == 0, ran.err
    outcome = json.loads(ran.out)
    assert outcome["failed"] == 0 and outcome["completed"] == 3 and outcome["kept_rules"] == ["schema"]
    calculator.order = b'{"id": "8"}'
    ran = run(loading, tmp_path)
    assert ran.code != 0 and "breaks the schema: '8' is not of type 'integer' at $.id" in ran.err


def test_the_guide_records_what_is_asked_and_says_where_that_was_nothing(tmp_path: Path) -> None:
    ran = run(f"{RECORD.replace('--port 8081', '--port 0')} --for 10ms", tmp_path)
    assert "forwards to http://127.0.0.1:8080" in ran.out and ran.code == 1, ran.err
    assert "no request to http://127.0.0.1:8080 was recorded" in ran.err and not (tmp_path / "shop").exists()


def test_the_guide_compares_two_that_run(calculator: Calculator, url: str, tmp_path: Path) -> None:
    assert run(IMPORT.replace("http://127.0.0.1:8080", url) + " --port Soap11", tmp_path).code == 0
    shutil.copytree(tmp_path / "shop", tmp_path / "shop-next")
    comparing = command("./shop ./shop-next")
    calculator.posts.clear()
    short = "--budget 1s --pairs 4 --slice-seconds 0.5 --warm-up 0.2 --users 1 --out runs --json"
    ran = run(f"{comparing.replace('--budget 5m', short)}", tmp_path)
    assert ran.out, ran.err
    outcome = json.loads(ran.out)
    assert sum(side["sent"] for side in outcome["subjects"]) == len(calculator.posts)
    assert all(side["failed"] == 0 and side["completed"] > 0 for side in outcome["subjects"]), outcome
    assert outcome["word"] is None


def test_the_guide_adds_a_war(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "shop.war", "w") as archive:
        archive.writestr("WEB-INF/classes/shop/Orders.class", b"")
    shutil.copyfile(WSDL, tmp_path / "shop.wsdl")
    (tmp_path / "own").mkdir()
    ran = run(f"{command('--name mine')} --port Soap11", tmp_path, STEELYARD_PATH=str(tmp_path / "own"))
    assert ran.code == 0, ran.err
    assert (tmp_path / "own" / "services" / "mine" / "contract" / "exchanges").is_dir()
    assert command("compare tomcat-metro wildfly --service mine") and "tomcat-metro, " in ran.out


def test_secrets_reach_the_target_and_no_stored_file(calculator: Calculator, url: str, tmp_path: Path) -> None:
    words = f"steelyard load {url}/orders --body x --max-requests 3 --users 1 --out runs --auth basic --user me --secret env:TOKEN"
    ran = run(f"{words} --secret-header 'X-Key: env:TOKEN'", tmp_path, TOKEN="very-hidden")
    assert ran.code == 0, ran.err
    assert {who for who, _ in calculator.posts} == {"Basic bWU6dmVyeS1oaWRkZW4="}
    stored = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(stored) > 5
    assert [
        path for path in stored if b"very-hidden" in path.read_bytes() or b"bWU6dmVyeS1oaWRkZW4" in path.read_bytes()
    ] == []
    missing = run(words.replace("env:TOKEN", "env:NOT_THERE"), tmp_path)
    assert missing.code != 0 and "NOT_THERE" in missing.err


def test_another_machine_is_loaded_only_where_its_user_declared_it(tmp_path: Path) -> None:
    ran = run("steelyard load http://192.0.2.1/x --for 1s", tmp_path)
    assert ran.code != 0 and "is not this machine" in ran.err
    assert run(f"steelyard import {WSDL} --out mine --port Elsewhere", tmp_path).code == 0
    ran = run("steelyard load mine --for 1s", tmp_path)
    assert ran.code != 0 and "lacks owned = true, contact, max_rate" in ran.err
    assert not (tmp_path / "runs").exists(), "nothing was sent, nothing was stored"

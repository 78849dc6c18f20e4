"""HTTP digest authentication: the choice of a challenge, its answer, and no secret in stored files."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from command import steelyard
from steelyard.base.errors import ConfigurationError, TargetError
from steelyard.measure.load.auth import with_auth
from steelyard.models.service import Auth, Expect
from steelyard.workload.digest import challenge_of
from steelyard.workload.load_target import of_url

MD5 = 'Digest realm="a \\"b\\", c", qop="auth, auth-int", algorithm=MD5, nonce="n1", opaque="o=1"'
SHA = 'Digest realm="r", qop="auth", algorithm=SHA-256, nonce="n2"'


def test_the_strongest_challenge_that_can_be_answered_is_taken() -> None:
    one = challenge_of([f'Basic realm="r", {MD5}'])
    assert (one.realm, one.nonce, one.algorithm, one.opaque) == ('a "b", c', "n1", "MD5", "o=1")
    assert challenge_of([MD5, SHA]).nonce == challenge_of([f"{SHA}, {MD5}"]).nonce == "n2"
    assert challenge_of(['Digest realm="r", nonce="n", qop=auth']).algorithm == "MD5"


@pytest.mark.parametrize(
    ("field", "named"),
    [
        ('Basic realm="r"', "scheme Basic"),
        ("Negotiate", "scheme Negotiate"),
        (SHA.replace("SHA-256", "SHA-512-256"), "algorithm SHA-512-256"),
        (SHA.replace("SHA-256", "MD5-sess"), "algorithm MD5-sess"),
        (SHA.replace('"auth"', '"auth-int"'), "qop auth-int"),
        (SHA.replace('qop="auth", ', ""), "no qop"),
        (SHA.replace('nonce="n2"', 'nonce=""'), "without realm or nonce"),
        (SHA.replace("n2", "{{password}}"), "unprintable characters"),
    ],
)
def test_what_cannot_be_answered_is_refused_by_name(field: str, named: str) -> None:
    with pytest.raises(TargetError, match=named):
        challenge_of([field])


def test_the_hashes_are_those_of_the_standards_own_example() -> None:
    """RFC 7616, 3.9.1: the engine's part is done here by hand."""
    nonce, client = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    field = f'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm={{}}, nonce="{nonce}", opaque="FQ"'
    answers = {
        "MD5": "8ca523f5e9506fed4657c9700eebdbec",
        "SHA-256": "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
    }
    for algorithm, answer in answers.items():
        challenge = challenge_of([field.format(algorithm)])
        request = challenge.values([("GET", "/dir/index.html")])["digest_request_0"]
        text = f"{challenge.key('Mufasa', 'Circle of Life')}:00000001:{client}:auth:{request}"
        assert hashlib.new(algorithm.replace("-", ""), text.encode()).hexdigest() == answer


def test_the_engine_fills_the_answer_and_no_secret_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSWORD", "hidden")
    auth = Auth(kind="digest", user='m"e', secret="env:PASSWORD")
    asked = replace(of_url("http://127.0.0.1/x?y", None, b"", {}, Expect()), auth=auth)
    told, credentials = with_auth(asked, {})
    line = told.operations["request"].headers["Authorization"]
    assert told.operations["request"].filled and line.startswith('Digest username="m\\"e", {{digest_challenge}}')
    assert 'uri="/x?y"' in line and 'response="{{digest_answer_0}}"' in line
    assert "hidden" not in repr(told) + repr(credentials)
    with pytest.raises(ConfigurationError, match="ASCII"):
        with_auth(replace(asked, auth=auth.model_copy(update={"user": "mé"})), {})
    filled = replace(asked, operations={"a": replace(asked.operations["request"], path="/{{counter}}")})
    with pytest.raises(ConfigurationError, match="covers the path"):
        with_auth(filled, {})


class Strict(BaseHTTPRequestHandler):
    """Answers who knows the password and counts each nonce's uses one by one; `algorithm` is that of its server."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        server: StrictServer = self.server  # type: ignore[assignment]
        line = self.headers["Authorization"] or ""
        said = {name: quoted or plain for name, quoted, plain in re.findall(r'(\w+)=(?:"([^"]*)"|([^\s,]+))', line)}
        known = line.startswith("Digest ") and server.knows(said, self.command, self.path)
        self.send_response(200 if known else 401)
        if not known:
            self.send_header("WWW-Authenticate", server.challenge())
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        return


class StrictServer(ThreadingHTTPServer):
    """One user, `me`, with the password `open sesame` in the realm `shop`."""

    def __init__(self, algorithm: str) -> None:
        super().__init__(("127.0.0.1", 0), Strict)
        self.algorithm = algorithm
        self.used: dict[str, int] = {}
        self.lock = threading.Lock()

    def challenge(self) -> str:
        with self.lock:
            nonce = f"nonce+{len(self.used)}="
            self.used[nonce] = 0
        return f'Digest realm="shop", qop="auth", algorithm={self.algorithm}, nonce="{nonce}", opaque="as it is"'

    def knows(self, said: dict[str, str], method: str, path: str) -> bool:
        def hashed(*parts: str) -> str:
            return hashlib.new(self.algorithm.replace("-", ""), ":".join(parts).encode()).hexdigest()

        whole = [said.get(name, "") for name in ("nonce", "nc", "cnonce", "qop")]
        answer = hashed(hashed("me", "shop", "open sesame"), *whole, hashed(method, path))
        with self.lock:
            used = self.used.get(said.get("nonce", ""))
            if used is None or said.get("nc") != f"{used + 1:08x}":
                return False
            self.used[said["nonce"]] += 1
        expected = {
            "username": "me",
            "realm": "shop",
            "uri": path,
            "qop": "auth",
            "opaque": "as it is",
            "response": answer,
        }
        return bool(said["cnonce"]) and all(said.get(name) == value for name, value in expected.items())


@pytest.fixture(params=["MD5", "SHA-256"])
def strict(request: pytest.FixtureRequest) -> Iterator[StrictServer]:
    with StrictServer(request.param) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield serving
        serving.shutdown()


def test_every_request_of_a_load_is_answered_by_a_strict_server(strict: StrictServer, tmp_path: Path) -> None:
    words = [
        "load",
        f"http://127.0.0.1:{strict.server_port}/a/b?c=d",
        "--body",
        "{}",
        "--max-requests",
        "40",
        "--users",
        "4",
    ]
    who = ["--auth", "digest", "--user", "me", "--secret", "env:PASSWORD", "--json", "--out", "runs"]
    own = {"STEELYARD_AWAKE": "no", "PASSWORD": "open sesame"}
    ran = steelyard(*words, *who, folder=tmp_path, environment=own)
    assert ran.code == 0, ran.err
    outcome = json.loads(ran.out)
    assert (outcome["completed"], outcome["failed"]) == (40, 0), outcome
    # One nonce for the verification's request, and one for each of the load's four users, whose uses come in order.
    uses = list(strict.used.values())
    assert len(uses) == 5 and uses[0] == 1 and sum(uses) == 41, uses
    stored = b"".join(path.read_bytes() for path in (tmp_path / "runs").rglob("*") if path.is_file())
    assert b"sesame" not in stored and hashlib.md5(b"me:shop:open sesame").hexdigest().encode() not in stored
    wrong = steelyard(*words, *who, folder=tmp_path, environment={**own, "PASSWORD": "open barley"})
    assert wrong.code == 1 and " failed at " in wrong.err and "Traceback" not in wrong.err, wrong.err

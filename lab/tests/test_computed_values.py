"""Computed values of requests: a server that verifies every signature with Python's own hmac and hashlib, and wrong places."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import re
import shutil
import subprocess
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from command import steelyard
from steelyard.base import paths
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries
from steelyard.models.service import Expect
from steelyard.workload.load_target import LoadTarget, of_service
from steelyard.workload.places import FUNCTIONS, PARTS, PlaceError, computed_places, find_places, with_literals

KEY = 'k"\\&ey of the shop'
USERS = ("ann", 'b"ob\\', "z\u00f6e & co=?+%")
HEAD = """\
name = "signed"
title = "A shop that verifies signatures"
meaning = "json"
path = "/"
target = "{address}"

[secrets]
key = "env:SIGN_KEY"

[data.user]
kind = "csv"
file = "users.csv"
"""
SESSION = """
[sessions.pay]
data_each = "user"

[[sessions.pay.steps]]
name = "begin"
path = "/begin?user={{user}}"
captures.issued = { kind = "json", path = ["nonce"] }

[[sessions.pay.steps]]
name = "order"
method = "PUT"
path = "/orders/{{url(issued)}}?at={{timestamp(ms)}}&digest={{sha256(body)}}"
body = '''{"user": "{{user}}", "nonce": "{{issued}}", "quoted": "{{json(user)}}",
 "hash": "{{base64url(sha256(user, issued))}}"}'''

[sessions.pay.steps.headers]
Content-Type = "application/json"
X-Signature = '''{{base64(hmac_sha256(key, method, "\\n", path, "\\n", body))}}'''
Authorization = '''Bearer {{jwt_hs256(key, '{"sub":"', json(user), '","exp":', timestamp(s, 300), '}')}}'''
X-Id = "{{uuid()}}"
X-Count = "{{counter()}}"
"""
OPERATION = """
[operations.order]
meaning = "a signed order"
path = "/plain"
sample = "order.json"
headers = { X-Signature = "{{hmac_sha256(key, body)}}" }
"""


class Verifier:
    """Verifies requests, and counts them and what is wrong with them."""

    def __init__(self) -> None:
        self.random = random.Random(1)
        self.lock = threading.Lock()
        self.nonces: dict[str, str] = {}
        self.wrong: list[str] = []
        self.ids: list[str] = []
        self.counts: list[int] = []
        self.verified = 0

    def nonce_of(self, user: str) -> str:
        """A new nonce for a user, of any characters that a value may have."""
        letters = "aZ09 \"'\\/&=?#%+<>{}()-._~\u00e9\u20ac\U0001f600"
        self.nonces[user] = "".join(self.random.choice(letters) for _ in range(self.random.randint(1, 40)))
        return self.nonces[user]

    def require(self, words: str, found: object, expected: object) -> None:
        """Count what is not as expected."""
        if found != expected:
            self.wrong.append(f"{words}: {found!r} instead of {expected!r}")

    def verify_order(self, method: str, target: str, headers: Any, body: bytes) -> None:
        """Verify an order of the session."""
        content = json.loads(body)
        user, nonce = content["user"], content["nonce"]
        self.require("nonce", nonce, self.nonces.get(user))
        self.require("path", unquote(urlsplit(target).path), f"/orders/{nonce}")
        query = parse_qs(urlsplit(target).query)
        self.require("digest", query["digest"], [hashlib.sha256(body).hexdigest()])
        self.require("at", abs(int(query["at"][0]) / 1000 - time.time()) < 60, True)
        of_user = base64.urlsafe_b64encode(hashlib.sha256((user + nonce).encode()).digest()).rstrip(b"=")
        self.require("hash", content["hash"], of_user.decode())
        self.require("quoted", content["quoted"], json.dumps(user, ensure_ascii=False)[1:-1])
        signed = f"{method}\n{target}\n".encode() + body
        signature = base64.b64encode(hmac.new(KEY.encode(), signed, hashlib.sha256).digest()).decode()
        self.require("signature", headers["X-Signature"], signature)
        self.verify_token(headers["Authorization"].removeprefix("Bearer "), user)
        self.require("version", uuid.UUID(headers["X-Id"]).version, 4)
        self.ids.append(headers["X-Id"])
        self.counts.append(int(headers["X-Count"]))

    def verify_token(self, token: str, user: str) -> None:
        """Verify a token of RFC 7519."""
        head, claims, signature = token.split(".")
        made = hmac.new(KEY.encode(), f"{head}.{claims}".encode(), hashlib.sha256).digest()
        self.require("token", signature, base64.urlsafe_b64encode(made).rstrip(b"=").decode())
        decoded = [json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))) for part in (head, claims)]
        self.require("head of the token", decoded[0], {"alg": "HS256", "typ": "JWT"})
        self.require("subject", decoded[1]["sub"], user)
        self.require("expiry", abs(decoded[1]["exp"] - time.time() - 300) < 60, True)

    def answer(self, method: str, target: str, headers: Any, body: bytes) -> dict[str, object]:
        """The answer to a request."""
        path = urlsplit(target)
        with self.lock:
            if path.path == "/begin":
                return {"nonce": self.nonce_of(parse_qs(path.query)["user"][0])}
            if path.path == "/plain":
                made = hmac.new(KEY.encode(), body, hashlib.sha256).hexdigest()
                self.require("signature", headers["X-Signature"], made)
                content = json.loads(body)
                self.require("hash", content["hash"], hashlib.sha256(content["user"].encode()).hexdigest())
            else:
                self.verify_order(method, target, headers, body)
            self.verified += 1
            return {"order": self.verified}


@contextmanager
def verifying_server() -> Iterator[tuple[str, Verifier]]:
    """The address of a server, and what it verifies."""
    verifier = Verifier()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def respond(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            try:
                answer = verifier.answer(self.command, self.path, self.headers, body)
            except (KeyError, ValueError) as error:
                verifier.wrong.append(f"{self.path} {body!r}: {error!r}")
                answer = {}
            text = json.dumps(answer).encode()
            self.send_response(200 if answer else 400)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = respond  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            """Write no line per request."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", verifier
    finally:
        server.shutdown()
        server.server_close()


def service_folder(folder: Path, address: str, more: str) -> Path:
    """A folder with users, a sample and this file."""
    made = folder / "signed"
    made.mkdir()
    rows = [f'"{user.replace(chr(34), chr(34) * 2)}"' for user in USERS]
    (made / "users.csv").write_text("\n".join(["user", *rows]) + "\n", encoding="utf-8")
    (made / "order.json").write_text('{"user": "{{user}}", "hash": "{{sha256(user)}}"}')
    (made / "service.toml").write_text(HEAD.replace("{address}", address) + more)
    return made


def load(folder: Path, made: Path, *words: str) -> dict[str, Any]:
    """What a load of the folder came to."""
    environment = {"STEELYARD_STRANGERS": "yes", "STEELYARD_AWAKE": "no", "SIGN_KEY": KEY}
    whole = ("load", str(made), "--for", "1s", "--warm-up", "100ms", "--json", "--out", "runs", *words)
    return steelyard(*whole, folder=folder, environment=environment).outcome


def target(folder: Path, more: str) -> LoadTarget:
    """The load that the file describes."""
    return of_service(entries.service_at(str(service_folder(folder, "http://127.0.0.1:9", more))), 1, Expect())


def test_a_server_that_verifies_signatures_tokens_and_hashes_finds_all_of_them_right(tmp_path: Path) -> None:
    with verifying_server() as (address, verifier):
        outcome = load(tmp_path, service_folder(tmp_path, address, SESSION), "--users", "3")
    assert verifier.wrong == []
    (session,) = outcome["sessions"]
    assert outcome["failed"] == 0 and session["cut"] == 0
    assert verifier.verified == session["completed"] + session["completed_outside"] + 1 > len(USERS)
    assert len({*verifier.ids}) == verifier.verified
    stored = [file for file in (tmp_path / outcome["run"]).rglob("*") if file.is_file()]
    assert not [file for file in stored if KEY.encode() in file.read_bytes()], "the key stays"


def test_plain_operations_have_computed_values_over_their_data(tmp_path: Path) -> None:
    with verifying_server() as (address, verifier):
        outcome = load(tmp_path, service_folder(tmp_path, address, OPERATION), "--users", "2")
    assert verifier.wrong == []
    assert outcome["failed"] == 0 and verifier.verified > len(USERS)


def rsa_key(folder: Path) -> tuple[Path, int]:
    """A private key of RSA in a file, and its modulus; its public exponent is 65537."""
    file = folder / "key.pem"
    subprocess.run(["openssl", "genrsa", "-out", str(file), "2048"], capture_output=True, check=True)
    modulus = ["openssl", "rsa", "-in", str(file), "-noout", "-modulus"]
    said = subprocess.run(modulus, capture_output=True, text=True, check=True).stdout
    return file, int(said.strip().removeprefix("Modulus="), 16)


def signed_by(token: str, modulus: int) -> bool:
    """Whether a token's signature is that of RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017, 8.2.2)."""
    signed, _, signature = token.rpartition(".")
    decoded = base64.urlsafe_b64decode(signature + "=" * (-len(signature) % 4))
    size = (modulus.bit_length() + 7) // 8
    of_hash = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(signed.encode()).digest()
    padded = b"\x00\x01" + b"\xff" * (size - len(of_hash) - 3) + b"\x00" + of_hash
    return pow(int.from_bytes(decoded, "big"), 65537, modulus).to_bytes(size, "big") == padded


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_a_token_is_signed_with_a_private_key_of_rsa_from_a_file(tmp_path: Path) -> None:
    file, modulus = rsa_key(tmp_path)
    header = """headers = { X-Signature = '''{{jwt_rs256(key, '{"sub":"', json("ann"), '"}')}}''' }\n"""
    signed = OPERATION.partition("headers")[0] + header
    with verifying_server() as (address, verifier):
        made = service_folder(tmp_path, address, signed)
        text = (made / "service.toml").read_text().replace('"env:SIGN_KEY"', f'"file:{file}"')
        (made / "service.toml").write_text(text)
        load(tmp_path, made, "--users", "2")
        tokens = {word.split("'")[1] for word in verifier.wrong}
        assert tokens and all(signed_by(token, modulus) for token in tokens)
        claims = next(iter(tokens)).split(".")[1]
        assert json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4))) == {"sub": "ann"}
        environment = {"STEELYARD_STRANGERS": "yes", "SIGN_KEY": "no key"}
        (made / "service.toml").write_text(text.replace(f'"file:{file}"', '"env:SIGN_KEY"'))
        ran = steelyard("load", str(made), "--for", "1s", "--out", "runs", folder=tmp_path, environment=environment)
        assert ran.code == 1 and "`key` is not a private RSA key" in ran.err, ran.err
        (made / "service.toml").write_text(text.replace("X-Signature", 'X-Key = "{{key}}", X-Signature'))
        ran = steelyard("load", str(made), "--for", "1s", "--out", "runs", folder=tmp_path, environment=environment)
        assert ran.code != 0 and "sends the secret key, which has several lines" in ran.err, ran.err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{{uuid()}}", "{{guid()}}", r"there is no function 'guid'; did you mean 'uuid'\?; the functions are base64,"),
        ("{{sha256(body)}}", "{{sha256(path)}}", "a path cannot use path"),
        ("{{json(user)}}", "{{json(body)}}", "a body cannot use body"),
        ("{{uuid()}}", "{{uuid(user)}}", "uuid takes 0 arguments, and has 1"),
        ("{{counter()}}", "{{counter()", "ends with }}"),
        ("{{timestamp(ms)}}", "{{timestamp(us)}}", "timestamp takes ms, s or iso"),
        (
            "hmac_sha256(key, ",
            "hmac_sha256(kye, ",
            "nothing fills the placeholder {{kye}} of step order; did you mean 'key'",
        ),
    ],
)
def test_what_is_wrong_in_a_computed_value_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    changed = SESSION.replace(old, new)
    with pytest.raises(ConfigurationError, match=message.replace("{", r"\{").replace("}", r"\}")) as raised:
        target(tmp_path, changed)
    line = int(raised.value.message.partition(", line ")[2].partition(":")[0])
    shown = new.rstrip(", ").partition("(")[0] if "kye" not in new else "kye"
    assert shown in (tmp_path / "signed" / "service.toml").read_text().splitlines()[line - 1]


def test_a_wrong_function_of_an_operation_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="order has a wrong place: there is no function 'hmac_sha1'"):
        target(tmp_path, OPERATION.replace("hmac_sha256", "hmac_sha1"))


def test_computed_values_end_with_their_brackets_and_have_the_coding_of_their_body(tmp_path: Path) -> None:
    made = target(tmp_path, SESSION)
    (body,) = made.operations["pay.order"].bodies
    assert b'"{{user:json}}"' in body and b'"{{base64url(sha256(user, issued)):json}}"' in body
    assert made.operations["pay.order"].path.endswith("?at={{timestamp(ms):url}}&digest={{sha256(body):url}}")
    assert made.secrets == {"key": "env:SIGN_KEY"}
    places = find_places("{{a}}{{hex('}}')}}{{json(b, \"it's\"):url}}")
    assert [(place.value, place.coding, place.names) for place in places] == [
        ("a", "", ["a"]),
        ("hex('}}')", "", []),
        ('json(b, "it\'s")', "url", ["b"]),
    ]


def test_a_place_in_a_text_of_other_braces_is_found_and_its_names_become_literals() -> None:
    text = "{{ x }} {{sha256(user, key, user)}} {{"
    (place,) = computed_places(text)
    assert place.names == ["user", "key", "user"]
    literal = with_literals(text, place, {"user": "it's \\ a\tb"})
    assert literal == r"{{sha256('it\'s \\ a\tb', key, 'it\'s \\ a\tb')}}"
    assert find_places(literal)[0].names == ["key"]
    with pytest.raises(PlaceError):
        find_places(text)


def test_the_lab_and_the_engine_know_the_same_functions_with_as_many_arguments() -> None:
    text = (paths.root() / "engine" / "src" / "session" / "computed.rs").read_text()
    listed = re.findall(r'^    \("(\w+)", Function::\w+, (\d+), (\w+)\),$', text, re.M)
    most = {"MOST_ARGUMENTS": 32}
    assert {name: (int(least), most.get(last) or int(last)) for name, least, last in listed} == FUNCTIONS


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_the_request_is_used_only_where_it_is_known(part: str) -> None:
    known = {"method": ("body", "path", "header", "cookie"), "path": ("header",), "body": ("path", "header")}
    for spot in ("body", "path", "header", "cookie"):
        text = f"{{{{hmac_sha256(key, hex({part}))}}}}"
        if spot in known[part]:
            assert find_places(text, spot)[0].parts == {part}  # type: ignore[arg-type]
        else:
            with pytest.raises(PlaceError, match=f"a {spot} cannot use {part}"):
                find_places(text, spot)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["body", "auth_secret", "uuid", "user"])
def test_a_secret_has_a_name_of_its_own(tmp_path: Path, name: str) -> None:
    made = service_folder(tmp_path, "http://127.0.0.1:9", OPERATION)
    file = made / "service.toml"
    file.write_text(file.read_text().replace('key = "env:SIGN_KEY"', f'{name} = "env:SIGN_KEY"'))
    with pytest.raises(ConfigurationError, match=f"the secret {name} has the name of other values"):
        entries.service_at(str(made))

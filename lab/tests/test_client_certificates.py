"""A server that requires a client certificate gets the one of the service's file, and refuses clients without it."""

from __future__ import annotations

import json
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from answering import Reply, answering
from command import Ran, steelyard

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl makes certificates here")


def openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def certificate(folder: Path, name: str, signer: str | None = None) -> None:
    """NAME.pem and NAME.key: a certificate for this machine, signed by another or by itself."""
    subject = ["-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"]
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key"]
    kind = ["-addext", f"basicConstraints=critical,CA:{'TRUE' if signer is None else 'FALSE'}"]
    by = [] if signer is None else ["-CA", f"{signer}.pem", "-CAkey", f"{signer}.key"]
    openssl(folder, "req", "-x509", *key, *subject, *kind, *by, "-days", "2", "-out", f"{name}.pem")


def asker(request: BaseHTTPRequestHandler, _: bytes) -> Reply:
    """Tells who asks, by the certificate's name."""
    shown = request.connection.getpeercert() or {}  # type: ignore[attr-defined]
    (((_, name),),) = shown["subject"]
    return 200, {}, json.dumps({"who": name}).encode()


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the certificates of an authority, a server, a client, and of a stranger."""
    folder = tmp_path_factory.mktemp("keys")
    certificate(folder, "authority")
    certificate(folder, "server", "authority")
    certificate(folder, "buyer", "authority")
    certificate(folder, "stranger")
    return folder


@pytest.fixture
def target(keys: Path) -> Iterator[str]:
    secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    secure.load_cert_chain(keys / "server.pem", keys / "server.key")
    secure.load_verify_locations(keys / "authority.pem")
    secure.verify_mode = ssl.CERT_REQUIRED
    with answering(asker, secure) as address:
        yield address


def load(folder: Path, keys: Path, target: str, tls: str) -> Ran:
    """Load a service of the user's own that shows what `tls` says."""
    made = folder / "shop"
    shutil.copytree(keys, made)
    (made / "order.json").write_text("{}")
    (made / "service.toml").write_text(
        f'name = "shop"\ntitle = "Shop"\nmeaning = "json"\npath = "/"\ntarget = "{target}"\n[tls]\nca = "authority.pem"\n{tls}\n'
        '[operations.order]\nmeaning = "an order"\nsample = "order.json"\nexpect = { jsonpath = ["$.who"], contains = "buyer" }\n'
    )
    words = ("load", "./shop", "--max-requests", "20", "--users", "2", "--json", "--out", "runs")
    return steelyard(*words, folder=folder)


def test_who_shows_its_certificate_is_answered_by_its_name(keys: Path, target: str, tmp_path: Path) -> None:
    ran = load(tmp_path, keys, target, 'certificate = "buyer.pem"\nkey = "buyer.key"')
    assert ran.code == 0, ran.err
    outcome = json.loads(ran.out)
    assert (outcome["completed"], outcome["failed"]) == (20, 0), outcome
    stored = b"".join(path.read_bytes() for path in (tmp_path / "runs").rglob("*") if path.is_file())
    assert b"PRIVATE KEY" not in stored


@pytest.mark.parametrize(
    "tls", ["", 'certificate = "stranger.pem"\nkey = "stranger.key"'], ids=["nobody", "a stranger"]
)
def test_nobody_else_is_answered(tls: str, keys: Path, target: str, tmp_path: Path) -> None:
    ran = load(tmp_path, keys, target, tls)
    assert ran.code == 1 and "verification of order failed" in ran.err, ran.err

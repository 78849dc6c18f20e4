"""TLS as clients choose it: a client certificate of the service's file or of --cert, --ca, --insecure, and names by --resolve."""

from __future__ import annotations

import json
import shutil
import ssl
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from answering import Reply, answering
from command import Ran, steelyard

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl makes certificates here")


def openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def certificate(folder: Path, name: str, signer: str | None = None, of: str = "IP:127.0.0.1") -> None:
    """NAME.pem and NAME.key: a certificate for this machine, or for `of`, signed by another or by itself."""
    subject = ["-subj", f"/CN={name}", "-addext", f"subjectAltName={of}"]
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
    certificate(folder, "named", "authority", "DNS:shop.test")
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


@contextmanager
def secure_shop(
    keys: Path, name: str = "server", *, clients: bool = False, newest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3
) -> Iterator[tuple[str, Counter[str]]]:
    """The address of a TLS server with this certificate, and what it counts: requests, connections, and names by SNI. With
    `clients` it requires their certificates; `newest` is the newest version of TLS that it speaks."""
    counts: Counter[str] = Counter()
    ports: set[int] = set()
    secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    secure.load_cert_chain(keys / f"{name}.pem", keys / f"{name}.key")
    secure.maximum_version = newest
    secure.sni_callback = lambda _, asked, __: counts.update([f"SNI {asked}"])
    if clients:
        secure.load_verify_locations(keys / "authority.pem")
        secure.verify_mode = ssl.CERT_REQUIRED

    def answer(request: BaseHTTPRequestHandler, _: bytes) -> Reply:
        ports.add(request.client_address[1])
        counts.update(["requests", f"Host {request.headers['Host'].partition(':')[0]}"])
        counts["connections"] = len(ports)
        return 200, {}, b"ok"

    with answering(answer, secure) as address:
        yield address, counts


def load_url(folder: Path, url: str, *words: str) -> Ran:
    return steelyard(
        "load", url, *words, "--max-requests", "20", "--users", "2", "--json", "--out", "runs", folder=folder
    )


def test_a_certificate_is_accepted_by_its_authority_or_by_leave_and_else_refused_by_name(
    keys: Path, tmp_path: Path
) -> None:
    with secure_shop(keys) as (address, _):
        for words in (["--ca", str(keys / "authority.pem")], ["--insecure"]):
            outcome = load_url(tmp_path, address, *words).outcome
            assert (outcome["completed"], outcome["failed"]) == (20, 0)
        for words in ([], ["--ca", str(keys / "stranger.pem")]):
            ran = load_url(tmp_path, address, *words)
            assert ran.code == 1 and "the server's certificate is from an unknown authority" in ran.err, ran.err


def test_a_clients_certificate_is_shown_by_its_options(keys: Path, tmp_path: Path) -> None:
    authority = ("--ca", str(keys / "authority.pem"))
    shown = [*authority, "--cert", str(keys / "buyer.pem"), "--key", str(keys / "buyer.key")]
    strange = [*authority, "--cert", str(keys / "stranger.pem"), "--key", str(keys / "stranger.key")]
    with secure_shop(keys, clients=True) as (address, counts):
        outcome = load_url(tmp_path, address, *shown).outcome
        assert (outcome["completed"], counts["requests"]) == (20, 21)
        for words, cause in (
            (list(authority), "the server asks for a client certificate"),
            (strange, "the server refuses the client certificate"),
        ):
            ran = load_url(tmp_path, address, *words)
            assert ran.code == 1 and cause in ran.err, ran.err
        assert counts["requests"] == 21


def test_a_failed_handshake_with_a_server_of_tls_1_2_leads_to_the_options_that_show_a_certificate(
    keys: Path, tmp_path: Path
) -> None:
    with secure_shop(keys, clients=True, newest=ssl.TLSVersion.TLSv1_2) as (address, counts):
        ran = load_url(tmp_path, address, "--insecure")
        assert ran.code == 1 and "the TLS handshake failed" in ran.err, ran.err
        assert "--cert with --key" in ran.err and "edit its sample" not in ran.err
        shown = ("--cert", str(keys / "buyer.pem"), "--key", str(keys / "buyer.key"))
        outcome = load_url(tmp_path, address, "--insecure", *shown).outcome
    assert (outcome["completed"], counts["requests"]) == (20, 21)


def test_each_request_has_a_connection_of_its_own_over_tls_too(keys: Path, tmp_path: Path) -> None:
    with secure_shop(keys) as (address, counts):
        outcome = load_url(tmp_path, address, "--insecure", "--new-connection").outcome
        each = counts.copy()
        load_url(tmp_path, address, "--insecure")
    assert (outcome["sent"], each["requests"], each["connections"]) == (21, 21, 21)
    assert counts["connections"] <= each["connections"] + 3, "one of the verification, and one of each user"


def test_a_given_address_leaves_host_sni_and_certificate_their_name(keys: Path, tmp_path: Path) -> None:
    with secure_shop(keys, "named") as (address, counts):
        port = address.rpartition(":")[2]
        words = ("--ca", str(keys / "authority.pem"))
        given = ("--resolve", f"shop.test:{port}:127.0.0.1")
        outcome = load_url(tmp_path, f"https://shop.test:{port}/", *words, *given).outcome
        ran = load_url(tmp_path, address, *words)
    assert outcome["completed"] == 20 and counts["Host shop.test"] == 21 == counts["requests"]
    assert counts["SNI shop.test"] >= 3
    assert ran.code == 1 and "the server's certificate is for another name" in ran.err, ran.err

"""WS-Security as a format: a protected message means the same as the plain exchange, and forgeries are refused."""

from __future__ import annotations

import base64
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from steelyard.base.errors import ContractError, ToolchainError
from steelyard.base.http_client import Answer
from steelyard.catalogue import entries
from steelyard.catalogue.formats import service_in_format
from steelyard.hosts import security_keys
from steelyard.models.service import PROTECTED
from steelyard.workload import exchanges, refusals
from steelyard.workload.body_formats import meaning_of
from steelyard.workload.body_formats.protected import Signed
from steelyard.workload.soap import messages
from steelyard.workload.soap.security import names, opening, securing, tampering
from steelyard.workload.soap.security.opening import Expected
from steelyard.workload.soap.security.securing import Protection

OWN = entries.service("wstest")
WRITTEN = dict(exchanges.contract_exchanges(OWN))
THREE = WRITTEN["echoStruct/three"]


@pytest.fixture(scope="module", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEELYARD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def meaning(form: str) -> Signed:
    made = meaning_of(service_in_format(OWN, {"format": form}))
    assert isinstance(made, Signed)
    return made


def as_answered(form: str, envelope: str) -> bytes:
    """What a server would make of its answer."""
    keys, kind = security_keys.machine_keys(), meaning(form)
    by_server = Protection(keys.server if kind.signs else None, keys.client if kind.encrypts else None)
    return securing.secure(envelope.encode(), by_server)


def said(form: str, answer: bytes) -> str:
    return meaning(form).difference(answer, THREE.answer, "echoStruct") or ""


def test_keys_are_made_once_and_are_their_users_alone() -> None:
    place = security_keys.folder()
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    assert before.keys() == {"client.p12", "server.p12", "stranger.p12", "trust.p12"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()} == {0o600}
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert {path.name: path.read_bytes() for path in security_keys.folder().iterdir()} == before
    keys = security_keys.machine_keys()
    assert len({keys.client.public_key.public_numbers().n, keys.server.public_key.public_numbers().n}) == 2


def test_without_the_library_it_is_said_how_to_get_it() -> None:
    script = (
        "import sys; sys.modules['cryptography'] = None\n"
        "from steelyard.base.errors import ToolchainError\n"
        "from steelyard.workload import body_formats\n"
        "try: from steelyard.hosts import security_keys\n"
        "except ToolchainError as error: print(error.hint)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "install Steelyard with it: steelyard[security]\n"
    assert issubclass(ToolchainError, Exception)


@pytest.mark.parametrize("form", PROTECTED)
def test_every_spelling_means_the_same_when_it_is_protected(form: str) -> None:
    for exchange in (THREE, WRITTEN["echoStruct/markup-in-strings"], WRITTEN["echoSynthetic/all-bytes"]):
        spellings = list(meaning(form).spellings(exchange))
        assert len({spelling.body for spelling in spellings}) >= 9
        first, *others = (meaning(form).request_value(spelling.body) for spelling in spellings)
        assert all(value == first for value in others)


@pytest.mark.parametrize("form", PROTECTED)
def test_an_answer_means_what_the_exchange_means_once_it_is_opened(form: str) -> None:
    for name in (
        "echoVoid/void",
        "echoList/edge-values",
        "echoStruct/three",
        "echoSynthetic/all-bytes",
        "getOrder/order-1",
    ):
        exchange = WRITTEN[name]
        answer = as_answered(form, exchange.answer)
        assert meaning(form).difference(answer, exchange.answer, exchange.operation) is None, name
    wrong = meaning(form).difference(as_answered(form, WRITTEN["echoStruct/one"].answer), THREE.answer, "echoStruct")
    assert wrong is not None and "items" in wrong


@pytest.mark.parametrize("form", PROTECTED)
def test_an_answer_that_is_not_protected_is_wrong(form: str) -> None:
    assert "not protected" in said(form, THREE.answer.encode())
    fault = THREE.answer.replace("echoStructResponse", "soap:Fault").encode()
    assert said(form, fault).startswith("a SOAP fault came")


@pytest.mark.parametrize("form", PROTECTED)
def test_each_bad_request_is_refused_by_our_own_reader_too(form: str) -> None:
    asked = {bad.name: bad for bad in refusals.bad_requests(service_in_format(OWN, {"format": form}), OWN.file)}
    ours = {"unprotected"}
    if meaning(form).signs:
        ours |= {"signed-by-a-stranger", "signature-broken", "body-changed", "signed-body-in-header"}
        ours |= {"signed-body-behind", "not-signed"}
    if meaning(form).encrypts:
        ours |= {"encrypted-for-a-stranger", "key-broken", "cipher-broken", "not-encrypted"}
    assert ours <= asked.keys()
    for name in ours:
        with pytest.raises(ContractError):
            meaning(form).request_value(asked[name].body)


def test_a_signature_that_is_wrapped_is_not_taken_for_the_bodys() -> None:
    signed, other = as_answered("signed", WRITTEN["echoStruct/one"].answer), THREE.answer.encode()
    assert "is not the element that is signed" in said("signed", tampering.body_wrapped(signed, other))
    assert "must have one header and one body" in said(
        "signed", tampering.body_followed(signed, other, lambda body: body)
    )
    unnamed = f'<soap:Body xmlns:wsu="{names.WSU}">'.encode()
    named = tampering.body_wrapped(signed, other).replace(unnamed, unnamed[:-1] + b' wsu:Id="body">')
    assert "two elements have the id" in said("signed", named)
    before, _, rest = signed.partition(b"<soap:Body")
    twice = before + b"<soap:Body>" + other.split(b"Body>")[1] + b"Body><soap:Body" + rest
    assert "must have one header and one body" in said("signed", twice)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (names.RSA_SHA_256, f"{names.DSIG}rsa-sha1", "the signature uses"),
        (names.RSA_SHA_256, f"{names.DSIG}hmac-sha1", "the signature uses"),
        (f'DigestMethod Algorithm="{names.SHA_256}"', f'DigestMethod Algorithm="{names.DSIG}sha1"', "signature"),
        (f'Transform Algorithm="{names.EXCLUSIVE_C14N}"', 'Transform Algorithm="http://x/xslt"', "signature"),
        ('URI="#body"', 'URI=""', "signature"),
        ("</ds:SignedInfo>", "</ds:SignedInfo><ds:SignedInfo/>", "has 2 elements SignedInfo"),
        ('wsu:Id="body"', 'wsu:Id="nobody"', "not exactly one element"),
    ],
)
def test_one_way_to_be_signed_is_read_and_no_other(old: str, new: str, why: str) -> None:
    answer = as_answered("signed", THREE.answer)
    changed = answer.replace(old.encode(), new.encode(), 1)
    assert changed != answer and why in said("signed", changed)


def test_a_certificate_that_goes_along_must_be_the_signers() -> None:
    keys = security_keys.machine_keys()
    theirs = securing.secure(THREE.answer.encode(), Protection(keys.client))
    pattern = re.compile(rb"(#X509v3\">)([^<]+)")
    token = pattern.search(theirs)
    assert token is not None
    mixed = pattern.sub(lambda found: found.group(1) + token.group(2), as_answered("signed", THREE.answer))
    assert "certificate in the message" in said("signed", mixed)
    assert "not made with the known key" in said("signed", theirs)


def encrypted_content(content: str) -> bytes:
    """An answer of which somebody who knows the client's certificate encrypted this as the body's content."""
    pieces = securing.split_envelope(THREE.answer.encode())
    assert pieces is not None
    key, sealed = securing.sealed_content(
        content.replace("{right}", pieces.content), security_keys.machine_keys().client
    )
    return replace(pieces, content=sealed).with_token(key).envelope()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{right}</soap:Body><soap:Body>{right}", "not XML"),
        ("{right}</soap:Body></soap:Envelope><soap:Envelope><soap:Body>", "not XML"),
        ('<!DOCTYPE a [<!ENTITY e "x">]>{right}', "not XML"),
        ("&e;", "not XML"),
        ("\0", "not XML"),
        ("<!-- nothing -->", "contains 0 elements"),
        ("{right}{right}", "contains 2 elements"),
    ],
)
def test_what_was_encrypted_can_neither_end_the_body_nor_declare_anything(content: str, why: str) -> None:
    assert said("encrypted", encrypted_content("{right}")) == ""
    assert why in said("encrypted", encrypted_content(content))


def test_openssl_reads_what_was_signed_and_encrypted(tmp_path: Path) -> None:
    """By its command, which knows nothing of ours but key, cipher and signature."""
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

    keys = security_keys.machine_keys()
    body = meaning("signed-encrypted").body(THREE.request)
    pem = keys.server.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = keys.client.public_key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    wrapped, cipher = (base64.b64decode(found) for found in re.findall(rb"CipherValue>([^<]+)<", body))
    for name, content in {
        "server.pem": pem,
        "client.pem": public,
        "wrapped": wrapped,
        "cipher": cipher[12:-16],
    }.items():
        (tmp_path / name).write_bytes(content)

    def openssl(*words: str) -> bytes:
        return subprocess.run(["openssl", *words], cwd=tmp_path, check=True, capture_output=True).stdout

    oaep = ["-pkeyopt", "rsa_padding_mode:oaep"]
    key = openssl("pkeyutl", "-decrypt", "-inkey", "server.pem", *oaep, "-in", "wrapped")
    # GCM is CTR, begun at 2, with a tag behind; its command knows no GCM.
    begin = cipher[:12].hex() + "00000002"
    plain = openssl("enc", "-d", "-aes-256-ctr", "-K", key.hex(), "-iv", begin, "-in", "cipher")
    assert b"echoStruct" in plain and plain.decode() in THREE.request
    info = re.search(rb"<ds:SignedInfo.*</ds:SignedInfo>", body)
    value = re.search(rb"SignatureValue>([^<]+)<", body)
    assert info is not None and value is not None
    (tmp_path / "info").write_bytes(info.group())
    (tmp_path / "value").write_bytes(base64.b64decode(value.group(1)))
    assert openssl("dgst", "-sha256", "-verify", "client.pem", "-signature", "value", "info") == b"Verified OK\n"


@pytest.mark.parametrize("form", PROTECTED)
def test_the_engine_sees_of_an_encrypted_answer_that_it_is_one_and_of_a_signed_one_its_marker(form: str) -> None:
    (exchange,) = exchanges.generate_exchanges(
        service_in_format(OWN, {"format": form}), "echoStruct", seed=1, count=1, parameters={}
    )
    rule = meaning(form).rule(exchange)
    assert rule.contains == ("CipherValue>" if meaning(form).encrypts else exchange.marker)
    assert rule.contains is not None and rule.contains.encode() in as_answered(form, exchange.answer)


def test_a_leak_would_be_seen_through_the_encryption() -> None:
    kind = meaning("signed-encrypted")
    echo = kind.echo(list(WRITTEN.items()))
    assert echo is not None and b"hush" not in echo.with_text("hush")
    request = opening.open_envelope(
        echo.with_text("hush"), Expected(security_keys.machine_keys().client, security_keys.machine_keys().server)
    )
    assert b"hush" in request
    assert b"hush" in kind.readable(as_answered("signed-encrypted", request.decode().partition("?>")[2]))
    assert kind.refusal_problem(Answer(200, as_answered("signed-encrypted", THREE.answer))) is not None


SLOW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@SLOW
@given(st.sampled_from(PROTECTED), st.data())
def test_a_damaged_answer_is_an_error_or_the_very_body_that_was_protected(form: str, data: st.DataObject) -> None:
    body = bytearray(as_answered(form, THREE.answer))
    for place in data.draw(st.lists(st.integers(0, len(body) - 1), min_size=1, max_size=4)):
        body[place] = data.draw(st.integers(0, 255))
    try:
        read = meaning(form).unprotect(bytes(body))
    except ContractError:
        return
    if meaning(form).signs:
        before, after = (messages.content(text) for text in (THREE.answer, read))
        assert securing.canonical(before) == securing.canonical(after)


@SLOW
@given(
    st.sampled_from(PROTECTED), st.binary(max_size=200), st.sampled_from([b"", b"<a/>", b"\xff\xfe", b"<soap:Body>"])
)
def test_no_answer_breaks_the_reader(form: str, content: bytes, before: bytes) -> None:
    for body in (before + content, as_answered(form, THREE.answer).replace(b"</soap:Body>", content + b"</soap:Body>")):
        assert isinstance(said(form, body), str)
        securing.secure(body, Protection(security_keys.machine_keys().client, security_keys.machine_keys().server))

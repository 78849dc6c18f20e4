"""What is asked through the recording proxy becomes a service folder: samples, answers that stayed the same, and no secret."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from answering import Reply, answering
from command import steelyard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_descriptions import reasons, service_file
from starlette.testclient import TestClient
from steelyard.base.errors import ImportRefusedError, TargetError
from steelyard.catalogue import entries
from steelyard.commands.record import recorded_target
from steelyard.models.job import Think
from steelyard.models.outputs.own_service import ImportOutput
from steelyard.models.service import Expect
from steelyard.workload.load_target import of_service
from steelyard.workload.mocking.known import mock_service
from steelyard.workload.mocking.stand_in import StandIn
from steelyard.workload.recording import proxy as proxy_module
from steelyard.workload.recording import recorded_server as server_module
from steelyard.workload.recording.corpus import write_corpus
from steelyard.workload.recording.proxy import RecordingProxy
from steelyard.workload.recording.recorded_server import PassedAnswer, PassedRequest, RecordedServer
from steelyard.workload.recording.remembering import Remembered

SOAP = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>BODY</s:Body></s:Envelope>'


class Tape:
    """A proxy that is asked without a port of its own, and what it writes."""

    def __init__(self, address: str, remembered: Remembered | None = None) -> None:
        self.asked = recorded_target(address)
        self.remembered = remembered or Remembered()
        server = RecordedServer(self.asked)
        self.client = TestClient(RecordingProxy(server, self.remembered, "http://testserver"), follow_redirects=False)

    def written(self, folder: Path) -> ImportOutput:
        return write_corpus(self.remembered, self.asked, folder / "mine")[0]


def shop(handler: BaseHTTPRequestHandler, body: bytes) -> Reply:
    """Orders as JSON, a SOAP service whose last message is answered differently each time, and a log-in."""
    if handler.path == "/soap":
        asked = body.decode().partition("<Body>")[2] or body.decode()
        name = asked.partition("s:Body>")[2].partition("<")[2].partition(">")[0].strip("/ ")
        text = f"{handler.server.served}" if name == "Now" else "same"  # type: ignore[attr-defined]
        handler.server.served += 1  # type: ignore[attr-defined]
        answer = SOAP.replace("BODY", f"<{name}Response>{text}</{name}Response>")
        return 200, {"Content-Type": "text/xml", "Set-Cookie": "sid=hush-set"}, answer.encode()
    if handler.path == "/login":
        return 200, {"Content-Type": "application/json"}, b'{"token": "hush-answered", "ok": true}'
    if handler.path.startswith("/orders/") and handler.command == "GET":
        return 404, {"Content-Type": "application/json"}, b'{"error": "none"}'
    return (
        200,
        {"Content-Type": "application/json"},
        json.dumps({"path": handler.path, "sent": body.decode("utf-8", "replace")}).encode(),
    )


@pytest.fixture
def shopping(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(ThreadingHTTPServer, "served", 0, raising=False)
    with answering(shop) as address:
        yield address


def test_messages_of_soap_are_told_apart_and_expected_again_where_they_stayed_the_same(
    shopping: str, tmp_path: Path
) -> None:
    tape = Tape(shopping)
    for element, times in (("Add", 2), ("Now", 2), ("Once", 1)):
        for _ in range(times):
            body = SOAP.replace("BODY", f"<{element}/>")
            answer = tape.client.post("/soap", content=body, headers={"SOAPAction": f'"urn:{element}"'})
            assert answer.status_code == 200 and f"{element}Response" in answer.text
    outcome = tape.written(tmp_path)
    assert outcome.taken == ["Add", "Now", "Once"]
    told = service_file(tmp_path)
    assert told["meaning"] == "soap" and told["target"] == shopping
    expects = {name: told["operations"][name]["expect"] for name in outcome.taken}
    size = len(SOAP.replace("BODY", "<AddResponse>same</AddResponse>"))
    assert expects["Add"] == {"status": [200], "contains": "AddResponse", "least": size, "most": size}
    assert expects["Now"] == {"status": [200], "contains": "NowResponse"}
    assert expects["Once"] == {"status": [200], "contains": "OnceResponse"}, "asked once, nobody knows"
    assert told["operations"]["Add"]["headers"]["soapaction"] == '"urn:Add"'
    assert "an answer to Now: it was not always the same" in reasons(outcome)
    assert "header Set-Cookie of 5 answers" in reasons(outcome)
    kept = tmp_path / "mine/contract/exchanges"
    assert [file.name for file in sorted(kept.rglob("*.xml"))].count("0001.answer.xml") == 2
    known = mock_service(entries.service_at(str(tmp_path / "mine")), 1)
    stand_in = TestClient(StandIn(known, Think(), 0.0, 1))
    assert stand_in.post("/soap", content=SOAP.replace("BODY", "<Add/>")).text.count("same") == 1


def test_no_secret_is_written_and_what_was_left_out_is_named(shopping: str, tmp_path: Path) -> None:
    tape = Tape(shopping)
    headers = {"Authorization": "Basic bWU6aHVzaC1iYXNpYw==", "Cookie": "sid=hush-cookie", "X-Api-Key": "hush-key"}
    asked = {"user": "me", "password": "hush-body"}
    tape.client.post("/login?token=hush-query", json=asked, headers=headers)
    tape.client.post("/soap", content=SOAP.replace("BODY", "<In><password>hush-xml</password></In>"), headers=headers)
    tape.client.put("/login", content="{}", headers=headers)
    for number in range(2):
        tape.client.post("/echo", content="a=hush-key", headers=headers)
        tape.client.post(f"/who/{number}", content="a=hush-basic" if number else "a=b", headers={"X-Token": "hush-own"})
    outcome = tape.written(tmp_path)
    written = [file.read_text() for file in (tmp_path / "mine").rglob("*") if file.is_file()]
    assert len(written) >= 5 and not [text for text in written if "hush" in text or "bWU6" in text]
    said = reasons(outcome) + "\n".join(outcome.notes)
    for word in (
        "header cookie",
        "header x-api-key",
        "put-login: it contains a secret",
        "POST /who/1: its address or body repeats",
        "header Set-Cookie",
        "an answer to post-login: its request contained",
    ):
        assert word in said, said
    assert set(service_file(tmp_path)["secrets"]) == {"auth_password"} and "hush" not in said
    assert "{{secret_password}}" in (tmp_path / "mine/samples/post-login.json").read_text()


def test_every_different_body_and_query_is_asked_again_by_a_load(shopping: str, tmp_path: Path) -> None:
    tape = Tape(shopping)
    for body in ('{"n": 1}', '{"n": 2}', '{"n": 1}'):
        tape.client.post("/orders", content=body, headers={"X-Request": f"{len(tape.remembered.exchanges)}"})
    for query in ("word=a+b&page=1", "word=%C3%A9,&page=1", "word=c&page=1"):
        tape.client.get(f"/find?{query}")
    for _ in range(2):
        tape.client.get("/one", headers={"User-Agent": "a browser", "If-None-Match": "x", "Accept": "*/*"})
    tape.client.get("/orders/7")
    outcome = tape.written(tmp_path)
    asked = of_service(entries.service_at(str(tmp_path / "mine")), 1, Expect())
    orders, find, same = (asked.operations[name] for name in ("post-orders", "get-find", "get-one"))
    assert list(orders.bodies) == [b'{"n": 1}', b'{"n": 2}'] and orders.changes_data
    assert list(find.paths) == [f"/find?word={word}&page=1" for word in ("a%20b", "%C3%A9%2C", "c")]
    assert "header x-request of post-orders: its value varies between requests" in reasons(outcome)
    assert {name.lower() for name in same.headers} & {"user-agent", "if-none-match", "accept"} == {"accept"}
    assert same.expect.answer is not None
    assert json.loads(Path(same.expect.answer).read_text()) == {"path": "/one", "sent": ""}
    assert orders.expect.answer is None and asked.operations["get-orders-7"].expect.status == [404]
    assert any("--mix post-orders=3" in note for note in outcome.notes)
    assert not [
        each for each in outcome.left_out if "content-length" in each.what.lower() or "host" in each.what.lower()
    ]


def test_what_is_too_large_hostile_or_beyond_the_bounds_is_refused_or_only_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hostile(handler: BaseHTTPRequestHandler, body: bytes) -> Reply:
        if handler.path == "/endless":
            return 200, {}, b"x" * 5_000
        if handler.path == "/garbage":
            handler.wfile.write(b"no HTTP at all\r\n\r\n")
            handler.close_connection = True
        return 200, {"Transfer-Encoding": "identity"}, b"ok" + body

    monkeypatch.setattr(proxy_module, "MOST_BYTES", 4_000)
    monkeypatch.setattr(server_module, "MOST_BYTES", 4_000)
    with answering(hostile) as address:
        tape = Tape(address, Remembered(most_requests=2))
        assert tape.client.post("/big", content=b"x" * 4_001).status_code == 413
        assert tape.client.get("/endless").status_code == 502
        assert tape.client.get("/garbage").status_code == 502
        for number in range(4):
            assert tape.client.get(f"/plain/{number}").text == "ok"
        binary = tape.client.post("/plain", content=b"\xff\x00")
        assert binary.content == b"ok\xff\x00"
    assert tape.client.get("/gone").status_code == 502, "the server is no longer there"
    outcome = tape.written(tmp_path)
    assert outcome.taken == ["get-plain-0", "get-plain-1"]
    said = reasons(outcome)
    assert (
        "3 requests: the limit of recorded requests was reached" in said
        and "the server did not answer: the answer is" in said
    )


def test_what_no_sample_can_hold_is_named_and_the_rest_is_taken_over(shopping: str, tmp_path: Path) -> None:
    tape = Tape(shopping)
    for body, kind in ((b"\xff", "a/b"), (b"<a>", "text/xml"), (b"--x", "multipart/form-data"), (b"fine", "a/b")):
        assert tape.client.put("/orders", content=body, headers={"Content-Type": kind}).status_code == 200
    tape.client.get("/shop?wsdl")
    outcome = tape.written(tmp_path)
    assert outcome.taken == ["put-orders"] and (tmp_path / "mine/samples/put-orders.txt").read_text() == "fine"
    for reason in ("not UTF-8 text", "not well-formed XML", "multipart", "`steelyard import` makes"):
        assert reason in reasons(outcome)


def test_a_redirection_and_a_description_lead_to_the_proxy_and_a_host_is_told_its_own_name(tmp_path: Path) -> None:
    def redirecting(handler: BaseHTTPRequestHandler, _: bytes) -> Reply:
        own = f"http://{handler.headers['Host']}"
        if handler.path.endswith("?wsdl"):
            return 200, {"Content-Type": "text/xml"}, f'<address location="{own}/soap"/>'.encode()
        return 302, {"Location": f"{own}/next"}, b""

    with answering(redirecting) as address:
        tape = Tape(address)
        assert tape.client.get("/first").headers["location"] == "http://testserver/next"
        assert tape.client.get("/soap?wsdl").text == '<address location="http://testserver/soap"/>'
        assert tape.client.get("/other").headers["location"] == "http://testserver/next"
        tape.written(tmp_path)
    assert service_file(tmp_path)["operations"]["get-first"]["expect"]["status"] == [302]


def test_another_machine_is_asked_only_where_a_service_file_declares_it_and_no_faster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TargetError, match="is not this machine"):
        RecordedServer(recorded_target("http://192.0.2.1:8080"))
    (tmp_path / "a.txt").write_text("x")
    text = 'name = "far"\ntitle = "far"\nmeaning = "bytes"\npath = "/"\ntarget = "http://192.0.2.1"\nDECLARED'
    text += '[operations.a]\nmeaning = "a"\nsample = "a.txt"\n'
    (tmp_path / "service.toml").write_text(text.replace("DECLARED", "owned = true\n"))
    with pytest.raises(TargetError, match="lacks contact, max_rate"):
        RecordedServer(recorded_target(str(tmp_path)))
    declared = 'owned = true\ncontact = "me@example.org"\nmax_rate = 0.001\n'
    (tmp_path / "service.toml").write_text(text.replace("DECLARED", declared))
    server = RecordedServer(recorded_target(str(tmp_path)))
    monkeypatch.setattr(server, "answer", lambda *_: PassedAnswer(200, [], b"far"))
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b""}

    async def send(_: object) -> None:
        return

    async def ask_thrice() -> None:
        monkeypatch.setattr(proxy_module.asyncio, "sleep", sleep)
        app = RecordingProxy(server, remembered, "http://here")
        for number in range(3):
            scope = {
                "type": "http",
                "method": "GET",
                "raw_path": f"/{number}".encode(),
                "query_string": b"",
                "headers": [],
            }
            await app(scope, receive, send)

    remembered = Remembered()
    asyncio.run(ask_thrice())
    assert remembered.passed == 3 and waited[0] == 0 and 0 < waited[1] <= 1000 < waited[2] <= 2000
    write_corpus(remembered, recorded_target(str(tmp_path)), tmp_path / "mine")
    assert service_file(tmp_path)["owned"] is True and service_file(tmp_path)["max_rate"] == 0.001


def test_nothing_recorded_makes_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match="was recorded"):
        Tape("http://127.0.0.1:9").written(tmp_path)
    assert not (tmp_path / "mine").exists()
    ran = steelyard("record", "--to", "http://127.0.0.1:9/path", folder=tmp_path)
    assert ran.code == 64 and "--to names a server" in ran.err
    (tmp_path / "recorded").mkdir()
    (tmp_path / "recorded" / "own.txt").write_text("mine")
    ran = steelyard("record", "--to", "http://127.0.0.1:9", folder=tmp_path)
    assert ran.code == 1 and "exists already" in ran.err


TEXTS = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(
        [b"<a/>", b"<a", b"{}", b'{"a":', b"[" * 3000, SOAP.encode(), b"<!DOCTYPE a><a/>", b"a=1&b", b"{{x}}", b""]
    ),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    passed=st.lists(
        st.tuples(
            st.sampled_from(["GET", "POST", "BREW", "get", "M-SEARCH"]),
            st.sampled_from(["/", "/a?b=1", "/a?b=2", "/a?b=%ff", "/%zz?=&=", "//x?wsdl", "/{{x}}", "/a b"]),
            st.sampled_from(["text/xml", "é", "", "application/json"]),
            TEXTS,
            TEXTS,
            st.sampled_from([200, 204, 304, 500, 999]),
        ),
        max_size=5,
    )
)
def test_whatever_passed_is_a_folder_that_can_be_read_or_is_refused_with_a_sentence(
    passed: list[tuple[str, str, str, bytes, bytes, int]], tmp_path: Path
) -> None:
    remembered = Remembered()
    for method, path, kind, body, answer, status in passed:
        head = [("content-type", kind)]
        remembered.add(PassedRequest(method, path, head, body), PassedAnswer(status, head, answer))
    shutil.rmtree(tmp_path / "mine", ignore_errors=True)
    try:
        write_corpus(remembered, recorded_target("http://127.0.0.1:9"), tmp_path / "mine")
    except ImportRefusedError:
        assert not (tmp_path / "mine").exists()
        return
    assert entries.service_at(str(tmp_path / "mine")).model.operations


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl makes certificates here")
def test_ctrl_c_ends_a_recording_over_tls_and_a_load_replays_it(shopping: str, tmp_path: Path) -> None:
    words = ["record", "--to", shopping, "--out", "mine", "--tls", "--json"]
    begun = subprocess.Popen(
        [sys.executable, "-m", "steelyard", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert begun.stderr is not None and begun.stdout is not None
        address = begun.stderr.readline().partition(" ")[0]
        certificate = begun.stderr.readline().rpartition("--cacert ")[2].strip(")\n")
        assert address.startswith("https://127.0.0.1:"), address
        context = ssl.create_default_context(cafile=certificate)
        for _ in range(2):
            with urllib.request.urlopen(f"{address}/orders", context=context) as answer:
                assert json.load(answer)["path"] == "/orders"
        begun.send_signal(signal.SIGINT)
        output = json.loads(begun.stdout.read())
        assert begun.wait() == 0
    finally:
        begun.kill()
        begun.communicate()
    assert not Path(certificate).exists()
    (operation,) = output["operations"]
    assert (output["passed"], operation["operation"], operation["same"]) == (2, "get-orders", True)
    ran = steelyard(
        *("load", "mine", "--users", "1", "--max-requests", "5", "--json"),
        folder=tmp_path,
    )
    assert ran.out, ran.err
    loaded = json.loads(ran.out)
    assert (loaded["valid"], loaded["failed"], loaded["completed"]) == (True, 0, 5), loaded["why_not"]
    assert loaded["kept_rules"], "the recorded answer is held against those of the load"

"""A stand-in serves clients like a service: concurrently, with its WSDL, by SOAP action; and a recording forwards events."""

from __future__ import annotations

import http.client
import re
import socket
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import uvicorn
from lxml import etree
from small_descriptions import SERVER, import_text, openapi, require_valid, schema_of, wsdl
from starlette.testclient import TestClient
from steelyard.base.loopback_server import listening_on
from steelyard.catalogue import entries
from steelyard.models.job import Think
from steelyard.models.service import Expect
from steelyard.workload import load_target
from steelyard.workload.mocking.known import MockedService, mock_service
from steelyard.workload.mocking.stand_in import StandIn
from steelyard.workload.recording.proxy import RecordingProxy
from steelyard.workload.recording.recorded_server import RecordedServer
from steelyard.workload.recording.remembering import Remembered
from stood_in import serving

TYPES = '<xs:element name="Key" type="xs:int"/><xs:element name="Cat" type="xs:string"/><xs:element name="Size" type="xs:int"/>'
ENVELOPE = (
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
    '<o:Key xmlns:o="urn:orders">1</o:Key></s:Body></s:Envelope>'
)


def two_alike() -> str:
    """A WSDL of two operations with the same request element and different answers."""
    text = wsdl(TYPES, name="getCat", request='element="o:Key"', answer='element="o:Cat"')
    message = '<w:message name="Result2"><w:part name="size" element="o:Size"/></w:message>'
    text = text.replace('<w:portType name="Orders">', f'{message}<w:portType name="Orders">')
    for begin, end in (
        ('<w:operation name="getCat"><w:input', "</w:operation>"),
        ('<w:operation name="getCat"><soap', "</w:operation>"),
    ):
        start = text.index(begin)
        stop = text.index(end, start) + len(end)
        second = text[start:stop].replace("getCat", "getSize").replace("o:Result", "o:Result2")
        text = text[:stop] + second + text[stop:]
    return text


def mocked(text: str, folder: Path, name: str) -> MockedService:
    import_text(text, folder, name)
    return mock_service(entries.service_at(str(folder / "mine")), 1)


def test_answers_over_one_connection_come_without_a_delay_of_forty_milliseconds(tmp_path: Path) -> None:
    with serving(mocked(wsdl(), tmp_path, "orders.wsdl")) as (address, _):
        service = entries.service_at(str(tmp_path / "mine"))
        operation = load_target.of_service(service, 1, Expect()).operations["getOrder"]
        connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=10)
        begun = time.perf_counter()
        for _ in range(50):
            connection.request("POST", operation.path, operation.bodies[0], dict(operation.headers))
            assert connection.getresponse().read()
        connection.close()
    assert time.perf_counter() - begun < 50 * 0.04


def test_a_listening_socket_names_its_protocol_so_that_connections_send_at_once() -> None:
    with listening_on(0) as (listening, _):
        assert listening.proto == socket.IPPROTO_TCP


def test_alike_requests_are_told_apart_by_their_action(tmp_path: Path) -> None:
    asking = TestClient(StandIn(mocked(two_alike(), tmp_path, "two.wsdl"), Think(), 0.0, 1))
    for name, tag in (("getCat", "Cat"), ("getSize", "Size"), ("getCat", "Cat")):
        headers = {"SOAPAction": f'"urn:orders/{name}"', "Content-Type": "text/xml"}
        answer = etree.fromstring(asking.post("/orders", content=ENVELOPE, headers=headers).content)
        element = answer.find("{http://schemas.xmlsoap.org/soap/envelope/}Body/*")
        assert element is not None and element.tag == f"{{urn:orders}}{tag}"
        require_valid(element, schema_of(TYPES))


def test_the_wsdl_is_served_with_the_stand_ins_address_and_with_its_parts(tmp_path: Path) -> None:
    (tmp_path / "types.xsd").write_text(schema_of(TYPES))
    part = schema_of('<xs:include schemaLocation="types.xsd"/>')
    text = wsdl(schema=part, request='element="o:Key"', answer='element="o:Cat"')
    asking = TestClient(StandIn(mocked(text, tmp_path, "parts.wsdl"), Think(), 0.0, 1), base_url="http://stand-in:81")
    root = etree.fromstring(asking.get("/orders?wsdl").content)
    address = root.find(".//{http://schemas.xmlsoap.org/wsdl/soap/}address")
    assert address is not None and address.get("location") == "http://stand-in:81/orders"
    include = root.find(".//{http://www.w3.org/2001/XMLSchema}include")
    assert include is not None
    schema = etree.fromstring(asking.get(f"/orders{include.get('schemaLocation')}").content)
    assert [element.get("name") for element in schema] == ["Key", "Cat", "Size"]
    assert SERVER.encode() not in asking.get("/orders?wsdl").content


def test_a_service_without_a_wsdl_answers_404_to_a_question_for_one(tmp_path: Path) -> None:
    text = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\nservers: [{url: 'http://127.0.0.1:8080'}]\npaths:\n"
    text += "  /a: {get: {operationId: a, responses: {'200': {description: fine}}}}\n"
    assert TestClient(StandIn(mocked(text, tmp_path, "a.yaml"), Think(), 0.0, 1)).get("/b?wsdl").status_code == 404


def test_a_document_of_250_operations_is_known_within_two_seconds_of_work(tmp_path: Path) -> None:
    parts = [
        f"    Part{number}: {{type: object, required: [id], properties: {{id: {{type: integer}}, name: {{type: string}}, "
        f"sizes: {{type: array, items: {{type: object, properties: {{size: {{type: number}}}}}}}}}}}}\n"
        for number in range(250)
    ]
    paths = [
        f"  /parts{number}: {{get: {{operationId: part{number}, responses: {{'200': {{description: fine, content: "
        f"{{application/json: {{schema: {{$ref: '#/components/schemas/Part{number}'}}}}}}}}}}}}}}\n"
        for number in range(250)
    ]
    text = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\nservers: [{url: 'http://127.0.0.1:8080'}]\ncomponents:\n  schemas:\n"
    import_text(text + "".join(parts) + "paths:\n" + "".join(paths), tmp_path, "many.yaml")
    begun = time.process_time()
    known = mock_service(entries.service_at(str(tmp_path / "mine")), 1)
    assert len(known.operations) == 250 and time.process_time() - begun < 2


def test_a_wsdl_of_250_operations_is_known_within_two_seconds_of_work(tmp_path: Path) -> None:
    text = wsdl(
        "".join(
            f'<xs:element name="Ask{number}"><xs:complexType><xs:sequence><xs:element name="id" type="xs:int"/>'
            f'<xs:element name="note" type="xs:string" maxOccurs="9"/></xs:sequence></xs:complexType></xs:element>'
            f'<xs:element name="Tell{number}" type="xs:string"/>'
            for number in range(250)
        ),
        name="ask0",
        request='element="o:Ask0"',
        answer='element="o:Tell0"',
    )
    parts = {
        '<w:message name="Query">': "</w:message>",
        '<w:message name="Result">': "</w:message>",
        '<w:operation name="ask0"><w:input': "</w:operation>",
        '<w:operation name="ask0"><soap': "</w:operation>",
    }
    for begin, end in parts.items():
        start = text.index(begin)
        stop = text.index(end, start) + len(end)
        first = text[start:stop].replace('"Query"', '"Query0"').replace('"Result"', '"Result0"')
        first = first.replace("o:Query", "o:Query0").replace("o:Result", "o:Result0")
        copies = (re.sub(r"((?:Ask|Tell|ask|Query|Result))0", rf"\g<1>{number}", first) for number in range(250))
        text = text[:start] + "".join(copies) + text[stop:]
    assert len(import_text(text, tmp_path, "many.wsdl").taken) == 250
    begun = time.process_time()
    known = mock_service(entries.service_at(str(tmp_path / "mine")), 1)
    assert len(known.operations) == 250 and time.process_time() - begun < 2


def test_a_path_with_other_values_than_the_sample_is_answered_by_its_template(tmp_path: Path) -> None:
    def see(name: str, *parameters: str) -> str:
        listed = ", ".join(
            f"{{name: {each}, in: path, required: true, schema: {{type: string}}}}" for each in parameters
        )
        return (
            f"    get: {{operationId: {name}, parameters: [{listed}], responses: {{'200': {{description: fine}}}}}}\n"
        )

    paths = (
        "  /orders/{id}:\n"
        + see("order", "id")
        + "  /orders/{id}/items/{item}:\n"
        + see("item", "id", "item")
        + "  /orders/latest:\n"
        + see("latest")
        + "  /{kind}/{id}:\n"
        + see("any", "kind", "id")
    )
    app = StandIn(mocked(openapi(paths), tmp_path, "a.yaml"), Think(), 0.0, 1)
    asking = TestClient(app)
    for path, name in (
        ("/orders/7", "order"),
        ("/orders/7?full=yes", "order"),
        ("/orders/a%2Fb", "order"),
        ("/orders/7/items/8", "item"),
        ("/orders/latest", "latest"),
        ("/carts/7", "any"),
    ):
        before = app.answered[name]
        assert asking.get(path).status_code == 200 and app.answered[name] == before + 1, path
    for path in ("/orders", "/orders/7/items", "/orders/7/items/8/9", "/orders//items/8"):
        assert asking.get(path).status_code == 404, path
    assert asking.post("/orders/7").status_code == 404


@pytest.mark.parametrize(
    ("kind", "body"),
    [("text/plain", "text"), ("application/xml", "<answer/>"), ("application/hal+json", "{}"), ("*/*", "{}")],
)
def test_an_answer_has_the_content_type_that_is_described(kind: str, body: str, tmp_path: Path) -> None:
    paths = f"  /a:\n    get: {{operationId: see, responses: {{'200': {{description: fine, content: {{'{kind}': {{}}}}}}}}}}\n"
    asking = TestClient(StandIn(mocked(openapi(paths), tmp_path, "a.yaml"), Think(), 0.0, 1))
    answer = asking.get("/a")
    assert answer.text == body and answer.headers["content-type"] == kind.replace("*/*", "application/json")


class Events(BaseHTTPRequestHandler):
    """Sends an event, waits until the client has it, and sends another."""

    protocol_version = "HTTP/1.1"
    taken = threading.Event()

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for text in (b"data: first\n\n", b"data: second\n\n"):
            self.wfile.write(f"{len(text):x}\r\n".encode() + text + b"\r\n")
            self.wfile.flush()
            if not self.taken.wait(20):
                return
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@contextmanager
def running(server: ThreadingHTTPServer | uvicorn.Server, *sockets: socket.socket):  # type: ignore[no-untyped-def]
    """A server in a thread, for as long as the block lasts."""
    is_events = isinstance(server, ThreadingHTTPServer)
    words = {} if is_events else {"sockets": list(sockets)}
    thread = threading.Thread(target=server.serve_forever if is_events else server.run, kwargs=words, daemon=True)
    thread.start()
    try:
        yield
    finally:
        if isinstance(server, ThreadingHTTPServer):
            server.shutdown()
            server.server_close()
        else:
            server.should_exit = True
        thread.join(10)


def test_an_event_passes_the_recording_proxy_before_the_server_sends_the_next() -> None:
    Events.taken.clear()
    source = ThreadingHTTPServer(("127.0.0.1", 0), Events)
    address = f"http://127.0.0.1:{source.server_port}"
    remembered = Remembered()
    server = RecordedServer(load_target.of_url(address, None, b"", {}, Expect()))
    with listening_on(0) as (listening, port), running(source):
        proxy = RecordingProxy(server, remembered, f"http://127.0.0.1:{port}")
        config = uvicorn.Config(proxy, log_level="warning", lifespan="off", http="h11")
        with running(uvicorn.Server(config), listening):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request("GET", "/events")
            answer = connection.getresponse()
            assert answer.getheader("content-type") == "text/event-stream"
            assert answer.read1() == b"data: first\n\n"
            Events.taken.set()
            assert answer.read() == b"data: second\n\n"
            connection.close()
            deadline = time.monotonic() + 10
            while not remembered.passed and time.monotonic() < deadline:
                time.sleep(0.01)
    assert [exchanged.answer.body for exchanged in remembered.exchanges] == [b"data: first\n\ndata: second\n\n"]

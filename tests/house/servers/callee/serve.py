"""The callees of soaservers in Python for the tests of Steelyard: each answers for all below it, by the graph.

    serve.py PORT SERVICE-FOLDER

PUT /mode sets what every callee does from then on: `right`, `depth` (its tokens are one too deep), `order` (they
come in another order), `less` (the last one is missing) or `fault`.
"""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.etree import ElementTree
from xml.sax.saxutils import escape

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
SPACE = "urn:steelyard:soaservers"

mode = "right"


def tokens(service, depth):
    """Service and depth of each token below a service; `left` and `right` stand outside the graph."""
    called = MESH.services[service].calls if service in MESH.services else ()
    return [(service, depth), *(token for callee in called for token in tokens(callee, depth + 1))]


def content(address, request):
    """The content of the SOAP body, and the status."""
    if mode == "fault":
        return "<s:Fault><faultcode>s:Server</faultcode><faultstring>not today</faultstring></s:Fault>", 500
    place = address.removeprefix("Callee")
    service = list(MESH.services)[int(place) - 1] if place.isdecimal() else address.lower()
    found = tokens(service, int(request.findtext(f"{{{SPACE}}}depth")) + (mode == "depth"))
    found = {"order": [*found[1:], found[0]], "less": found[:-1]}.get(mode, found)
    texts = [escape(one.text or "", {"\r": "&#13;"}) for one in request.iter(f"{{{SPACE}}}parameter")]
    carried = "".join(f"<parameter>{text}</parameter>" for text in texts)
    written = "".join(f"<token><service>{name}</service><depth>{at}</depth>{carried}</token>" for name, at in found)
    return f'<propagateResponse xmlns="{SPACE}">{written}</propagateResponse>', 200


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send(200, b"0", "text/plain")

    def do_PUT(self):
        global mode
        mode = self.body().decode()
        self.send(200, b"", "text/plain")

    def do_POST(self):
        ((request,),) = ElementTree.fromstring(self.body())[-1:]
        answer, status = content(self.path.rpartition("/")[2], request)
        envelope = f'<s:Envelope xmlns:s="{SOAP}"><s:Body>{answer}</s:Body></s:Envelope>'
        self.send(status, envelope.encode(), "text/xml; charset=utf-8")

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers["Content-Length"]))
        whole = b""
        while size := int(self.rfile.readline(), 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def send(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


port, folder = int(sys.argv[1]), sys.argv[2]
sys.path.insert(0, f"{folder}/contract")
import graph  # noqa: E402

MESH = graph.read(graph.chosen())
ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()

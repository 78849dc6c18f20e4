"""WSTest in Python for the tests of Steelyard: answers correctly, until its mode tells it otherwise.

    serve.py PORT MODE SERVICE-FOLDER

After AFTER requests: `wrong` answers with another text, `fault` with a SOAP fault, `die` exits with 3, `hang` never
answers, `uncounted` speaks another protocol where its count is asked for. `never-ready` listens on no port, `die-at-start`
ends at once, `port-taken` finds its port in use. `escape` starts, in a session of its own, a child
that ignores every polite signal. `everywhere` listens on all interfaces, `fixed-port` on one more port that is always the
same, `close` ends a connection after 100 requests, `impatient` one that was idle for 2 s, and `obliging` answers any request
with 200. `token` wants an Authorization. `full` answers 503 to whoever comes while 4 others are served. `leaky` puts in for an
external entity what it names, and `tireless` is busy for as long as it is asked. After as
many requests, one with Steelyard-Delay-Us is answered so long after it came, any number of them at once.
With Steelyard-Spend-Us, requests are answered one after the other, and each costs exactly so much processor time.
"""

import base64
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from lxml import etree

AFTER = 700  # more than the contract test asks
FIXED_PORT = 19_999
MOST_AT_ONCE = 4
MOST_IDLE_SECONDS = 2
MOST_BUSY_MICROSECONDS = 1_000_000
MOST_DELAY_MICROSECONDS = 10_000_000
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
SPACE = "urn:steelyard:wstest"

served = 0
under_way = 0
lock = threading.Lock()
due = None  # processor time of the process after the last request that is to spend some
spending = threading.Lock()


def spend(seconds):
    """One request after the other: use the processor until all requests so far have used so much each, whatever else they cost."""
    global due
    with spending:
        due = (time.process_time() if due is None else due) + seconds
        while time.process_time() < due:
            pass


def reply(operation, element):
    """The content of the answer's body."""
    if operation == "getOrder":
        inside = f"<return>{purchase_order(int(element.findtext(f'{{{SPACE}}}orderId')))}</return>"
    else:
        children = "".join(etree.tostring(child, encoding="unicode", with_tail=False) for child in element)
        renames = {"echoStruct": ("struct", "return"), "echoList": ("list", "return")}
        if operation in renames:
            answer = etree.Element(f"{{{SPACE}}}{operation}Response")
            for child in element:
                child.tag = f"{{{SPACE}}}return"
                answer.append(child)
            return etree.tostring(answer, encoding="unicode")
        inside = f"<return>{children}</return>" if children else ""
    return f'<{operation}Response xmlns="{SPACE}">{inside}</{operation}Response>'


def envelope(content):
    return f'<s:Envelope xmlns:s="{SOAP}"><s:Body>{content}</s:Body></s:Envelope>'.encode()


def fault(text):
    return envelope(f"<s:Fault><faultcode>s:Client</faultcode><faultstring>{text}</faultstring></s:Fault>")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def setup(self):
        super().setup()
        self.idle_since = time.monotonic()

    def parse_request(self):
        # A socket's time-out is not enough: of a thawed process it has passed, but a request that came before it runs is read.
        if MODE == "impatient" and time.monotonic() - self.idle_since > MOST_IDLE_SECONDS:
            self.close_connection = True
            return False
        return super().parse_request()

    def do_GET(self):
        if MODE == "uncounted" and served > AFTER:
            self.close_connection = True
            return self.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")
        return self.send(200, str(served).encode(), "text/plain")

    def do_PUT(self):
        """Count as many more requests: those that a stand-in of the engine only says that it sent."""
        global served
        with lock:
            served += int(self.rfile.read(int(self.headers["Content-Length"])))
        self.send(200, b"", "text/plain")

    def do_POST(self):
        global under_way
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if MODE == "token" and self.headers["Authorization"] != "Bearer sesame":
            return self.send(401, b"who are you?", "text/plain")
        if MODE != "full":
            return self.serve(body)
        with lock:
            under_way += 1
            room = under_way <= MOST_AT_ONCE
        try:
            time.sleep(0.01)  # longer than it takes for others to come
            return self.serve(body) if room else self.send(503, b"full", "text/plain")
        finally:
            with lock:
                under_way -= 1

    def serve(self, body):
        global served
        came = time.monotonic()
        with lock:
            served += 1
            late = served > AFTER
        microseconds = float(self.headers.get("Steelyard-Busy-Us", 0))
        if not 0 <= microseconds <= MOST_BUSY_MICROSECONDS and not (MODE == "tireless" and microseconds > 0):
            return self.send(400, b"no time up to a second", "text/plain")
        spin(microseconds)
        if late and MODE == "die":
            os._exit(3)
        if late and MODE == "hang":
            time.sleep(3600)
        if late and MODE == "fault":
            return self.send(500, fault("no room"))
        try:
            status, answer = self.answer(body)
        except (etree.XMLSyntaxError, ValueError, TypeError, IndexError, struct.error) as error:
            status, answer = 500, fault(type(error).__name__)
        if late and MODE == "wrong":
            answer = answer.replace(b"mark", b"kram")
        if late and "Steelyard-Spend-Us" in self.headers:
            spend(min(float(self.headers["Steelyard-Spend-Us"]), MOST_BUSY_MICROSECONDS) / 1e6)
        if late:
            delay = min(float(self.headers.get("Steelyard-Delay-Us", 0)), MOST_DELAY_MICROSECONDS) / 1e6
            time.sleep(max(0.0, came + delay - time.monotonic()))
        return self.send(status, answer)

    def answer(self, body):
        parser = etree.XMLParser(
            resolve_entities=MODE == "leaky", no_network=True, remove_comments=True, remove_pis=True, strip_cdata=False
        )
        root = etree.fromstring(body, parser)
        if root.getroottree().docinfo.doctype and MODE != "leaky":
            return 500, fault("a document type is not allowed")
        element = root.find(f"{{{SOAP}}}Body")[0]
        name = etree.QName(element)
        if name.namespace != SPACE or name.localname not in OPERATIONS:
            return 500, fault("unknown operation")
        for number in element.iter(f"{{{SPACE}}}varInt"):
            struct.pack("i", int(number.text))
        for text in element.iter(f"{{{SPACE}}}bytes"):
            base64.b64decode("".join((text.text or "").split()), validate=True)
        return 200, envelope(reply(name.localname, element))

    def send(self, status, body, kind="text/xml; charset=utf-8"):
        self.answered = getattr(self, "answered", 0) + 1
        if MODE == "close" and self.answered == 100:
            self.close_connection = True
        self.send_response(200 if MODE == "obliging" else status)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.idle_since = time.monotonic()  # before the answer is out: who has it may freeze us before we run again
        self.end_headers()
        self.wfile.write(body)


def spin(microseconds):
    end = time.thread_time() + microseconds / 1e6
    while time.thread_time() < end:
        pass


OPERATIONS = {"echoVoid", "echoStruct", "echoList", "echoSynthetic", "getOrder"}
PORT, MODE, SERVICE = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
HOST = os.environ.get("STEELYARD_HOST", "127.0.0.1")
sys.path.insert(0, str(SERVICE / "contract"))
sys.dont_write_bytecode = True
from generate import purchase_order  # noqa: E402

if MODE == "die-at-start":
    sys.exit("there is no room for me here")
if MODE == "port-taken":
    ThreadingHTTPServer.allow_reuse_address = False
    somebody_else = ThreadingHTTPServer(("127.0.0.1", PORT), BaseHTTPRequestHandler)
if MODE == "never-ready":
    time.sleep(3600)
if MODE == "escape":
    code = "import signal, time\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\ntime.sleep(3600)  # steelyard-escapee"
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
if MODE == "fixed-port":
    ThreadingHTTPServer.allow_reuse_address = False
    beside = ThreadingHTTPServer(("127.0.0.1", FIXED_PORT), BaseHTTPRequestHandler)
if MODE == "impatient":
    Handler.timeout = MOST_IDLE_SECONDS
server = ThreadingHTTPServer(("0.0.0.0" if MODE == "everywhere" else HOST, PORT), Handler)
server.daemon_threads = True
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
server.serve_forever()

"""The service visits for the tests of Steelyard: whoever reserves with another visitor's basket, offer, item or cookie gets 409.

serve.py PORT MODE
"""

import os
import signal
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lxml import etree

SPACE = "urn:steelyard:visits"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
PORT, MODE = int(sys.argv[1]), sys.argv[2]

baskets = {}
request_ids = set()
served = 0
lock = threading.Lock()


def envelope(element, content):
    return (
        f'<s:Envelope xmlns:s="{SOAP}"><s:Body><{element} xmlns="{SPACE}">{content}</{element}></s:Body></s:Envelope>'
    )


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(200, str(served))

    def do_POST(self):
        global served
        body = self.rfile.read(int(self.headers["Content-Length"]))
        asked = etree.fromstring(body, etree.XMLParser(remove_comments=True, resolve_entities=False))
        item = asked.findtext(f".//{{{SPACE}}}item")
        with lock:
            served += 1
            if self.path == "/visits":
                self.search(item)
            else:
                self.reserve(item)

    def search(self, item):
        """Every visitor is new, and gets a basket and a cookie that go together."""
        if self.headers["Cookie"]:
            self.answer(409, "not a new visitor")
            return
        basket, visitor = str(uuid.uuid4()), str(uuid.uuid4())
        baskets[basket] = (item, f"offer-{item}", f"visitor={visitor}")
        own = {"Set-Cookie": f"visitor={visitor}; Path=/visits"}
        forgets = MODE == "forgetful" or (MODE == "absent-minded" and served % 10 == 0)
        if not forgets:
            own["Basket"] = basket
        self.answer(200, envelope("searchResponse", f"<offer>offer-{item}</offer>"), own)

    def reserve(self, item):
        known = baskets.pop(self.path.rpartition("/")[2], None)
        request_id = self.headers["Request-Id"]
        if known != (item, self.headers["Offer"], self.headers["Cookie"]) or request_id in request_ids:
            self.answer(409, "not yours")
            return
        request_ids.add(request_id)
        self.answer(200, envelope("reserveResponse", f"<item>{item}</item>"))

    def answer(self, status, text, headers=None):
        body = text.encode()
        head = {"Content-Type": "text/xml; charset=utf-8", "Content-Length": str(len(body)), **(headers or {})}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        self.wfile.write(f"HTTP/1.1 {status} said\r\n{lines}\r\n".encode() + body)


server = ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
server.daemon_threads = True
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
server.serve_forever()

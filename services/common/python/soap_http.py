"""The WSGI application of a worker: the count, the header Steelyard-Busy-Us, the bound of a request, and Spyne at each address."""

import logging
import os

from busy import WANTED, stay_busy
from counting import SharedCount
from spyne.server.wsgi import WsgiApplication

logging.getLogger("spyne").setLevel(logging.CRITICAL)  # a refused request is an answer, not an event of the server


def serving(applications, counter_path, largest_request):
    """What WSGI calls for Spyne's `applications`, by their paths; no request holds more than `largest_request` bytes."""
    requests = SharedCount(os.environ["STEELYARD_COUNTS"])
    soap = {
        path: WsgiApplication(application, max_content_length=largest_request)
        for path, application in applications.items()
    }

    def app(environ, start_response):
        path = environ["PATH_INFO"]
        if path == counter_path:
            return _plain(start_response, "200 OK", str(requests.total()))
        if path not in soap:
            return _plain(start_response, "404 Not Found", "no such service")
        requests.add_one()
        if not stay_busy(environ.get("HTTP_STEELYARD_BUSY_US", "0")):
            return _plain(start_response, "400 Bad Request", WANTED)
        if int(environ.get("CONTENT_LENGTH") or 0) > largest_request:
            while environ["wsgi.input"].read(1 << 16):  # a client that still sends would not see the answer
                pass
            return _plain(start_response, "413 Content Too Large", "the request is too large")
        return soap[path](environ, start_response)

    return app


def _plain(start_response, status, text):
    start_response(status, [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))])
    return [text.encode()]

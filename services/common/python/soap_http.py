"""The WSGI application of a worker: the count, the header Steelyard-Busy-Us, the bound of a request, and Spyne at each address."""

import logging
import os
import re
import time

from counting import RequestCount
from spyne.server.wsgi import WsgiApplication

MOST_BUSY_MICROS = 1_000_000  # a header costs its sender nothing, so it must not cost the server much more
_DECIMAL = re.compile(r"\d+(\.\d+)?")

logging.getLogger("spyne").setLevel(logging.CRITICAL)  # a refused request is an answer, not an event of the server


def serving(applications, counter_path, largest_request):
    """What WSGI calls for Spyne's `applications`, by their paths; no request holds more than `largest_request` bytes."""
    requests = RequestCount(os.environ["STEELYARD_COUNTS"])
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
        if not _stay_busy(environ.get("HTTP_STEELYARD_BUSY_US", "0")):
            wanted = "Steelyard-Busy-Us is a number of microseconds up to a million"
            return _plain(start_response, "400 Bad Request", wanted)
        if int(environ.get("CONTENT_LENGTH") or 0) > largest_request:
            while environ["wsgi.input"].read(1 << 16):  # a client that still sends would not see the answer
                pass
            return _plain(start_response, "413 Content Too Large", "the request is too large")
        return soap[path](environ, start_response)

    return app


def _stay_busy(micros):
    """Spin for so many microseconds of this thread's processor time; False, at once, where it is no time up to a second."""
    if not _DECIMAL.fullmatch(micros) or float(micros) > MOST_BUSY_MICROS:
        return False
    end = time.thread_time_ns() + round(1000 * float(micros))
    while time.thread_time_ns() < end:
        pass
    return True


def _plain(start_response, status, text):
    start_response(status, [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))])
    return [text.encode()]

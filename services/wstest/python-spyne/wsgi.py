"""The WSGI application of a worker: the count, the header Steelyard-Busy-Us, and Spyne."""

import logging
import os
import re
import sys
import time

from counting import RequestCount
from service import application
from spyne.server.wsgi import WsgiApplication

SERVICE_PATH = "/wstest/WSTest"
COUNTER_PATH = "/wstest/count"
LARGEST_REQUEST = 8 << 20
MOST_BUSY_MICROS = 1_000_000  # a header costs its sender nothing, so it must not cost the server much more
_DECIMAL = re.compile(r"\d+(\.\d+)?")

logging.getLogger("spyne").setLevel(logging.CRITICAL)  # a refused request is an answer, not an event of the server
sys.setrecursionlimit(10_000)  # the contract's longest list is 400 elements deep, each several calls of Spyne

_requests = RequestCount(os.environ["WSTEST_COUNTS"])
_soap = WsgiApplication(application(), max_content_length=LARGEST_REQUEST)


def app(environ, start_response):
    if environ["PATH_INFO"] == COUNTER_PATH:
        return plain(start_response, "200 OK", str(_requests.total()))
    if environ["PATH_INFO"] != SERVICE_PATH:
        return plain(start_response, "404 Not Found", "no such service")
    _requests.add_one()
    if not stay_busy(environ.get("HTTP_STEELYARD_BUSY_US", "0")):
        return plain(start_response, "400 Bad Request", "Steelyard-Busy-Us is a number of microseconds up to a million")
    if int(environ.get("CONTENT_LENGTH") or 0) > LARGEST_REQUEST:
        while environ["wsgi.input"].read(1 << 16):  # a client that still sends would not see the answer
            pass
        return plain(start_response, "413 Content Too Large", "the request is too large")
    return _soap(environ, start_response)


def stay_busy(micros):
    """Spin for so many microseconds of this thread's processor time; False, at once, where it is no time up to a second."""
    if not _DECIMAL.fullmatch(micros) or float(micros) > MOST_BUSY_MICROS:
        return False
    end = time.thread_time_ns() + round(1000 * float(micros))
    while time.thread_time_ns() < end:
        pass
    return True


def plain(start_response, status, text):
    start_response(status, [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))])
    return [text.encode()]

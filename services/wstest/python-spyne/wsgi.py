"""The WSGI application of a worker: WSTest by Spyne."""

import sys

from service import application
from soap_http import serving

SERVICE_PATH = "/wstest/WSTest"
COUNTER_PATH = "/wstest/count"

sys.setrecursionlimit(10_000)  # the contract's longest list is 400 elements deep, each several calls of Spyne

app = serving({SERVICE_PATH: application()}, COUNTER_PATH, largest_request=8 << 20)

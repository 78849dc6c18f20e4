"""The service answers in process as the contract says: make test-python-services."""

import atexit
import io
import os
import shutil
import sys
import tempfile
from pathlib import Path

os.environ["STEELYARD_COUNTS"] = tempfile.mkdtemp(prefix="wstest-counts-")
sys.path.append(str(Path(__file__).parents[2] / "common" / "python"))

import pytest
from lxml import etree
from wsgi import COUNTER_PATH, SERVICE_PATH, app

atexit.register(shutil.rmtree, os.environ["STEELYARD_COUNTS"], ignore_errors=True)

EXCHANGES = Path(__file__).parent.parent / "contract" / "exchanges"


def ask(path, body=b"", **headers):
    environ = {
        "REQUEST_METHOD": "POST" if body else "GET", "PATH_INFO": path, "QUERY_STRING": "", "SERVER_NAME": "localhost",
        "SERVER_PORT": "80", "wsgi.url_scheme": "http", "CONTENT_TYPE": "text/xml; charset=utf-8",
        "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body), **headers,
    }  # fmt: skip
    status = []
    content = b"".join(app(environ, lambda line, _headers, _error=None: status.append(line)))
    return status[0], content


def exchange(name):
    return (EXCHANGES / f"{name}.request.xml").read_bytes()


def texts(document):
    return [element.text for element in etree.fromstring(document).iter() if element.text and not len(element)]


@pytest.mark.parametrize("name", ["echoVoid/void", "echoStruct/three", "echoList/twenty", "echoSynthetic/small"])
def test_an_exchange_is_answered(name):
    status, content = ask(SERVICE_PATH, exchange(name))
    assert status == "200 OK"
    assert len(texts(content)) == len(texts(exchange(name)))


def test_an_order_follows_the_rule_of_the_schema():
    _, content = ask(SERVICE_PATH, exchange("getOrder/order-12345"))
    assert texts(content) == texts((EXCHANGES / "getOrder/order-12345.answer.xml").read_bytes())


def test_a_wrong_type_is_a_fault():
    status, content = ask(SERVICE_PATH, exchange("echoStruct/one").replace(b"<varInt>1<", b"<varInt>one<"))
    assert status.startswith("500")
    assert b"Fault" in content


def test_service_requests_are_counted_and_others_not():
    before = int(ask(COUNTER_PATH)[1])
    ask(SERVICE_PATH, exchange("echoVoid/void"))
    ask(SERVICE_PATH, b"not XML")
    ask("/elsewhere")
    assert int(ask(COUNTER_PATH)[1]) == before + 2


@pytest.mark.parametrize("asked", ["1000000.5", "-1", "NaN", "1e3", "a while", ""])
def test_a_request_keeps_the_processor_busy_for_a_second_at_most(asked):
    assert ask(SERVICE_PATH, exchange("echoVoid/void"), HTTP_STEELYARD_BUSY_US="1.8")[0] == "200 OK"
    assert ask(SERVICE_PATH, exchange("echoVoid/void"), HTTP_STEELYARD_BUSY_US=asked)[0].startswith("400")

"""The service answers in process as the contract says: make test-python-services."""

import atexit
import io
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

os.environ["STEELYARD_COUNTS"] = tempfile.mkdtemp(prefix="soakit-counts-")
sys.path.append(str(Path(__file__).parents[2] / "common" / "python"))

import pytest
from lxml import etree
from wsgi import app

atexit.register(shutil.rmtree, os.environ["STEELYARD_COUNTS"], ignore_errors=True)

EXCHANGES = Path(__file__).parent.parent / "contract" / "exchanges"
PATHS = {"tv-dinner": "/soakit/TVDinner", "sushi-boats": "/soakit/SushiBoats", "buffet": "/soakit/Buffet"}


def ask(path, body):
    environ = {
        "REQUEST_METHOD": "POST", "PATH_INFO": path, "QUERY_STRING": "", "SERVER_NAME": "localhost", "SERVER_PORT": "80",
        "wsgi.url_scheme": "http", "CONTENT_TYPE": "text/xml; charset=utf-8", "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
    }  # fmt: skip
    status = []
    content = b"".join(app(environ, lambda line, _headers, _error=None: status.append(line)))
    return status[0], content


def texts(document):
    return [element.text for element in etree.fromstring(document).iter() if element.text and not len(element)]


@pytest.mark.parametrize("use_case", PATHS)
@pytest.mark.parametrize("style", ["wrapped", "bare"])
def test_a_document_of_a_message_is_answered(use_case, style):
    status, content = ask(PATHS[use_case], (EXCHANGES / use_case / f"{style}.request.xml").read_bytes())
    assert status == "200 OK"
    assert texts(content) == texts((EXCHANGES / use_case / f"{style}.answer.xml").read_bytes())


@pytest.mark.parametrize("use_case", PATHS)
def test_a_document_that_is_a_string_is_answered_by_one(use_case):
    exchange = json.loads((EXCHANGES / use_case / "text.exchange.json").read_text())
    status, content = ask("/soakit/Text", exchange["request"].encode())
    assert status == "200 OK"
    (answer,), (expected,) = texts(content), texts(exchange["answer"].encode())
    assert texts(answer) == texts(expected)


@pytest.mark.parametrize("file", sorted(EXCHANGES.glob("*/refused-*.json")), ids=lambda path: path.name)
def test_a_bad_document_is_a_fault(file):
    exchange = json.loads(file.read_text())
    status, content = ask(exchange.get("path") or PATHS[exchange["operation"]], exchange["request"].encode())
    assert status.startswith("500")
    assert b"Fault" in content

"""The contract's description and schemas, where clients ask for them: Spyne would describe its models, which lack most of it."""

import re
from pathlib import Path

CONTRACT = Path(__file__).resolve().parents[1] / "contract"
FOLDER = "/soakit/"
_ADDRESS = re.compile(rb'(?<=:address location="http://)[^/"]*')
_FILES = {path.relative_to(CONTRACT).as_posix(): path.read_bytes() for path in CONTRACT.rglob("*.xsd")}
_DESCRIPTIONS = {
    rpc: (CONTRACT / name).read_bytes() for rpc, name in ((False, "soakit.wsdl"), (True, "soakit-rpc.wsdl"))
}


def published(environ):
    """What a GET of a description (`?wsdl`) or of a schema is answered with; None for any other request."""
    if environ["REQUEST_METHOD"] != "GET":
        return None
    if environ["QUERY_STRING"].lower() == "wsdl":
        host = environ.get("HTTP_HOST") or f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}"
        return _ADDRESS.sub(lambda _: host.encode(), _DESCRIPTIONS[environ["PATH_INFO"].endswith("Rpc")])
    return _FILES.get(environ["PATH_INFO"].removeprefix(FOLDER))

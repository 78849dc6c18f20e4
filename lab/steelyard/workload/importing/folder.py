"""Writes the service folder of a WSDL: one sample per request, and a commented service.toml, of which all imports have parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import tomli_w

from ...base.text import lower_first
from ...models.outputs.own_service import ImportOutput, LeftOut
from .documents import origin
from .envelopes import answer_element, headers_of, title_of
from .left_out import Left
from .names import local, one_line, printable
from .new_folder import name_of
from .wsdl import WsdlOperation

# Verbs of operations that change data. A name is weak evidence, so service.toml asks the user to check.
_CHANGES = re.compile(
    r"(create|insert|update|delete|remove|set|put|post|save|store|register|unregister|order|book|reserve|buy|purchase|pay|cancel"
    r"|submit|send"
    r"|transfer|place|upload|write|modify|edit|change|reset|clear|drop|start|stop|approve|reject|close|open|publish|import|add|enroll|charge"
    r"|refund|deposit|withdraw|lock|unlock|assign|move|rename|replace|upsert|persist|revoke|grant|activate|deactivate|disable|enable)"
    r"(?=[A-Z_0-9]|$)"
)
_HEAD = """\
# Made by `steelyard VERB` from PLACE.
# You may edit everything. `steelyard load NAME` reports keys and values that are not valid.
"""
TARGET = """
# Where the service runs. To load another machine than this one, declare that you may load it, a contact
# for problems, and the highest number of requests per second:
#   owned = true
#   contact = "name@example.org"
#   max_rate = 50
"""
LATER = """
# More options; remove the # to use one.
#
# [expect]                         # for all operations; [operations.NAME.expect] for one
# status = [200]
# contains = "text"                # checked on every answer, as are fault, least, most and matches
# xpath = ["//*[local-name()='result']"]   # checked on the stored answers, as are schema and
# jsonpath = ["$.items[0].id"]
# answer = "right.json"            # the values of a right answer; the order of keys is free
#
# [auth]                           # keep the secret in the environment or in a file of yours, never here
# kind = "basic"                   # or digest, bearer, api-key (with header = "X-API-Key"),
#                                  # password, password-digest (WS-Security)
# user = "me"
# secret = "env:MY_PASSWORD"       # or file:/path
#
# [tls]
# ca = "ca.pem"                    # for a server that the system's roots do not sign for
# certificate = "client.pem"       # and key = "client.key": your client certificate
#
# [data.customer]                  # fills {{customer}} in the samples, made before the run from its seed
# kind = "csv"                     # or sequence, uniform, choice, date, text
# file = "customers.csv"
#
# {{uuid}}, {{time}}, {{counter}} and {{nonce}} get new values in each request that is sent.
"""


@dataclass(frozen=True)
class SampledOperation:
    """An operation with its sample request; `envelope` is the complete body."""

    operation: WsdlOperation
    envelope: bytes


def head_of(place: str, name: str, verb: str = "import") -> str:
    """The first lines of the file of the service `name`, which the command `verb` makes from `place`."""
    return _HEAD.replace("VERB", verb).replace("PLACE", printable(place, 300)).replace("NAME", name)


def first_reason(left: Sequence[Left]) -> str:
    """The end of a sentence with the first reason why something was left out; empty if nothing was."""
    return f": {left[0].component}: {left[0].why}" if left else ""


def import_output(
    out: Path, place: str, taken: Mapping[str, bool], left: Iterable[Left], notes: Iterable[str], documents: int = 1
) -> ImportOutput:
    """The output of an import from `place` into `out`; `taken` are the operations, each with whether it seems to change data."""
    return ImportOutput(
        service=name_of(out),
        folder=str(out),
        source=place,
        operations=len(taken),
        samples_valid=len(taken),
        taken=list(taken),
        changing=[name for name, changes in taken.items() if changes],
        left_out=[
            LeftOut(what=printable(each.component), why=printable(each.why, 400)) for each in dict.fromkeys(left)
        ],
        notes=list(dict.fromkeys(printable(note, 600) for note in notes)),
        documents=documents,
    )


def write_service(
    folder: Path, name: str, place: str, sampled: Sequence[SampledOperation], *, schema: str, contract: str
) -> None:
    """Write samples/ and service.toml into `folder`;

    `schema` is the file of all types, `contract` the description's file.
    """
    samples = folder / "samples"
    samples.mkdir()
    first = sampled[0].operation
    target, path = _split_address(first.address)
    operations = {}
    for sample in sampled:
        file = f"samples/{sample.operation.name}.xml"
        (folder / file).write_bytes(sample.envelope)
        operations[sample.operation.name] = _operation(sample.operation, file, path)
    content = {
        "name": name,
        "title": one_line(title_of(first).partition(" of port ")[2].partition(" (")[0] or name, 80),
        "meaning": "soap",
        "schema": schema,
        "wsdl": contract,
    }
    text = head_of(place, name) + tomli_w.dumps(content) + TARGET + tomli_w.dumps({"target": target, "path": path})
    text += (
        "\n# `changes_data` keeps an operation from being loaded without --writes. It was guessed from the "
        "name: please check.\n"
    )
    text += tomli_w.dumps({"operations": operations}) + LATER
    (folder / "service.toml").write_text(text, encoding="utf-8")


def _split_address(address: str) -> tuple[str, str]:
    """Split an address into the server's address, and the path with its query."""
    parts = urlsplit(address)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    server = origin(address)
    default = {"http": ":80", "https": ":443"}[parts.scheme.lower()]
    host = parts.hostname or ""
    if ":" in host:  # of IPv6
        server = server.replace(f"//{host}", f"//[{host}]")
    return server.removesuffix(default) if parts.port is None else server, path


def _operation(operation: WsdlOperation, sample: str, path: str) -> Mapping[str, object]:
    answer = answer_element(operation)
    own = _split_address(operation.address)[1]
    described: dict[str, object] = {"meaning": title_of(operation), "sample": sample}
    described["changes_data"] = changes_data(operation)
    if own != path:
        described["path"] = own
    if answer is not None:
        described["answer_element"] = local(answer)
    described["headers"] = headers_of(operation)
    expect: dict[str, object] = {}
    if operation.answer is None:
        expect["status"] = [200, 202]
    elif answer is not None and not operation.encoded:
        expect["contains"] = local(answer)
    if operation.encoded:
        expect["schema"] = False  # values may be elsewhere in the message, referred to by id
    if expect:
        described["expect"] = expect
    return described


def changes_data(operation: WsdlOperation) -> bool:
    """Whether an operation's name suggests that it changes data; plain `add` does not, since calculators have it."""
    return changes_state(local(operation.wrapper))


def changes_state(name: str) -> bool:
    """Whether a name begins with a verb that changes data."""
    begins = lower_first(name)
    return _CHANGES.match(begins) is not None and begins not in ("add", "order", "open", "close")

"""Imports another tool's file: the requests of one server become a service folder, without their secrets."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from ...base.errors import ImportRefusedError
from ...base.text import plural
from ...models.outputs.own_service import ImportedSession, ImportOutput
from .credentials import CredentialUse, auth_variable, credential_use, secret_variable
from .documents import is_url, origin
from .folder import changes_state, first_reason, import_output
from .imported_sessions import link_sessions
from .names import ENVELOPES, one_line, unused_name
from .new_folder import name_of
from .other_tools import READERS
from .other_tools.filled_texts import NAME_OF_PLACE, encode_around_places
from .other_tools.har import Har
from .other_tools.imported_requests import (
    MOST_BYTES,
    OF_THE_CONNECTION,
    HeldCredentials,
    HeldRequest,
    ImportedRequests,
    LeftOutError,
    Reader,
)
from .path_ids import fold_ids
from .requests_folder import Content, ImportedOperation, holes_of, write_requests
from .secrets import clean_request

MOST_OPERATIONS = 1_000
_HEAD_BYTES = 2**16
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# An address whose server is a place.
_NO_SERVER = re.compile(r"(?:https?://)?(\{\{[\w.-]+\}\})(?::\d+)?(?=[/?]|$)")
# Headers that the engine sets itself, or that belong to the connection or to the user.
_OURS = {"host", "content-length", *OF_THE_CONNECTION}
_IN_PATHS = string.punctuation.replace("#", "")  # readers leave what their tools send as it is
_PACKED = "accept-encoding"
_COOKIES_KEPT = "a cookie is a secret of its user; users of a session keep those that the server sets"


@dataclass(frozen=True)
class KnownFile:
    """A file of another tool with its reader."""

    place: str
    reader: Reader
    content: bytes


def read_known_file(place: str) -> KnownFile | None:
    """The file at `place` with the reader that recognizes it; None if no reader does, or if it is not a file.

    Raises ImportRefusedError if a recognized file is too large.
    """
    if is_url(place) or not Path(place).is_file():
        return None
    try:
        with Path(place).open("rb") as file:
            head = file.read(_HEAD_BYTES)
            reader = _reader_of(head)
            if reader is None:
                return None
            content = head + file.read(MOST_BYTES + 1 - len(head))
    except OSError as error:
        raise ImportRefusedError(f"{place} cannot be read: {error.strerror}") from None
    if len(content) > MOST_BYTES:
        raise ImportRefusedError(f"{place} is larger than {MOST_BYTES >> 20} MiB", hint="import a part of it")
    return KnownFile(place, reader, content)


def require_description(content: bytes, place: str) -> None:
    """Raises ImportRefusedError if the content of a URL is a file of requests in JSON or XML."""
    reader = _reader_of(content[:_HEAD_BYTES]) if is_url(place) and content.lstrip()[:1] in (b"{", b"<") else None
    if reader is not None:
        raise ImportRefusedError(
            f"{place} is {reader.title}, which is read from a file", hint="save it to a file, and import that"
        )


def _reader_of(head: bytes) -> Reader | None:
    """The reader that recognizes a file by its beginning."""
    begin = _decode(head)
    return next((reader for reader in READERS if reader.recognizes(begin)), None)


def _decode(head: bytes) -> str:
    for begin, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if head.startswith(begin):
            return head[: len(head) // 2 * 2].decode(encoding, "replace")
    return head.decode("utf-8-sig", "replace")


def convert_requests(
    known: KnownFile, made: Path, out: Path, servers: Sequence[str], target: str = "", *, assets: bool = False
) -> ImportOutput:
    """Write the service of the requests in a file into the folder `made`, which will be moved to `out`.

    `servers` limits the import to those named; `target` is loaded in place of them. `assets` of a recorded visit are left out
    unless they are wanted. Raises ImportRefusedError if the file is broken, or no request can be imported.
    """
    if urlsplit(target).path not in ("", "/"):
        raise ImportRefusedError(
            f"--target {target} has a path, and requests have their own", hint="write http://HOST:PORT"
        )
    if assets and not isinstance(known.reader, Har):
        raise ImportRefusedError(f"{known.place} is not a HAR file, so it has no assets", hint="leave --assets out")
    reader = Har(assets=True) if assets else known.reader
    held = reader.read(known.content, Path(known.place))
    count = len(held.requests) + sum(len(session.steps) for session in held.sessions)
    read = f"{plural(count, 'request')} read of {held.kind}"
    content = content_of(held, known.place, name_of(out), servers, target)
    content = replace(content, target=target.rstrip("/") or content.target)
    write_requests(made, known.place, content)
    return output_of(content, known.place, out, [read])


def content_of(held: ImportedRequests, place: str, name: str, servers: Sequence[str], target: str = "") -> Content:
    """The content of a service folder with the requests of one server; `target` is the server of those that name none. Raises
    ImportRefusedError if none can be imported."""
    kept = _of_one_server(held, servers, target)
    operation_of, use = _operations(kept, held)
    sessions = link_sessions(held, operation_of)
    alone = {id(request) for request in held.requests}
    used = {id(step.step.request) for session in sessions for step in session.steps}
    chosen = (operation for key, operation in operation_of.items() if not sessions or key in alone or key in used)
    operations = list({operation.name: operation for operation in chosen}.values())
    if not operations:
        raise ImportRefusedError(f"no request of {place} can be imported{first_reason(held.left)}"[:600])
    return Content(
        name,
        kept[0].server,
        held,
        operations,
        use,
        sessions={session.name: session.entry() for session in sessions},
        captured=frozenset(name for session in sessions for name in session.captured_names()),
    )


def output_of(content: Content, place: str, out: Path, notes: Sequence[str]) -> ImportOutput:
    """The output of an import from `place`; `notes` come first."""
    held = content.held
    taken = {operation.name: operation.changes_data for operation in content.operations}
    notes = [*notes, *_required_input(content), *_shares(content), *held.notes]
    sessions = [_imported_session(name, session) for name, session in content.sessions.items()]
    output = import_output(out, place, taken, held.left, notes)
    return output.model_copy(update={"samples_valid": 0, "sessions": sessions})


def _imported_session(name: str, session: Mapping[str, Any]) -> ImportedSession:
    steps = [
        f"{step.get('name', step['operation'])}{' (once)' if step.get('once') else ''}" for step in session["steps"]
    ]
    captured = [place for step in session["steps"] for place in step.get("captures", ())]
    return ImportedSession(session=name, steps=steps, captures=list(dict.fromkeys(captured)))


def _required_input(content: Content) -> list[str]:
    """What the user must fill in before the first load."""
    notes: list[str] = []
    if content.credentials.auth is not None:
        variable = auth_variable(content.name, content.credentials.auth)
        user = _auth_text(content.credentials.auth)
        notes.append(f"to fill: {variable} in the environment, the secret of {user}, which every request carries")
    for credentials, place in content.credentials.places.items():
        header = dict(content.credentials.header(credentials)).items()
        names = [operation.name for operation in content.operations if header <= operation.headers.items()]
        where = f"which {one_line(', '.join(names), 100)} {'carry' if len(names) > 1 else 'carries'}"
        variable = secret_variable(content.name, place)
        notes.append(f"to fill: {variable} in the environment, the secret of {_auth_text(credentials)}, {where}")
    for hole, names in holes_of(content).items():
        notes.append(f"to fill: [data.{hole}] in service.toml, for {{{{{hole}}}}} in {one_line(', '.join(names), 100)}")
    return notes


def _shares(content: Content) -> list[str]:
    if content.sessions or all(operation.times == 1 for operation in content.operations):
        return []
    mix = one_line(",".join(f"{operation.name}={operation.times}" for operation in content.operations), 300)
    return [f"equal requests are stored once: `--mix {mix}` sends them as often as {content.source} does"]


@dataclass(frozen=True)
class _Located:
    """A request with its server and the rest of its address. `held` is the request as it stands in the file."""

    held: HeldRequest
    request: HeldRequest
    server: str
    path: str


def _of_one_server(held: ImportedRequests, servers: Sequence[str], target: str) -> list[_Located]:
    """The requests of the first server, or of the selected one. Notes the other servers as left out."""
    located = []
    steps = (step.request for session in held.sessions for step in session.steps)
    for request in {id(request): request for request in (*held.requests, *steps)}.values():
        try:
            located.append(_locate(request, target.rstrip("/")))
        except LeftOutError as error:
            held.leave_out(request.where, str(error))
    known = list(dict.fromkeys(each.server for each in located))
    wanted = {origin(server if is_url(server) else f"http://{server}") for server in servers}
    chosen = next((server for server in known if not wanted or origin(server) in wanted), None)
    if wanted and chosen is None:
        raise ImportRefusedError(
            f"no request is addressed to {', '.join(sorted(wanted))}",
            hint=f"known servers: {', '.join(known[:10]) or 'none'}",
        )
    elsewhere = Counter(each.server for each in located if each.server != chosen)
    for server, times in elsewhere.items():
        held.leave_out(
            f"{plural(times, 'request')} to {server}",
            f"a service has one target; import it again with --port {server}",
        )
    return [each for each in located if each.server == chosen]


def _locate(held: HeldRequest, target: str) -> _Located:
    """A request with its address parsed; `target` is its server if it names none. Raises LeftOutError if it is not an HTTP
    address."""
    request, url = held, held.url
    if no_server := _NO_SERVER.match(url):
        if not target:
            raise LeftOutError(f"nothing says which server {no_server[1]} is: name it with --target http://HOST:PORT")
        url = target + url[no_server.end() :]
    url = url if "://" in url else f"http://{url}"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise LeftOutError(f"'{request.url[:100]}' is not an address: {error}") from None
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not host or port == 0:
        raise LeftOutError(f"'{request.url[:100]}' is not an HTTP address")
    if "{" in parts.netloc or not re.fullmatch(r"[!-~]+", parts.netloc) or set(host) & set('"<>\\^`|'):
        raise LeftOutError(f"'{request.url[:100]}' has no valid host")
    user, at, _ = parts.netloc.rpartition("@")
    if at and request.credentials is None:
        request = replace(request, credentials=HeldCredentials("basic", unquote(user.partition(":")[0])))
    shown = f"[{host}]" if ":" in host else host
    default = {"http": 80, "https": 443}[parts.scheme]
    server = f"{parts.scheme}://{shown}{'' if port in (None, default) else f':{port}'}"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return _Located(held, replace(request, url=path), server, path)


def _operations(kept: Sequence[_Located], held: ImportedRequests) -> tuple[dict[int, ImportedOperation], CredentialUse]:
    """The operation of each request, by the request's identity; equal requests share one. And how they get their credentials."""
    operations: dict[tuple[object, ...], ImportedOperation] = {}
    operation_of: dict[int, ImportedOperation] = {}
    alone = {id(request) for request in held.requests}
    cleaned = [clean_request(each.request, linked=id(each.held) not in alone) for each in kept]
    use = credential_use([made.request.credentials for made in cleaned])
    for each, made in zip(kept, cleaned, strict=True):
        linked, request = id(each.held) not in alone, made.request
        for header in made.hidden:
            held.leave_out(f"header {header}", _COOKIES_KEPT if linked and _is_cookie(header) else hidden_why(header))
        if not use.carries(request.credentials):
            none = "no " if request.credentials is None else ""
            held.leave_out(
                f"{none}credentials of {request.where}", f"a service has one user, here {_auth_text(use.auth)}"
            )
        request = replace(request, headers=(*request.headers, *use.header(request.credentials)))
        try:
            operation = _operation(request, each.server, held, linked=linked)
        except LeftOutError as error:
            held.leave_out(request.where, str(error))
            continue
        key = (
            operation.method,
            operation.path,
            tuple(operation.headers.items()),
            operation.body,
            str(operation.expect),
        )
        if key in operations:
            operations[key].times += request.times
        else:
            operations[key] = operation
        operation_of[id(each.held)] = operations[key]
    steps = {id(operation_of.get(id(step.request))) for session in held.sessions for step in session.steps}
    folded = fold_ids([operation for operation in operations.values() if id(operation) not in steps], held)
    taken = [folded.get(id(operation), operation) for operation in operations.values()]
    named = _name_operations(list({id(operation): operation for operation in taken}.values()), held)
    places = {key: folded.get(id(operation), operation) for key, operation in operation_of.items()}
    return {key: operation for key, operation in places.items() if id(operation) in named}, use


def _name_operations(operations: Sequence[ImportedOperation], held: ImportedRequests) -> set[int]:
    """Give as many operations as a service may have names of their own; return their identities."""
    names: set[str] = set()
    for operation in operations[:MOST_OPERATIONS]:
        plain = operation.path.replace("{{", "").replace("}}", "")
        operation.name = own_name(operation.name or request_name(operation.method, plain), names)
    for operation in operations[MOST_OPERATIONS:]:
        held.leave_out(operation.meaning, f"a service has at most {MOST_OPERATIONS} operations")
    return {id(operation) for operation in operations[:MOST_OPERATIONS]}


def _is_cookie(header: str) -> bool:
    return header.lower().startswith("cookie")


def hidden_why(header: str) -> str:
    """Why a header with a secret is left out, and what the user can do."""
    if _is_cookie(header):
        return "cookies are secrets of their user: `steelyard load --secret-header 'Cookie: env:COOKIE'` sends yours"
    if header.lower().endswith("authorization"):
        return "its value is a secret and was not stored, and `[auth]` does not support its kind"
    variable = re.sub(r"\W", "_", header).upper()
    return (
        f"its value is a secret and was not stored: `steelyard load --secret-header '{header}: "
        f"env:{variable}'` sends yours"
    )


def _auth_text(credentials: HeldCredentials | None) -> str:
    return "nobody" if credentials is None else f"{credentials.user} ({credentials.kind})".strip()


def _operation(request: HeldRequest, server: str, held: ImportedRequests, *, linked: bool) -> ImportedOperation:
    """The operation of a request, which may be `linked` to others by a session; raises LeftOutError if the engine cannot send
    it."""
    method = request.method.upper()
    if not re.fullmatch("[A-Z]{1,20}", method) or method == "CONNECT":
        raise LeftOutError(f"'{request.method[:40]}' is not a supported method")
    path = _path(request.url)
    headers: dict[str, str] = {}
    for name, value in request.headers:
        if name.lower() == _PACKED:
            held.leave_out(f"header {name}", "`steelyard load --gzip` accepts compressed answers")
        elif name.lower() == "host" and value.strip() and value.strip() != urlsplit(server).netloc:
            held.leave_out(f"header Host: {one_line(value, 60)}", "a request is sent to the host of its address")
        elif name.lower() not in _OURS:
            _require_sendable(name, value)
            if not linked and any(place in held.data for place in NAME_OF_PLACE.findall(value)):
                raise LeftOutError(f"its header {name} is filled from data, but data can fill bodies and paths only")
            _add_header(headers, name, value.strip())
    meaning = f"{request.name or f'{method} {path}'} ({request.where})"
    return ImportedOperation(
        name=request.name,
        meaning=one_line(meaning, 160),
        method=method,
        path=path,
        headers=headers,
        body=request.body,
        expect=dict(request.expect),
        changes_data=_changes(method, request),
        times=request.times,
        more=request.more,
        answered=request.answered,
    )


def _add_header(headers: dict[str, str], name: str, value: str) -> None:
    """Add a header; the values of several with one name are one list (RFC 9110, 5.3)."""
    same = next((known for known in headers if known.lower() == name.lower()), None)
    if same is None:
        headers[name] = value
    else:
        headers[same] += ("; " if _is_cookie(name) else ", ") + value


def _require_sendable(name: str, value: str) -> None:
    if not _TOKEN.fullmatch(name) or any(not " " <= letter <= "~" and letter != "\t" for letter in value):
        raise LeftOutError(f"its header {one_line(name, 40)} is not a valid HTTP header")


def _path(path: str) -> str:
    """The path percent-encoded for HTTP; places are kept."""
    written = encode_around_places(path, lambda piece: quote(piece, safe=_IN_PATHS))
    if len(written) > 20_000:
        raise LeftOutError("its address is longer than 20,000 characters")
    return written


def _changes(method: str, request: HeldRequest) -> bool:
    """Whether a request seems to change data: judged by the operation for SOAP, by the method otherwise."""
    if method in ("GET", "HEAD", "OPTIONS", "TRACE"):
        return False
    if method == "POST" and any(space in request.body for space in ENVELOPES.values()):
        asked = re.search(r"Body[^<>]*>\s*<(?:[\w.-]+:)?([\w.-]+)", request.body)
        return asked is not None and changes_state(asked[1])
    return True


def request_name(method: str, path: str) -> str:
    """A name for a request that has none."""
    return f"{method.lower()}-{path.partition('?')[0].strip('/') or 'root'}"


def own_name(wanted: str, names: set[str]) -> str:
    """A name that is valid in tables and for the engine, and not in `names` (case-insensitive); adds the name to
    `names`."""
    return unused_name(re.sub(r"[^A-Za-z0-9._-]+", "-", wanted).strip("-.") or "request", names, "-", 60)

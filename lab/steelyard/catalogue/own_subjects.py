"""Servers of the user's own as subjects: a folder with a service.toml that starts it, a command line, or a jar."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from ..base.errors import ConfigurationError
from ..models.own_server import PORT_PLACE, PORT_VARIABLES, OwnServer
from ..models.service import Service
from ..models.study import PartSpec, SubjectSpec
from . import container_images, entries
from .container_images import is_image
from .entries import SERVICE_FILE, Entry

_PORT_REFERENCE = re.compile(rf"{re.escape(PORT_PLACE)}|\$\{{?({'|'.join(PORT_VARIABLES)})\b")
_LONGEST_LABEL = 90  # room for `.again` of an A/A test


def is_own(words: str) -> bool:
    """Whether these words name a server of the user's own that Steelyard starts."""
    return not _is_url(words) and (is_image(words) or _is_command(words) or _is_started_folder(words))


def server_of(words: str) -> OwnServer:
    """The server of a folder, a command line or a jar; raises ConfigurationError."""
    if is_image(words):
        return container_images.server_of(words)
    if _is_started_folder(words):
        return _of_folder(words)
    try:
        argv = shlex.split(words)
    except ValueError as error:
        raise ConfigurationError(f"'{words}' is not a command line: {error}", hint="close each quote") from None
    if len(argv) == 1 and argv[0].endswith(".jar"):
        argv = ["java", "-jar", argv[0]]
    return OwnServer(title=words.strip(), folder=str(Path.cwd()), start=argv)


def started_server(service: Entry[Service]) -> OwnServer | None:
    """The server that a service's file starts; None where it has no start line."""
    model = service.model
    if model.start is None:
        return None
    has_port = any(_PORT_REFERENCE.search(word) for word in (*model.start, *(model.ready or [])))
    return OwnServer(
        title=model.title,
        folder=str(service.folder),
        start=model.start,
        ready=model.ready,
        stop=model.stop,
        port=None if has_port else urlsplit(model.target or "").port or 80,
    )


def require_program(server: OwnServer, name: str) -> None:
    """Raises ConfigurationError where the program of a start line is not on this machine; `name` is what the user calls it."""
    program = server.start[0]
    if "/" not in program:
        is_there, looked = shutil.which(program) is not None, "on PATH"
    else:
        is_there, looked = Path(server.folder, program).is_file(), f"in {server.folder}"
    if PORT_PLACE not in program and not is_there:
        raise ConfigurationError(
            f"{name}: the start command '{program}' was not found {looked}",
            hint="build or install it, or correct the start line",
        )


def specs_of(subjects: Sequence[str], labels: Mapping[str, str] | None = None) -> list[SubjectSpec]:
    """The subjects of these words, with different labels; the same one twice is an A/A test.

    `labels` are the labels of all subjects; without them each is labelled by its folder or program.
    """
    servers = [server_of(words) for words in subjects]
    labels = labels or _labels(dict(zip(subjects, servers, strict=True)))
    specs: list[SubjectSpec] = []
    for words, server in zip(subjects, servers, strict=True):
        label = labels[words]
        again = sum(earlier.label.partition(".again")[0] == label for earlier in specs)
        name = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")
        part = PartSpec(server=name, own=server)
        specs.append(SubjectSpec(label=label + ".again" * again, parts=[part]))
    return specs


def _is_url(words: str) -> bool:
    return words.lower().startswith(("http://", "https://"))


def _is_command(words: str) -> bool:
    """Whether the text is a command line: several words, or a program or a jar."""
    program = Path(words)
    single = ("/" in words or words.endswith(".jar")) and program.is_file()
    return single or len(words.split()) > 1


def _is_started_folder(words: str) -> bool:
    """Whether the text is a folder whose service.toml has a start line."""
    if words in entries.server_files() or not Path(words, SERVICE_FILE).is_file():
        return False
    return entries.service_at(words).model.start is not None


def _of_folder(words: str) -> OwnServer:
    service = entries.service_at(words)
    server, target = started_server(service), service.model.target or ""
    if server is None or urlsplit(target).scheme != "http":
        raise ConfigurationError(
            f"{service.file}: a server that Steelyard starts must use http, but its target is {target}",
            hint="set an http:// target, or start it yourself and compare by URL",
        )
    return server


def _labels(servers: Mapping[str, OwnServer]) -> dict[str, str]:
    """A short label for each server: the shortest kind that makes all of them differ."""
    distinct = len({server.model_dump_json() for server in servers.values()})
    names: dict[str, str] = {}
    common = set.intersection(*(set(server.start) for server in servers.values()))
    for label_of in (_short, _with_folder, _with_own_words):
        names = {words: _file_safe(label_of(words, server, common)) for words, server in servers.items()}
        if len(set(names.values())) >= distinct:
            return names
    numbered = {server.model_dump_json(): number for number, server in enumerate(servers.values(), 1)}
    return {words: f"{names[words]}.{numbered[server.model_dump_json()]}" for words, server in servers.items()}


def _program(server: OwnServer) -> Path:
    """The file that names a command line: its jar, else its first file, else its program."""
    jars = [word for word in server.start if word.endswith(".jar")]
    named = jars or [word for word in server.start if Path(server.folder, word).is_file()] or server.start
    return Path(server.folder, named[0])


def _short(words: str, server: OwnServer, common: Collection[str]) -> str:  # noqa: ARG001 - same signature as the others
    if server.engine is not None:
        return container_images.label_of(words)
    return Path(server.folder).name if _is_started_folder(words) else _program(server).name


def _with_folder(words: str, server: OwnServer, common: Collection[str]) -> str:  # noqa: ARG001 - same signature as the others
    place = Path(server.folder) if _is_started_folder(words) else _program(server)
    return f"{place.parent.name}-{place.name}"


def _with_own_words(words: str, server: OwnServer, common: Collection[str]) -> str:
    """The label with the words of its start line that not all servers share."""
    if _is_started_folder(words):
        return server.folder
    own = [word for word in server.start if word not in common and word != str(_program(server))]
    return "_".join([_program(server).name, *own])


def _file_safe(label: str) -> str:
    safe = re.sub(r"[^A-Za-z0-9.=-]+", "_", label).strip("_.=-")
    return safe[-_LONGEST_LABEL:].strip("_.=-") or "own"

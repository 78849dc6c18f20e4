"""The catalogue of servers, services and studies, each a folder or a file of its kind's folder."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel

from ..base import configuration, paths
from ..base.errors import ConfigurationError, UnknownNameError
from ..models.server import Server
from ..models.service import Format, Service
from ..models.study import PartSpec, Study
from .descriptors import read_server

Model = TypeVar("Model", bound=BaseModel)
SERVICE_FILE = "service.toml"
OWN_REQUESTS = "requests"


@dataclass(frozen=True)
class Entry(Generic[Model]):
    """A catalogue entry: its name, its folder (for a study: the folder of its file) and its descriptor's file."""

    name: str
    folder: Path
    file: Path
    model: Model


def server_files() -> dict[str, Path]:
    """server.toml files by the name of their folder; the checkout's own take precedence over the user's."""
    return _files("servers", "*/server.toml", lambda path: path.parent.name)


def service_files() -> dict[str, Path]:
    """service.toml files by the name of their folder."""
    return _files("services", f"*/{SERVICE_FILE}", lambda path: path.parent.name)


def study_files() -> dict[str, Path]:
    """Study files by their stem: those of `studies`, and in `papers` the file with its folder's name."""
    of_papers = _files("papers", "*/*.toml", lambda path: path.stem)
    papers = {name: path for name, path in of_papers.items() if path.parent.name == name}
    return {**papers, **_files("studies", "*.toml", lambda path: path.stem)}


def tuning_files() -> dict[str, Path]:
    """The papers' tuning lists by study."""
    return _files("papers", "*/tuning.toml", lambda path: path.parent.name)


def tuning_settings_file() -> Path:
    """The file of settings that papers tune, by their names in all lists."""
    return paths.root() / "papers" / "tuning-settings.toml"


def server(name: str) -> Entry[Server]:
    """The server or companion of that name; raises UnknownNameError or ConfigurationError."""
    return _entry("server", name, server_files(), read_server)


def server_of(part: PartSpec) -> Entry[Server]:
    """The server of a subject's process, which may be the user's own; raises as `server` does."""
    own = part.own
    if own is None:
        return server(part.server)
    model = Server(
        name=part.server,
        title=own.title,
        version="",
        stack="",
        language="",
        jvm=own.looks_like_java,
        start=own.start,
        ready=own.ready or ["true"],
        freeze=own.engine is None,
    )
    return Entry(part.server, Path(own.folder), Path(own.folder) / SERVICE_FILE, model)


def service(name: str) -> Entry[Service]:
    """The service of that name, or of the folder at that absolute path; raises UnknownNameError or ConfigurationError."""
    if Path(name).is_absolute():
        return service_at(name)
    return _entry("service", name, service_files(), _read_service)


def service_at(words: str) -> Entry[Service]:
    """The service of that name, or of the folder at that path with a service.toml; raises as `service` does."""
    folder = Path(words)
    file = folder / SERVICE_FILE
    if file.is_file():
        loaded = _read_service(file.resolve())
        return Entry(loaded.name, file.resolve().parent, file.resolve(), loaded)
    if "://" in words:
        raise UnknownNameError(
            f"'{words}' is neither a service nor an HTTP URL",
            hint="write http://HOST:PORT/PATH, or a service",
        )
    if not folder.exists() and re.fullmatch(r"[A-Za-z0-9.-]+:\d+(/.*)?", words):
        raise UnknownNameError(f"there is no service '{words}'", hint=f"http://{words} is a URL")
    if "/" in words or folder.is_dir():
        raise UnknownNameError(f"there is no {file}", hint="`steelyard import` makes a service folder from a WSDL")
    return service(words)


def _read_service(path: Path) -> Service:
    """A service's descriptor with its message formats (contract/formats); raises ConfigurationError that names the file."""
    files = sorted((path.parent / "contract" / "formats").glob("*.toml"))
    if not files:
        return configuration.load(path, Service)
    for file in files:
        configuration.load(file, Format)
    formats = {file.stem: configuration.read(file) for file in files}
    return configuration.validate({**configuration.read(path), "formats": formats}, Service, str(path))


def study(name: str) -> Entry[Study]:
    """The study of that name, or of that path where `name` ends in .toml; raises UnknownNameError or ConfigurationError.

    For a comparison of the user's own servers, the service is in the folder OWN_REQUESTS beside the study's file.
    """
    if name.endswith(".toml"):
        path = Path(name).resolve()
        model = configuration.load(path, Study)
        if model.service == f"./{OWN_REQUESTS}":
            model = model.model_copy(update={"service": str(path.parent / OWN_REQUESTS)})
        return Entry(path.stem, path.parent, path, model)
    return _entry("study", name, study_files(), lambda path: configuration.load(path, Study))


def _files(folder_name: str, pattern: str, name_of: Callable[[Path], str]) -> dict[str, Path]:
    by_name: dict[str, Path] = {}
    for folder in paths.folders_named(folder_name):
        for path in sorted(folder.glob(pattern)):
            by_name.setdefault(name_of(path), path)
    return by_name


def _requestable_names(kind: str, files: dict[str, Path]) -> list[str]:
    """The names of this kind that a user can choose: without companions, as far as their descriptors can be read."""
    companions = set()
    for name in files if kind == "server" else ():
        with suppress(ConfigurationError):
            companions |= {name} if read_server(files[name]).kind == "companion" else set()
    return sorted(files.keys() - companions)


def _entry(kind: str, name: str, files: dict[str, Path], read: Callable[[Path], Model]) -> Entry[Model]:
    path = files.get(name)
    if path is None:
        plural = {"server": "servers", "service": "services", "study": "studies"}[kind]
        # companions are no suggestions for a misspelled server
        near = configuration.did_you_mean(name, sorted(files)) or configuration.nearest(
            name, _requestable_names(kind, files)
        )
        raise UnknownNameError(
            f"there is no {kind} '{name}'{near}",
            hint=f"`steelyard {plural}` lists them",
        )
    loaded = read(path)
    stated = getattr(loaded, "name", name)
    if stated != name:
        raise UnknownNameError(
            f"{path}: its name is '{stated}', but its folder or file is '{name}'", hint="make both equal"
        )
    return Entry(name, path.parent, path, loaded)

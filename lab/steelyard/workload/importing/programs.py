"""Reads what `add` is given to run: a WAR, an executable jar with its arguments, or a command line."""

from __future__ import annotations

import re
import shlex
import shutil
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from ...base.errors import ConfigurationError, ImportRefusedError, why_unread
from ...catalogue.own_subjects import require_program
from ...models.own_server import OwnServer
from .war import read_war

IMPLEMENTATIONS = {"war": "java", "jar": "jar"}  # the folder of a service that servers run
GIVEN = {"war": "given.war", "jar": "given.jar"}
ARGUMENTS = "arguments"  # beside the jar: its arguments, one a line
_MANIFEST = "META-INF/MANIFEST.MF"
_MOST_BYTES = 2**20
_MOST_BESIDE = 10_000
# Runs a command in the folder where the user added it. `{port}` gives the start a port of its own.
_IN_FOLDER = 'cd "$1" && shift && export PORT={port} SERVER_PORT={port} && exec "$@"'


@dataclass(frozen=True)
class Program:
    """A user's program. `file` is the WAR or jar, `words` a jar's arguments or the whole command line, `beside` the files that a
    jar needs beside it, and `notes` are for the user."""

    kind: Literal["war", "jar", "command"]
    file: Path | None
    words: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of its file; raises ConfigurationError for a command line, which has none."""
        if self.file is None:
            raise ConfigurationError("a command line has no name of its own", hint="give the service one with --name")
        return self.file.stem

    @property
    def start(self) -> list[str]:
        """The start line of a command's service, which runs in the current folder."""
        return ["sh", "-c", _IN_FOLDER, "sh", str(Path.cwd()), *self.words]

    def write(self, folder: Path) -> None:
        """Copy its files into the folder of a service."""
        if self.file is None or self.kind == "command":
            return
        room = folder / IMPLEMENTATIONS[self.kind]
        room.mkdir()
        shutil.copyfile(self.file, room / GIVEN[self.kind])
        for name in self.beside:
            source, target = self.file.parent / name, room / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True)
            else:
                shutil.copyfile(source, target)
        if self.words:
            (room / ARGUMENTS).write_text("".join(f"{word}\n" for word in self.words), encoding="utf-8")


def program_of(text: str) -> Program:
    """The program that the text names; raises ConfigurationError, ImportRefusedError."""
    file = Path(text)
    if file.suffix.lower() == ".war":
        return Program("war", file, notes=tuple(read_war(file).contexts))
    if file.suffix.lower() == ".jar" and (file.is_file() or len(text.split()) == 1):
        return Program("jar", file, beside=tuple(_files_beside(file)))
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ConfigurationError(f"'{text[:200]}' is not a command line: {error}", hint="close each quote") from None
    if not words:
        raise ConfigurationError("the program is empty", hint="give a WAR, a jar or a command line")
    plain = words[2:] if words[:2] == ["java", "-jar"] else words
    if plain and plain[0].lower().endswith(".jar"):
        return _jar_with_arguments(Path(plain[0]), plain[1:])
    server = OwnServer(title=text, folder=str(Path.cwd()), start=words)
    require_program(server, "add")
    return Program("command", None, tuple(words))


def _jar_with_arguments(file: Path, words: list[str]) -> Program:
    if any("\n" in word for word in words):
        raise ConfigurationError("an argument of the jar holds a line break", hint="give each argument on one line")
    return Program("jar", file, tuple(words), tuple(_files_beside(file)))


def _files_beside(jar: Path) -> list[str]:
    """The files that an executable jar's manifest names on its class path, those that exist, relative to its folder.

    Raises ImportRefusedError if it is not an executable jar, or if one lies outside of its folder.
    """
    manifest = _manifest(jar)
    if "Main-Class" not in manifest:
        raise ImportRefusedError(
            f"{jar} is not executable: its manifest has no Main-Class", hint="give the jar that `java -jar` starts"
        )
    folder = jar.resolve().parent
    beside = []
    for word in manifest.get("Class-Path", "").split()[:_MOST_BESIDE]:
        name = unquote(word)
        place = (folder / name).resolve() if ":" not in name and "\0" not in name else Path("/")
        if not place.is_relative_to(folder) or place == folder:
            raise ImportRefusedError(
                f"the class path of {jar} names {name[:200]}, which is outside of its folder",
                hint="build one jar with all libraries in it, or put them below its folder",
            )
        if place.exists():
            beside.append(str(place.relative_to(folder)))
    return beside


def _manifest(jar: Path) -> dict[str, str]:
    """The main section of a jar's manifest; raises ImportRefusedError."""
    try:
        with zipfile.ZipFile(jar) as archive:
            if archive.getinfo(_MANIFEST).file_size > _MOST_BYTES:
                raise ImportRefusedError(f"the manifest of {jar} is larger than {_MOST_BYTES >> 20} MiB")
            text = archive.read(_MANIFEST).decode(errors="replace")
    except KeyError:
        raise ImportRefusedError(
            f"{jar} is not executable: it has no manifest", hint="give the jar that `java -jar` starts"
        ) from None
    except (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as error:
        why = why_unread(error) if isinstance(error, OSError) else str(error)
        raise ImportRefusedError(
            f"the jar {jar} cannot be read: {why}", hint="give the jar that `java -jar` starts"
        ) from None
    lines = re.sub(r"\r\n?", "\n", text)
    main = re.sub(r"\n ", "", lines).partition("\n\n")[0]
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in main.splitlines())}

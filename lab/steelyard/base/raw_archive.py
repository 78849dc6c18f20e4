"""The archive of a kept run's raw files, `raw.zip`: read in place, never unpacked to disk (contracts/kept-run.md).

A path such as `RUN/trials/01/slices.csv` names the member `trials/01/slices.csv` of `RUN/raw.zip` where no such file is on disk.
An archive may come from anywhere: its size, its number of files and their names are checked before a byte of them is read.
"""

from __future__ import annotations

import functools
import stat
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .errors import StoreError

NAME = "raw.zip"
MOST_FILES = 20_000
MOST_BYTES = 2_000_000_000  # of all files together, unpacked
MOST_PACKED_BYTES = 500_000_000
_DEEPEST = 6  # folders between a file and the archive
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same files give the same archive
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2}
_CHUNK = 4096  # small, so that a hostile member cannot unpack to gigabytes at once


@dataclass(frozen=True)
class _Archive:
    """An open archive: its members by path, and the names in each of its folders."""

    file: zipfile.ZipFile
    members: dict[str, zipfile.ZipInfo]
    folders: dict[str, frozenset[str]]


def has_file(path: Path) -> bool:
    """Whether an archive above `path` holds this file; raises StoreError where the archive is not a valid one."""
    place = _place(path)
    return place is not None and place[1] in place[0].members


def names_in(folder: Path) -> frozenset[str]:
    """The names of files and folders that an archive in or above `folder` holds there; raises StoreError."""
    place = _place(folder / "any")
    return frozenset() if place is None else place[0].folders.get(str(PurePosixPath(place[1]).parent), frozenset())


def read_member(path: Path, most_bytes: int = MOST_BYTES) -> bytes | None:
    """The content of the file that an archive above `path` holds; None where none does.

    Raises StoreError where the archive is not a valid one, or the file is damaged or larger than `most_bytes`.
    """
    place = _place(path)
    if place is None or place[1] not in place[0].members:
        return None
    archive, name = place
    member = archive.members[name]
    if member.file_size > most_bytes:
        raise StoreError(f"{path} is larger than {most_bytes:,} bytes")
    parts = []
    try:
        with archive.file.open(member) as file:
            while part := file.read(_CHUNK):
                parts.append(part)
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, RuntimeError) as error:
        raise StoreError(f"{path} cannot be read from {NAME}: {error}") from None
    return b"".join(parts)


def write_archive(path: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write files, each a path within the run and its content; the same files give the same bytes. Raises StoreError."""
    try:
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in sorted(files):
                member = zipfile.ZipInfo(name, _EPOCH)
                member.compress_type = zipfile.ZIP_BZIP2
                member.create_system = 3
                member.external_attr = (stat.S_IFREG | 0o644) << 16
                archive.writestr(member, content)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from None


def _place(path: Path) -> tuple[_Archive, str] | None:
    """The nearest archive above a path, and the path within it."""
    for folder in path.parents[: _DEEPEST + 1]:
        try:
            status = (folder / NAME).stat()
        except (OSError, ValueError):
            continue
        if not stat.S_ISREG(status.st_mode):
            continue
        archive = _open_archive(str((folder / NAME).absolute()), status.st_mtime_ns, status.st_size)
        return archive, path.relative_to(folder).as_posix()
    return None


@functools.lru_cache(maxsize=64)
def _open_archive(path: str, _changed_ns: int, size: int) -> _Archive:
    """The archive at `path`, which is opened again where it changed; raises StoreError where it is not a valid one."""
    if size > MOST_PACKED_BYTES:
        raise StoreError(f"{path} is larger than {MOST_PACKED_BYTES:,} bytes")
    try:
        file = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise StoreError(f"{path} is not a zip archive: {error}", hint="make it again with `steelyard keep`") from None
    members: dict[str, zipfile.ZipInfo] = {}
    folders: dict[str, set[str]] = {}
    for member in file.infolist():
        if fault := _fault(member, members):
            raise StoreError(f"{path}: {member.filename[:100]!r} {fault}", hint="do not trust this archive")
        members[member.filename] = member
        inner = PurePosixPath(member.filename)
        for child, parent in zip((inner, *inner.parents), inner.parents, strict=False):
            folders.setdefault(str(parent), set()).add(child.name)
    if len(members) > MOST_FILES or sum(member.file_size for member in members.values()) > MOST_BYTES:
        raise StoreError(f"{path} contains more than {MOST_FILES:,} files or {MOST_BYTES:,} bytes")
    return _Archive(file, members, {name: frozenset(names) for name, names in folders.items()})


def _fault(member: zipfile.ZipInfo, members: dict[str, zipfile.ZipInfo]) -> str:
    """Why a member must not be read; empty where nothing is wrong with it."""
    parts = member.filename.split("/")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if not set(parts).isdisjoint({"", ".", ".."}) or "\\" in member.filename or len(parts) > _DEEPEST + 1:
        return "is not a path within a run"
    if kind not in (0, stat.S_IFREG):
        return "is not a regular file"
    if member.filename in members:
        return "occurs twice"
    if member.compress_type not in _METHODS or member.flag_bits & 1:
        return "is packed in a way that is not supported"
    return ""

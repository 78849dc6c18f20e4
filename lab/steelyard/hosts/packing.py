"""File trees for copies to another machine, named there by their hash: existing copies are not sent again."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

_MADE_BY_USE = {"__pycache__", ".pytest_cache"}
_PIECE = 1 << 20


@dataclass(frozen=True)
class Tree:
    """Files of the folder `base` for a remote command: these parts by relative path, or all of it without parts. Where `base` is
    a file, that file alone."""

    base: Path
    parts: Sequence[str] = ()

    def entries(self) -> Iterator[tuple[str, Path]]:
        """Each file and link by its name in the tree, in order."""
        if self.base.is_file():
            yield self.base.name, self.base
            return
        for start in [self.base / part for part in self.parts] if self.parts else [self.base]:
            yield from sorted(self._walk_below(start))

    def _walk_below(self, start: Path) -> Iterator[tuple[str, Path]]:
        for folder, below, names in os.walk(start):
            place = Path(folder)
            linked = [name for name in below if (place / name).is_symlink()]
            below[:] = [name for name in below if name not in _MADE_BY_USE and name not in linked]
            for name in (*names, *linked):
                if (place / name).is_symlink() or (place / name).is_file():  # no sockets or pipes
                    yield str((place / name).relative_to(self.base)), place / name


def digest(tree: Tree) -> str:
    """A name for a tree's content: SHA-256 over names, contents, link targets, and executable flags."""
    whole = hashlib.sha256()
    for name, path in tree.entries():
        whole.update(f"{name}\0".encode())
        if path.is_symlink():
            whole.update(f"link {path.readlink()}\0".encode())
            continue
        whole.update(b"program\0" if path.stat().st_mode & stat.S_IXUSR else b"file\0")
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()[:32]


def write(tree: Tree, stream: IO[bytes]) -> None:
    """Write a tar file of the tree, without owners and times. Raises OSError where the reader ends early."""
    with tarfile.open(fileobj=stream, mode="w|", bufsize=_PIECE, format=tarfile.GNU_FORMAT) as packed:
        for name, path in tree.entries():
            packed.add(path, name, recursive=False, filter=_nameless)


def unpack(stream: IO[bytes], folder: Path) -> None:
    """Extract a tar file from another machine into `folder`, replacing files of the same names; entries that are not plain files
    or lead out of the folder are skipped. Raises OSError, and ValueError where it is not a tar file."""
    try:
        with tarfile.open(fileobj=stream, mode="r|", bufsize=_PIECE) as packed:
            for member in packed:
                name = PurePosixPath(member.name)
                if not member.isfile() or name.is_absolute() or ".." in name.parts:
                    continue
                content = packed.extractfile(member)
                assert content is not None  # never None for a plain file
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("wb") as file:
                    shutil.copyfileobj(content, file)
    except tarfile.TarError as error:
        raise ValueError(str(error)) from None


def _nameless(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member

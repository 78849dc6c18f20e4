"""Small tables and documents on disk: read with the file and line in every complaint, written whole or not at all.

A file may be packed: alone under its name and `.xz`, or in a kept run's archive (raw_archive); readers need not know.
"""

from __future__ import annotations

import csv
import errno
import io
import json
import lzma
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import raw_archive
from .errors import StoreError

_LARGEST_FIELD = 1_000_000

PACKED = ".xz"

_PLACES = {
    errno.ENOENT: "make its folder first, or name another place",
    errno.ENOTDIR: "name another place",
    errno.EISDIR: "a folder is there: name a file",
}


@dataclass(frozen=True)
class Row:
    """One row of a table: its line in the file (the header is line 1) and its fields as text."""

    path: Path
    line: int
    fields: Mapping[str, str]

    def text(self, name: str) -> str:
        """The field as it stands in the file."""
        return self.fields[name]

    def whole(self, name: str) -> int:
        """The field as a whole number from 0 up; raises StoreError."""
        try:
            return _whole(self.fields[name])
        except ValueError:
            raise self._wrong(name, "a whole number from 0 up") from None

    def number(self, name: str) -> float:
        """The field as a finite number; raises StoreError."""
        try:
            return _finite(self.fields[name])
        except ValueError:
            raise self._wrong(name, "a number") from None

    def _wrong(self, name: str, meaning: str) -> StoreError:
        return StoreError(f"{self.path}, line {self.line}: {name} is '{self.fields[name][:40]}', not {meaning}")


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 20):
        raise ValueError(text)
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError(text)
    return value


def is_stored(path: Path) -> bool:
    """Whether a file is there, plain or packed; raises StoreError where a kept run's archive is not a valid one."""
    return path.exists() or packed_place(path).exists() or raw_archive.has_file(path)


def names_in(folder: Path) -> list[str]:
    """The names of the files and folders in a folder, plain or packed, sorted; none where there is no folder. Raises StoreError."""
    plain = {path.name.removesuffix(PACKED) for path in folder.iterdir()} if folder.is_dir() else set()
    return sorted(plain | raw_archive.names_in(folder))


def packed_place(path: Path) -> Path:
    """Where a file lies if it lies packed."""
    return path.with_name(f"{path.name}{PACKED}")


def pack(content: bytes) -> bytes:
    """The content as a `.xz` file: a tenth smaller than gzip on histograms' text, a quarter on tables."""
    return lzma.compress(content, preset=6 | lzma.PRESET_EXTREME)


def read_bytes(path: Path) -> bytes:
    """The whole of a stored file, plain or else packed; raises StoreError that names it."""
    packed = packed_place(path)
    try:
        if not path.exists():
            if packed.exists():
                return lzma.decompress(packed.read_bytes())
            archived = raw_archive.read_member(path)
            if archived is not None:
                return archived
        return path.read_bytes()
    except FileNotFoundError:
        raise StoreError(f"{path} is missing") from None
    except (lzma.LZMAError, EOFError) as error:
        raise StoreError(f"{packed} cannot be unpacked: {error}") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from None


def read_text(path: Path, *, may_be_cut: bool = False) -> str:
    """The whole of a stored text file, whose last line has its end; raises StoreError that names it.

    `may_be_cut` says that the writer may have been killed: a last line without its line end is then left out.
    """
    try:
        text = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise StoreError(f"{path}: byte {error.start} is not UTF-8") from None
    if text and not text.endswith("\n"):
        if not may_be_cut:
            raise StoreError(f"{path} was cut short: its last line has no end")
        text = text[: text.rfind("\n") + 1]
    return text


def read_table(path: Path, columns: Sequence[str], *, may_be_cut: bool = False) -> Iterator[Row]:
    """The rows of a CSV file that has at least `columns`; raises StoreError that names the file and the line.

    `may_be_cut` as in `read_text`.
    """
    text = read_text(path, may_be_cut=may_be_cut)
    csv.field_size_limit(_LARGEST_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, None)
        if header is None:
            raise StoreError(f"{path} is empty: its header is missing")
        missing = [name for name in columns if name not in header]
        if missing:
            raise StoreError(f"{path}, line 1: the column {missing[0]} is missing")
        for values in reader:
            if len(values) != len(header):
                raise StoreError(
                    f"{path}, line {reader.line_num}: {len(values)} fields where the header has {len(header)}"
                )
            yield Row(path, reader.line_num, dict(zip(header, values, strict=True)))
    except csv.Error as error:
        raise StoreError(f"{path}, line {reader.line_num}: {error}") from None


def read_document(path: Path) -> Any:
    """A JSON file's content; raises StoreError that names the file and the line."""
    try:
        return json.loads(read_bytes(path).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise StoreError(f"{path}: byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise StoreError(f"{path}, line {error.lineno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise StoreError(f"{path}: nested too deeply") from None


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]], *, packed: bool = False) -> None:
    """Write a CSV file whole, or leave the old one; `packed` writes it packed, beside its name; raises StoreError."""
    text = table_text(columns, rows)
    if packed:
        write_bytes(packed_place(path), pack(text.encode()))
    else:
        write_text(path, text)


def table_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as CSV."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def write_document(path: Path, content: object) -> None:
    """Write a JSON file whole, or leave the old one; raises StoreError."""
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def write_lists(path: Path, content: Mapping[str, object]) -> None:
    """Write a JSON object with a line per key, and a line per item of its lists, or leave the old one; raises StoreError."""
    write_text(
        path, "{\n" + ",\n".join(f"{_json(key)}: {_item_lines(value)}" for key, value in content.items()) + "\n}\n"
    )


def _item_lines(value: object) -> str:
    if not isinstance(value, list) or not value:
        return _json(value)
    return "[\n" + ",\n".join(_json(item) for item in value) + "\n]"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def read_small(path: Path, most_bytes: int) -> bytes:
    """What a file of at most so many bytes holds, of a folder that came from anywhere; raises StoreError where it is another."""
    try:
        # Nobody waits for a pipe's other end, and what is no regular file is not read.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > most_bytes:
                raise StoreError(f"{path} is not a file of at most {most_bytes:,} bytes")
            return file.read(most_bytes)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from None


def require_room(path: Path, hint: str) -> None:
    """Raise StoreError where no folder can be made at `path`, as far as that is known before it is tried."""
    try:
        nearest = next(parent for parent in path.absolute().parents if parent.exists())
        why_not = "" if nearest.is_dir() else f"{nearest} is no folder"
        if not why_not and not os.access(nearest, os.W_OK | os.X_OK):
            why_not = f"{nearest} may not be written to"
    except OSError as error:
        why_not = error.strerror or type(error).__name__
    if why_not:
        raise StoreError(f"the folder {path} cannot be made: {why_not}", hint=hint)


def write_text(path: Path, text: str, *, lasting: bool = True) -> None:
    """Write a text file as `write_bytes` does; raises StoreError."""
    write_bytes(path, text.encode(), lasting=lasting)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines of text as they come, as `write_bytes` does; raises StoreError."""
    _write_whole(path, (f"{line}\n".encode() for line in lines), lasting=True)


def write_bytes(path: Path, content: bytes, *, lasting: bool = True) -> None:
    """Write a file beside itself and rename it once it is on the disk: nobody ever finds half of it; raises StoreError.

    What need not be `lasting` does not wait for the disk: it may be lost with the power, and nothing else.
    """
    _write_whole(path, [content], lasting=lasting)


def _write_whole(path: Path, parts: Iterable[bytes], *, lasting: bool) -> None:
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            if lasting:
                os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
        if lasting:
            _keep_name(path.parent)
    except OSError as error:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        hint = _PLACES.get(error.errno or 0, "is the disk full, or the folder read-only?")
        raise StoreError(f"{path} cannot be written: {error.strerror}", hint=hint) from None


def _keep_name(folder: Path) -> None:
    """Have the disk keep the names of a folder too: a rename alone may be lost with the power."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

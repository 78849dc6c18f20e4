"""Small tables and documents on disk. Errors name file and line, and files are written whole or not at all.

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
from itertools import chain, islice
from pathlib import Path
from typing import Any, AnyStr

from . import raw_archive
from .errors import StoreError

_LARGEST_FIELD = 1_000_000
_DIGITS = 20  # of a whole number, at most
_LINES_AT_ONCE = 10_000  # rows that are written at a time

PACKED = ".xz"

_PLACES = {
    errno.ENOENT: "create its folder first, or choose another path",
    errno.ENOTDIR: "choose another path",
    errno.EISDIR: "this is a folder: choose a file",
}


@dataclass(frozen=True)
class Row:
    """One row of a table: its line number (the header is line 1) and its fields as text."""

    path: Path
    line: int
    fields: Mapping[str, str]

    def text(self, name: str) -> str:
        """The field's text."""
        return self.fields[name]

    def whole(self, name: str) -> int:
        """The field as a whole number of at least 0. Raises StoreError."""
        try:
            return _whole(self.fields[name])
        except ValueError:
            raise self._wrong(name, "a whole number of at least 0") from None

    def number(self, name: str) -> float:
        """The field as a finite number. Raises StoreError."""
        try:
            return _finite(self.fields[name])
        except ValueError:
            raise self._wrong(name, "a number") from None

    def _wrong(self, name: str, meaning: str) -> StoreError:
        return StoreError(f"{self.path}, line {self.line}: {name} is '{self.fields[name][:40]}', not {meaning}")


@dataclass(frozen=True)
class TableChunk:
    """Some rows of a table, one after the other: their line numbers, and the texts of each column."""

    path: Path
    lines: Sequence[int]
    columns: Mapping[str, Sequence[str]]

    def whole(self, name: str, where: Sequence[bool] | None = None) -> list[int]:
        """A column as whole numbers of at least 0; 0 in rows that are not in `where`. Raises StoreError."""
        texts = self.columns[name]
        if where is not None and not all(where):
            texts = [text if is_in else "0" for text, is_in in zip(texts, where, strict=True)]
        digits = "".join(texts)  # one look at all texts takes a tenth of a look at each
        if digits.isdigit() and digits.isascii() and "" not in texts and max(map(len, texts)) <= _DIGITS:
            return list(map(int, texts))
        return [Row(self.path, line, {name: text}).whole(name) for line, text in zip(self.lines, texts, strict=True)]


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
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
    """The path of the packed form of a file."""
    return path.with_name(f"{path.name}{PACKED}")


def pack(content: bytes) -> bytes:
    """The content in xz format. It is a tenth smaller than gzip on histogram text and a quarter on tables."""
    return lzma.compress(content, preset=6 | lzma.PRESET_EXTREME)


def read_bytes(path: Path) -> bytes:
    """The content of a stored file, plain or packed. Raises StoreError with its path."""
    packed = packed_place(path)
    try:
        if not path.exists():
            if packed.exists():
                return lzma.decompress(packed.read_bytes())
            archived = raw_archive.read_member(path)
            if archived is not None:
                return archived
        if not _is_plain(path):
            raise StoreError(f"{path} is not a regular file")
        return path.read_bytes()
    except FileNotFoundError:
        raise StoreError(f"{path} is missing") from None
    except (lzma.LZMAError, EOFError) as error:
        raise StoreError(f"{packed} cannot be unpacked: {error}") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from None


def _is_plain(path: Path) -> bool:
    """Whether reading ends: a pipe or a device may never do so. A folder is refused when it is opened."""
    kind = path.stat().st_mode
    return stat.S_ISREG(kind) or stat.S_ISDIR(kind)


def read_text(path: Path, *, may_be_cut: bool = False) -> str:
    """The content of a stored text file whose last line is complete. Raises StoreError with its path.

    With `may_be_cut`, an incomplete last line of a killed writer is left out.
    """
    text = _text_of(path, read_bytes(path))
    return text[: _end_of_lines(path, text, "\n", may_be_cut)]


def _text_of(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StoreError(f"{path}: byte {error.start} is not UTF-8") from None


def _end_of_lines(path: Path, text: AnyStr, line_end: AnyStr, may_be_cut: bool) -> int:
    """The length of a text's complete lines; raises StoreError where it ends within one, unless that may be."""
    if not text or text.endswith(line_end):
        return len(text)
    if not may_be_cut:
        raise StoreError(f"{path} was cut short: its last line is incomplete")
    return text.rfind(line_end) + 1


def read_table(path: Path, columns: Sequence[str], *, may_be_cut: bool = False) -> Iterator[Row]:
    """The rows of a CSV file that has at least `columns`. Raises StoreError with file and line.

    `may_be_cut` as in `read_text`.
    """
    lines = _read_lines(path, columns, may_be_cut)
    _, header = next(lines)
    for line, values in lines:
        yield Row(path, line, dict(zip(header, values, strict=True)))


def read_chunks(path: Path, columns: Sequence[str], at_once: int, *, may_be_cut: bool = False) -> Iterator[TableChunk]:
    """The rows of a table as `read_table` gives them, `at_once` at a time: for tables of millions of rows."""
    lines = _read_lines(path, columns, may_be_cut)
    _, header = next(lines)
    while some := list(islice(lines, at_once)):
        texts = zip(*(values for _, values in some), strict=True)
        yield TableChunk(path, [line for line, _ in some], dict(zip(header, texts, strict=True)))


def _read_lines(path: Path, columns: Sequence[str], may_be_cut: bool) -> Iterator[tuple[int, list[str]]]:
    """Line number and fields of a table's header, which has `columns`, and then of each row."""
    content = read_bytes(path)
    _text_of(path, content)  # which is not kept: a text takes up to four bytes a character
    lines = io.BytesIO(content[: _end_of_lines(path, content, b"\n", may_be_cut)])
    csv.field_size_limit(_LARGEST_FIELD)
    reader = csv.reader(io.TextIOWrapper(lines, encoding="utf-8", newline=""), strict=True)
    try:
        header = next(reader, None)
        if header is None:
            raise StoreError(f"{path} is empty: it has no header")
        missing = [name for name in columns if name not in header]
        if missing:
            raise StoreError(f"{path}, line 1: the column {missing[0]} is missing")
        yield 1, header
        for values in reader:
            if len(values) != len(header):
                raise StoreError(
                    f"{path}, line {reader.line_num}: {len(values)} fields where the header has {len(header)}"
                )
            yield reader.line_num, values
    except csv.Error as error:
        raise StoreError(f"{path}, line {reader.line_num}: {error}") from None


def read_document(path: Path) -> Any:
    """The content of a JSON file. Raises StoreError with file and line."""
    try:
        return json.loads(_text_of(path, read_bytes(path)))
    except json.JSONDecodeError as error:
        raise StoreError(f"{path}, line {error.lineno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise StoreError(f"{path}: nested too deeply") from None


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]], *, packed: bool = False) -> None:
    """Write a CSV file whole, or leave the old one; `packed` writes it packed, beside its name; raises StoreError."""
    if packed:
        write_bytes(packed_place(path), pack(table_text(columns, rows).encode()))
    else:
        _write_whole(path, _table_parts(columns, iter(rows)), lasting=True)


def _table_parts(columns: Sequence[str], rows: Iterator[Sequence[object]]) -> Iterator[bytes]:
    """A table as CSV, some rows at a time."""
    yield table_text(columns, ()).encode()
    while some := list(islice(rows, _LINES_AT_ONCE)):
        yield _csv_lines(some).encode()


def table_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as CSV."""
    return _csv_lines(chain([columns], rows))


def _csv_lines(rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def write_document(path: Path, content: object) -> None:
    """Write a JSON file atomically. Raises StoreError."""
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
    """The content of a regular file of at most `most_bytes`, from an untrusted folder.

    Raises StoreError for any other.
    """
    try:
        # O_NONBLOCK so that a named pipe does not block. Only regular files are read.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > most_bytes:
                raise StoreError(f"{path} is not a file of at most {most_bytes:,} bytes")
            return file.read(most_bytes)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from None


def require_folder_possible(path: Path, hint: str) -> None:
    """Raise StoreError where no folder can be created at `path`, as far as that is known beforehand."""
    try:
        nearest = next(parent for parent in path.absolute().parents if parent.exists())
        why_not = "" if nearest.is_dir() else f"{nearest} is not a folder"
        if not why_not and not os.access(nearest, os.W_OK | os.X_OK):
            why_not = f"{nearest} is not writable"
    except OSError as error:
        why_not = error.strerror or type(error).__name__
    if why_not:
        raise StoreError(f"cannot create the folder {path}: {why_not}", hint=hint)


def write_text(path: Path, text: str, *, lasting: bool = True) -> None:
    """Write a text file as `write_bytes` does. Raises StoreError."""
    write_bytes(path, text.encode(), lasting=lasting)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines of text one by one, as `write_bytes` does. Raises StoreError."""
    _write_whole(path, (f"{line}\n".encode() for line in lines), lasting=True)


def write_bytes(path: Path, content: bytes, *, lasting: bool = True) -> None:
    """Write a temporary file beside the target and rename it, so no reader sees half a file. Raises StoreError.

    A file that is not `lasting` is not flushed to disk, so a power failure may lose it.
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
        hint = _PLACES.get(error.errno or 0, "check for free space and that the folder is writable")
        raise StoreError(f"cannot write {path}: {error.strerror}", hint=hint) from None
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)  # it has another name by now, unless something failed


def _keep_name(folder: Path) -> None:
    """Flush a folder's entries to disk: a power failure may undo a rename alone."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

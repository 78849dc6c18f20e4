"""Record files of the monitor, read as far as they are complete. monitor/README.md has the format."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..base.csvfiles import read_bytes, read_document
from ..base.errors import StoreError
from .request_columns import ColumnsBuilder, LayerTime, RequestColumns, RequestRecord

RECORDS = "records"
SUFFIX = ".records"
_END = "-end.json"
_AGENT = "-agent.json"
_MAGIC = b"STEELYD1"
_TAG, _THREAD, _REQUEST = 1, 2, 3
_FRAME = struct.Struct("<IB")
_REQUEST_HEAD = struct.Struct("<qBB")
_LAYER = struct.Struct("<BIqqq")
_LENGTH = struct.Struct("<H")
_THREAD_ID = struct.Struct("<q")


@dataclass(frozen=True)
class RecordFolder:
    """All records of the processes of one place.

    `records` counts those written; `lost` and `violations` come from the end marks. `whole` is false where a process left no end
    mark. `cut` lists files that end within a record. `clock_offset_ns` is added to a time to get ns since 1970; None where no
    end mark has it.
    """

    requests: RequestColumns
    lost: int
    violations: int
    whole: bool
    cut: tuple[str, ...]
    clock_offset_ns: int | None = None


@dataclass(frozen=True)
class _End:
    """The end mark of a recording."""

    lost: int
    clock_offset_ns: int | None


@dataclass(frozen=True)
class AgentCounts:
    """What the agents of one place could not record.

    `unwatched` counts classes that could not be changed or do not see the agent; `outside` counts by tag the calls outside of
    any request.
    """

    unwatched: int
    outside: Mapping[str, int]


def records_of(trial: Path, subject: str, place: str) -> Path:
    """The folder for the records of the processes of a place."""
    return trial / RECORDS / f"{subject}.{place}"


def read_records(folder: Path) -> RecordFolder:
    """The records in such a folder; raises StoreError that names the invalid file."""
    requests = ColumnsBuilder()
    cut = []
    paths = sorted(folder.glob(f"*{SUFFIX}"))
    for path in paths:
        content = read_bytes(path)
        whole = len(_MAGIC)
        for frame_end, request in _frames(path, content):
            whole = frame_end
            if request is not None:
                requests.add(request)
        if whole != len(content):
            cut.append(path.name)
    ends = [_end(path) for path in sorted(folder.glob(f"*{_END}"))]
    recordings = {"-".join(path.name.split("-")[:2]) for path in paths}
    columns = requests.columns()
    return RecordFolder(
        columns,
        lost=sum(end.lost for end in ends),
        violations=int(np.count_nonzero(columns.violations)),
        whole=bool(ends) and len(recordings) <= len(ends),
        cut=tuple(cut),
        clock_offset_ns=next((end.clock_offset_ns for end in ends if end.clock_offset_ns is not None), None),
    )


def read_agent_counts(folder: Path) -> AgentCounts:
    """The counts of all processes of such a folder at their end; raises StoreError."""
    unwatched, outside = 0, Counter[str]()
    for path in sorted(folder.glob(f"*{_AGENT}")):
        content = read_document(path)
        try:
            unwatched += int(content["failed"]) + int(content["unseen"])
            outside.update({str(tag): int(count) for tag, count in content["outside"].items()})
        except (KeyError, TypeError, ValueError, AttributeError):
            raise StoreError(f"{path} lacks the agent's counts of what it could not record") from None
    return AgentCounts(unwatched, dict(sorted(outside.items())))


def _end(path: Path) -> _End:
    content = read_document(path)
    try:
        offset = int(content["ended_unix_ns"]) - int(content["ended_ns"]) if "ended_unix_ns" in content else None
        return _End(int(content["lost"]), offset)
    except (KeyError, TypeError, ValueError):
        raise StoreError(f"{path} lacks the number of lost requests") from None


def _frames(path: Path, content: bytes) -> Iterator[tuple[int, RequestRecord | None]]:
    """Each whole frame's end, with the request where it is one."""
    if content[: len(_MAGIC)] != _MAGIC[: len(content)]:
        raise StoreError(f"{path} contains no records of the monitor")
    tags: dict[int, str] = {}
    thread, place = 0, len(_MAGIC)
    while place + _FRAME.size <= len(content):
        length, kind = _FRAME.unpack_from(content, place)
        end = place + 4 + length
        if end > len(content):
            return
        request = None
        try:
            body = place + _FRAME.size
            if kind == _TAG:
                tags[content[body]] = _text(content, body + 1, end)[0]
            elif kind == _THREAD:
                (thread,) = _THREAD_ID.unpack_from(content, body)
            elif kind == _REQUEST:
                request = _request(content, body, end, thread, tags)
            else:
                raise ValueError(kind)
        except (ValueError, KeyError, IndexError, struct.error):
            raise StoreError(f"{path}: there is no record of the monitor at byte {place}") from None
        place = end
        yield end, request


def _request(content: bytes, place: int, end: int, thread: int, tags: dict[int, str]) -> RequestRecord:
    begin_ns, violations, count = _REQUEST_HEAD.unpack_from(content, place)
    place += _REQUEST_HEAD.size
    layers: dict[str, LayerTime] = {}
    for _ in range(count):
        tag, entries, total, alone, first = _LAYER.unpack_from(content, place)
        place += _LAYER.size
        if min(entries, total, alone) < 0 or place > end:
            raise ValueError(tag)
        layers[tags[tag]] = LayerTime(entries, total, alone, first)
    contexts: dict[str, str] = {}
    count, place = content[place], place + 1
    for _ in range(count):
        tag = content[place]
        key, place = _text(content, place + 1, end)
        value, place = _text(content, place, end)
        contexts[f"{tags[tag]}_{key}"] = value
    if place != end:
        raise ValueError(place)
    return RequestRecord(thread, begin_ns, violations, layers, contexts)


def _text(content: bytes, place: int, end: int) -> tuple[str, int]:
    (length,) = _LENGTH.unpack_from(content, place)
    place += _LENGTH.size
    if place + length > end:
        raise ValueError(length)
    return content[place : place + length].decode("utf-8", errors="replace"), place + length

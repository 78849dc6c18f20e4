"""Recorded requests for other tools: as CSV rows, and as text records.

Both formats are those of Pardal, Pardal and Alves Marques, "Improving Web Services Performance, One Step at a Time" (figures 5
and 4).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from .layer_requests import RecordedRequests


def csv_lines(recorded: RecordedRequests) -> Iterator[str]:
    """A header, and one row per request: its place in the run, its layers (`TAG_t`, ms) and its contexts."""
    contexts = recorded.contexts
    yield _line([*recorded.places, "begin_ns", *(f"{tag}_t" for tag in recorded.tags), *contexts])
    for request in recorded.requests:
        times = (request.record.layers.get(tag) for tag in recorded.tags)
        yield _line(
            [
                *(request.place[name] for name in recorded.places),
                str(request.record.begin_ns),
                *("" if time is None else f"{time.total_ns / 1e6:.6f}" for time in times),
                *(request.record.contexts.get(key, "") for key in contexts),
            ]
        )


def text_records(recorded: RecordedRequests) -> Iterator[str]:
    """One line per layer, by name, with its accumulated time and contexts, and an empty line after each request."""
    for request in recorded.requests:
        record = request.record
        for tag in sorted(record.layers):
            own = record.contexts_of(tag)
            context = f" context[{','.join(f'{key}={_plain(value)}' for key, value in own.items())}]" if own else ""
            yield f"thread[{record.thread}] tag[{tag}] accTime[{record.layers[tag].total_ns}ns]{context}"
        yield ""


def _plain(value: str) -> str:
    """The text without characters that would end the field or the line."""
    return "".join(each if each.isprintable() and each not in ",[]" else "_" for each in value)


def _line(fields: Sequence[str]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="").writerow(fields)
    return text.getvalue()

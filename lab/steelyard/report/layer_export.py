"""Recorded requests for other tools: as rows, and as text records.

Both are those of Pardal, Pardal and Alves Marques, "Improving Web Services Performance, One Step at a Time" (figures 5 and 4).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from ..base.errors import ConfigurationError, StoreError
from ..store.layer_table import TimedRequest
from ..store.stored_run import Run, Trial


def conditions(words: Sequence[str]) -> dict[str, str]:
    """The value that each context key must have, of words such as `soap_name=search`; raises ConfigurationError."""
    for word in words:
        if "=" not in word:
            raise ConfigurationError(
                f"--where {word[:100]} is no condition", hint="write KEY=VALUE, such as soap_name=search"
            )
    return dict(word.split("=", 1) for word in words)


def csv_lines(run: Run, wanted: Mapping[str, str]) -> Iterator[str]:
    """A head, and a row a request: where it was measured, its layers (`TAG_t`, ms) and its contexts. Raises StoreError."""
    requests = list(_requests(run, wanted))
    tags = _tags(run, requests)
    contexts = sorted({key for _, request in requests for key in request.record.contexts})
    yield _line(["trial", "subject", "cell", "slice", "begin_ns", *(f"{tag}_t" for tag in tags), *contexts])
    for trial, request in requests:
        times = (request.record.layers.get(tag) for tag in tags)
        yield _line(
            [
                *(
                    str(trial.number),
                    request.subject,
                    trial.plans[request.slice].cell,
                    str(request.slice),
                    str(request.record.begin_ns),
                ),
                *("" if time is None else f"{time.total_ns / 1e6:.6f}" for time in times),
                *(request.record.contexts.get(key, "") for key in contexts),
            ]
        )


def text_records(run: Run, wanted: Mapping[str, str]) -> Iterator[str]:
    """A line a layer, by name, with its accumulated time and contexts, and a blank line after each request. Raises StoreError."""
    for _, request in _requests(run, wanted):
        for tag in sorted(request.record.layers):
            own = {
                key.removeprefix(f"{tag}_"): value
                for key, value in request.record.contexts.items()
                if key.startswith(f"{tag}_")
            }
            said = f" context[{','.join(f'{key}={_plain(value)}' for key, value in own.items())}]" if own else ""
            yield f"thread[{request.record.thread}] tag[{tag}] accTime[{request.record.layers[tag].total_ns}ns]{said}"
        yield ""


def _plain(value: str) -> str:
    """Without what would end the field or the line."""
    return "".join(each if each.isprintable() and each not in ",[]" else "_" for each in value)


def _requests(run: Run, wanted: Mapping[str, str]) -> Iterator[tuple[Trial, TimedRequest]]:
    if not run.schedule.layers:
        raise StoreError(f"{run.name} observed no layers", hint='its study asks for them by observe = ["layers"]')
    for trial in run.trials:
        rows = [
            row
            for number, slice_rows in trial.layers.items()
            if trial.plans[number].phase == "measure"
            for row in slice_rows
        ]
        for request in sorted(rows, key=lambda row: row.record.begin_ns):
            right = request.measured and not request.record.violations
            if right and all(request.record.contexts.get(key, "") == value for key, value in wanted.items()):
                yield trial, request


def _tags(run: Run, requests: Sequence[tuple[Trial, TimedRequest]]) -> list[str]:
    """Those of the layers from the outside in, then any others."""
    seen = {tag for _, request in requests for tag in request.record.layers}
    named = [tag for layer in run.schedule.layers for tag in layer.tags]
    return [tag for tag in named if tag in seen] + sorted(seen - set(named))


def _line(fields: Sequence[str]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="").writerow(fields)
    return text.getvalue()

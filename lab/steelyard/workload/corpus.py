"""The corpus: requests generated before the run, with the expected answers and the rules that check them."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import StoreError
from ..catalogue import factors
from ..catalogue.entries import Entry
from ..catalogue.formats import service_in_format
from ..models.job import Rule, Session
from ..models.records import Cell, in_format
from ..models.server import FORMAT
from ..models.service import Exchange, Operation, Service
from ..plan.cells import operations_of
from ..results.tables import SIZE_COLUMNS, SIZES
from . import exchanges, wildcards
from .body_format import BodyFormat
from .body_formats import meaning_of

COLUMNS = (
    *("entry", "operation", "offset", "length", "rule", "safe"),
    *("method", "path", "headers", "link", "pause_ms", "filled"),
)


MOST_BYTES = 128 * 2**20  # of one kind of request
LEAST_ENTRIES = 8


@dataclass(frozen=True)
class Corpus:
    """A stored corpus: its folder, and the rules by name that its entries use."""

    folder: Path
    rules: dict[str, Rule]


@dataclass(frozen=True)
class Requests:
    """One kind of request: an operation, and the values of the service's parameters for its size."""

    operation: str
    parameters: Mapping[str, int]


def requests_of(
    cells: Sequence[Cell], parameters: Mapping[str, int], sessions: Mapping[str, Session]
) -> dict[str, Requests]:
    """The requests that the cells need, by the names in `Cell.request_mix`, or by steps for sessions.

    `parameters` apply to all; a cell's payload overrides them.
    """
    return {
        name: Requests(operation, {**parameters, **cell.payload})
        for cell in cells
        for name, operation in operations_of(cell, sessions).items()
    }


def make(
    service: Entry[Service],
    folder: Path,
    wanted: Mapping[str, Requests],
    *,
    seed: int,
    count: int,
    formats: Collection[str] = (),
) -> Corpus:
    """Write corpus.bin, corpus.csv, rules.json and expected.jsonl: `count` exchanges for each name in `wanted`, fewer
    if they reach MOST_BYTES. Raises ContractError.

    Exchanges are streamed, so memory does not limit a corpus. After the service's own exchanges come the same in each
    of the other `formats`, named by `in_format`. The files of the service's factors are copied beside them, named after
    the factor.
    """
    made = _in_all_formats(service, wanted, formats, seed=seed, count=count)
    rules: dict[str, Rule] = {}
    offset = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (
            (folder / "corpus.bin").open("wb") as bodies,
            (folder / "corpus.csv").open("w", newline="", encoding="utf-8") as index,
            (folder / "expected.jsonl").open("w", encoding="utf-8") as expected,
        ):
            rows = csv.writer(index, lineterminator="\n")
            rows.writerow(COLUMNS)
            for entry, (format_service, meaning, operation_name, exchange) in enumerate(made):
                body = meaning.body(wildcards.fill(exchange.request, {}))
                rule = meaning.rule(exchange)
                name = f"{operation_name}-{entry}" if rule != rules.get(operation_name, rule) else operation_name
                rules[name] = rule
                bodies.write(body)
                own = _own_columns(format_service.model.operations[exchange.operation], exchange)
                rows.writerow([entry, operation_name, offset, len(body), name, int(exchange.safe), *own])
                expected.write(json.dumps({"entry": entry, "answer": exchange.answer}) + "\n")
                offset += len(body)
        written = {name: rule.model_dump(exclude_none=True) for name, rule in rules.items()}
        for name, file in factors.files(service).items():
            shutil.copyfile(file, folder / f"{name}{file.suffix}")
        (folder / "rules.json").write_text(json.dumps(written, indent=1), encoding="utf-8")
        keep_sizes(folder)
    except OSError as error:
        raise StoreError(f"the corpus cannot be written to {folder}: {error.strerror}") from None
    return Corpus(folder, rules)


def _in_all_formats(
    service: Entry[Service], wanted: Mapping[str, Requests], formats: Collection[str], *, seed: int, count: int
) -> Iterator[tuple[Entry[Service], BodyFormat, str, Exchange]]:
    """The exchanges in the service's format, then in each other format: with the service in that format, its body
    format, and the exchange's name."""
    for form in ("", *formats):
        in_it = service_in_format(service, {FORMAT: form}) if form else service
        meaning = meaning_of(in_it)
        for name, exchange in _make_exchanges(in_it, wanted, seed=seed, count=count):
            yield in_it, meaning, in_format(name, form), exchange


def _make_exchanges(
    service: Entry[Service], wanted: Mapping[str, Requests], *, seed: int, count: int
) -> Iterator[tuple[str, Exchange]]:
    """The exchanges of each kind of request as they are generated; fewer than `count` once they reach MOST_BYTES."""
    for name, requests in wanted.items():
        size = 0
        made = exchanges.generate_exchanges(
            service, requests.operation, seed=seed, count=count, parameters=requests.parameters
        )
        with closing(made):
            for number, exchange in enumerate(made, 1):
                yield name, exchange
                size += len(exchange.request)
                if size >= MOST_BYTES and number >= LEAST_ENTRIES:
                    break


def expected_answers(folder: Path) -> dict[int, str]:
    """The expected answers of the corpus in `folder`, as text by entry number."""
    with (folder / "expected.jsonl").open(encoding="utf-8") as file:
        return {row["entry"]: row["answer"] for row in map(json.loads, file)}


def keep_sizes(folder: Path) -> None:
    """Write SIZES, the request sizes of each kind, so that they stay known when the requests are deleted."""
    sizes: dict[str, list[int]] = {}
    with (folder / "corpus.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            sizes.setdefault(row["operation"], []).append(int(row["length"]))
    with (folder / SIZES).open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(SIZE_COLUMNS)
        for name, lengths in sizes.items():
            rows.writerow([name, len(lengths), min(lengths), f"{sum(lengths) / len(lengths):.1f}", max(lengths)])


def _own_columns(operation: Operation, exchange: Exchange) -> list[str | int | float]:
    """The later columns, empty if neither the exchange nor its operation sets them."""
    method = exchange.method or operation.method
    headers = json.dumps(exchange.headers) if exchange.headers else ""
    link = "" if exchange.link is None else exchange.link
    pause = "" if exchange.pause_ms is None else exchange.pause_ms
    path = exchange.path or operation.path or ""
    return ["" if method == "POST" else method, path, headers, link, pause, int(exchange.filled)]

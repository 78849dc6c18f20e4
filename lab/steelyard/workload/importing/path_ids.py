"""Requests that differ only in an id of their path become one operation with a table of the ids."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace

from .other_tools.imported_requests import ImportedRequests
from .requests_folder import ImportedOperation

FEWEST = 5  # requests that are one operation
_MOST_ROWS = 100_000
_ID = re.compile(r"\d{1,20}|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_Key = tuple[object, ...]


def fold_ids(operations: Sequence[ImportedOperation], held: ImportedRequests) -> dict[int, ImportedOperation]:
    """One operation in place of those that differ only in a number or UUID of their path, by their identities in Python.

    Its ids become a table, each as often as it was requested. Rules for answers that not all of them share are dropped;
    recorded answers belong to one id, so they are not kept. Notes say so.
    """
    groups: dict[_Key, list[int]] = {}
    for place, operation in enumerate(operations):
        for key in _keys(operation):
            groups.setdefault(key, []).append(place)
    folded: dict[int, ImportedOperation] = {}
    for key, places in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        same = [operations[place] for place in places if id(operations[place]) not in folded]
        if len(same) >= FEWEST:
            folded |= dict.fromkeys(map(id, same), _one_operation(same, int(str(key[0])), held))
    return folded


def _keys(operation: ImportedOperation) -> list[_Key]:
    """What requests that differ in one id share: a key for each part of the path that may be one."""
    path, mark, query = operation.path.partition("?")
    parts = path.split("/")
    shared = (operation.method, tuple(operation.headers.items()), operation.body, tuple(operation.more))
    rules = (str(operation.expect.get("status")), operation.changes_data)
    return [
        (number, "/".join([*parts[:number], "", *parts[number + 1 :]]), mark + query, *shared, *rules)
        for number, part in enumerate(parts)
        if _ID.fullmatch(part)
    ]


def _one_operation(same: Sequence[ImportedOperation], number: int, held: ImportedRequests) -> ImportedOperation:
    """One operation of requests whose paths differ in the part of this number; its table is added to `held`."""
    first = same[0]
    path, mark, query = first.path.partition("?")
    parts = path.split("/")
    place = _place_name(parts[number - 1], held)
    ids = [each.path.partition("?")[0].split("/")[number] for each in same for _ in range(each.times)][:_MOST_ROWS]
    table = io.StringIO()
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow([place])
    rows.writerows([each] for each in ids)
    held.files[f"{place}.csv"] = table.getvalue()
    held.data[place] = {"kind": "csv", "file": f"data/{place}.csv"}
    parts[number] = f"{{{{{place}}}}}"
    filled = "/".join(parts) + mark + query
    expect = {
        rule: value for rule, value in first.expect.items() if all(each.expect.get(rule) == value for each in same)
    }
    lost = sorted({rule for each in same for rule in each.expect} - expect.keys())
    note = f"{len(same):,} requests differ only in an id of their path: they are one operation, {first.method} {filled}"
    note += f", with the ids in data/{place}.csv"
    note += f"; its rules {', '.join(lost)} differ, and are dropped" if lost else ""
    note += "; the recorded answers of single ids are not kept" if any(each.answered for each in same) else ""
    held.notes.append(note[:600])
    return replace(
        first,
        name=first.name if all(each.name == first.name for each in same) else "",
        path=filled,
        meaning=f"{first.method} {filled} ({len(same):,} requests)"[:160],
        expect=expect,
        times=sum(each.times for each in same),
        answered=(),
    )


def _place_name(before: str, held: ImportedRequests) -> str:
    """A name for the ids, made of the part of the path before them, that no other place has."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", before).strip("_")[:40]
    names = (f"{plain or 'path'}_id{'' if number == 1 else f'_{number}'}" for number in range(1, len(held.data) + 2))
    return next(name for name in names if name not in held.data)

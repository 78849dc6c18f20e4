"""Merges queries that differ only in values: one path with places, and a table with a row per query."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from urllib.parse import unquote_plus

from ..importing.other_tools.imported_requests import ImportedRequests


def with_places(name: str, urls: Sequence[str], held: ImportedRequests) -> str:
    """Merge addresses with the same parameters in the same order to one for the operation `name`; a table in `held`
    fills the values that vary."""
    distinct = list(dict.fromkeys(urls))
    if len(distinct) == 1:
        return distinct[0]
    address = distinct[0].partition("?")[0]
    queries = [[pair.partition("=")[::2] for pair in url.partition("?")[2].split("&")] for url in distinct]
    parameters = [parameter for parameter, _ in queries[0]]
    columns = list(zip(*([value for _, value in query] for query in queries), strict=True))
    places = {
        number: _free_place_name(name, parameter, held, number)
        for number, (parameter, values) in enumerate(zip(parameters, columns, strict=True))
        if len(set(values)) > 1
    }
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(places.values())
    table.writerows([unquote_plus(query[number][1]) for number in places] for query in queries)
    held.files[f"{name}.csv"] = text.getvalue()
    for place in places.values():
        held.data[place] = {"kind": "csv", "file": f"data/{name}.csv", "column": place}
    held.notes.append(f"{name}: the varying values of its query are in data/{name}.csv, {len(distinct)} rows")
    pairs = [
        f"{parameter}={{{{{places[number]}}}}}" if number in places else f"{parameter}{'=' if value else ''}{value}"
        for number, (parameter, value) in enumerate(queries[0])
    ]
    return f"{address}?{'&'.join(pairs)}"


def _free_place_name(name: str, parameter: str, held: ImportedRequests, number: int) -> str:
    """A place name that is not yet in use."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", f"{name}_{unquote_plus(parameter)}").strip("_")[:50]
    own = plain if plain[:1].isalpha() else f"q_{plain}"
    return own if own not in held.data else f"{own}_{len(held.data)}_{number}"

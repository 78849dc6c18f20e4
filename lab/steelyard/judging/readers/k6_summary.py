"""k6's summary in JSON: `--summary-export=FILE`, or the data of `handleSummary` as JSON.

The second form has the values of a metric one level deeper, beside its type.
"""

from __future__ import annotations

import re
from typing import IO

from ...base.errors import ConfigurationError
from ..gathering import Gathering, Totals
from ..limits import Holds
from .documents import ResultDocument, read_document
from .k6_csv import BEGINS, BY_STATUS, CHECKS, DROPPED, TIME, USERS
from .reader import ResultReader
from .summaries import FAILED_TOO

_RIGHT = f"{TIME}{{expected_response:true}}"
_FAILED = "http_req_failed"
_REQUESTS = "http_reqs"
_METRIC = re.compile(r'"metrics"\s*:\s*\{.*"(?:http_req|iteration|vus|data_|checks)', re.DOTALL)
_PERCENTILE = re.compile(r"p\((\d{1,3}(?:\.\d{1,6})?)\)")
_NAMES = {"min": "min", "med": "p50", "max": "max"}


class K6Summary(ResultReader):
    """Totals, with the percentiles that the script selects (`summaryTrendStats`)."""

    title = "k6 (summary)"
    mark = "a JSON object with root_group or metrics of k6"
    holds = Holds.TOTALS

    def recognizes(self, head: str) -> bool:
        start = head.lstrip("\ufeff \r\n\t")
        return start.startswith("{") and ('"root_group"' in start or _METRIC.search(start) is not None)

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        document = read_document(file, self.title)
        metrics = document.part("metrics")
        if TIME not in metrics.fields:
            hint = "its summary has HTTP requests alone: k6 run --out csv=FILE has gRPC, too"
            raise ConfigurationError(f"metrics.{TIME} is missing", hint=hint)
        requests = _values(metrics, _REQUESTS)
        total, failed = requests.count("count"), _failed_requests(metrics)
        if failed > total:
            raise ConfigurationError(f"{failed:,} of {total:,} requests failed")
        rate = requests.number("rate")
        name = _RIGHT if _RIGHT in metrics.fields else TIME
        if name == TIME and failed:
            gathering.notes[FAILED_TOO] = None
        times = _values(metrics, name)
        gathering.notes |= dict.fromkeys((BEGINS, BY_STATUS))
        gathering.add_totals(
            Totals(
                completed=total - failed,
                failures={"failed": failed},
                mean_ms=times.number("avg") if "avg" in times.fields else None,
                figures=_figures(times),
                lasted_s=total / rate if rate > 0 else None,
            )
        )
        if CHECKS in metrics.fields:
            checks = _values(metrics, CHECKS)
            gathering.checks.update({True: checks.count("passes"), False: checks.count("fails")})
        if DROPPED in metrics.fields:
            gathering.dropped = _values(metrics, DROPPED).count("count")
        if USERS in metrics.fields:
            users = _values(metrics, USERS)
            gathering.note_users(int(users.number("min")), 0.0)
            gathering.note_users(int(users.number("max")), 0.0)


def _values(metrics: ResultDocument, name: str) -> ResultDocument:
    metric = metrics.part(name)
    return metric.part("values") if "values" in metric.fields else metric


def _failed_requests(metrics: ResultDocument) -> int:
    """The number of failed requests: in a rate, k6 calls a value of 1 a pass, and 1 means failed here."""
    return _values(metrics, _FAILED).count("passes") if _FAILED in metrics.fields else 0


def _figures(times: ResultDocument) -> dict[str, float]:
    percentiles = {name: f"p{match[1]}" for name in times.fields if (match := _PERCENTILE.fullmatch(name))}
    return times.numbers({**_NAMES, **percentiles})

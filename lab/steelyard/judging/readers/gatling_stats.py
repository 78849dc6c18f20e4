"""The totals of Gatling's report (`js/global_stats.json`): requests, right and failed, with their times."""

from __future__ import annotations

from typing import IO

from ..gathering import Gathering, Totals
from ..limits import Holds
from .documents import read_document
from .reader import ResultReader

PERCENTILES = "its percentiles are taken as p50, p75, p95 and p99, Gatling's default (gatling.charting.indicators)"
_NAMES = ("percentiles1", "percentiles2", "percentiles3", "percentiles4")
_SHARES = ("p50", "p75", "p95", "p99")


class GatlingStats(ResultReader):
    """Figures of right requests, as Gatling computed them."""

    title = "Gatling (global_stats.json)"
    mark = "a JSON object with numberOfRequests and meanResponseTime"
    holds = Holds.TOTALS

    def recognizes(self, head: str) -> bool:
        return head.lstrip("\ufeff \r\n\t").startswith("{") and all(
            f'"{name}"' in head for name in ("numberOfRequests", "minResponseTime", "meanResponseTime")
        )

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        stats = read_document(file, self.title)
        stats = stats.part("stats") if "stats" in stats.fields else stats
        requests = stats.part("numberOfRequests")
        right, failed = requests.count("ok"), requests.count("ko")
        rate = stats.part("meanNumberOfRequestsPerSecond").number("ok")
        figures = {name: stats.part(key).number("ok") for key, name in zip(_NAMES, _SHARES, strict=True) if right}
        if right:
            figures |= {f"{end}": stats.part(f"{end}ResponseTime").number("ok") for end in ("min", "max")}
        mean = stats.part("meanResponseTime").number("ok") if right else None
        gathering.notes[PERCENTILES] = None
        gathering.add_totals(Totals(right, {"failed": failed}, mean_ms=mean, figures=figures))
        gathering.own_figures["throughput"] = rate

"""Files of load tools that `judge` names but does not read, each with what to do instead."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class NotRead:
    """A kind of file: its `title` with an article, the pattern of its beginning, and what to do `instead`."""

    title: str
    pattern: re.Pattern[str]
    instead: str

    def recognizes(self, head: str) -> bool:
        """Whether a file with this beginning is of this kind."""
        return self.pattern.search(head) is not None


def _kind(title: str, pattern: str, instead: str) -> NotRead:
    return NotRead(title, re.compile(pattern, re.MULTILINE), instead)


NOT_READ = (
    _kind(
        "a binary simulation.log of Gatling 3.12 or later",
        r"\A\x00{4}[\x01-\x20]\d+\.\d+",
        "judge js/global_stats.json of Gatling's report, or a simulation.log of an earlier version",
    ),
    _kind(
        "vegeta's binary results",
        r"\A[^\n]{0,80}Result[\s\S]{0,200}Attack[\s\S]{0,80}Timestamp",
        "convert them: vegeta encode --to json FILE > FILE.json",
    ),
    _kind(
        "vegeta's report as text",
        r"\ARequests\s+\[total, rate",
        "write it as JSON: vegeta report --type json FILE, or judge the results: vegeta encode --to json FILE",
    ),
    _kind(
        "k6's summary as text",
        r"^\s*http_req_duration\.*: avg=",
        "write requests with k6 run --out csv=FILE, or totals with --summary-export=FILE",
    ),
    _kind("oha's output as text", r"^Summary:\s*\n\s*Success rate:", "run oha with --output-format csv or json"),
    _kind("autocannon's output as text", r"^Running \S+ test @ [\s\S]*[┌│]", "run autocannon with --json"),
    _kind(
        "JMeter's results without a header",
        r"\A\d{13},\d+,[^\n]*,(?:true|false),",
        "write them with a header: jmeter -Jjmeter.save.saveservice.print_field_names=true",
    ),
    _kind("JMeter's statistics.json", r'\A\s*\{[\s\S]*"sampleCount"', "judge the .jtl file behind the report"),
    _kind(
        "Locust's table of failures",
        r"\AMethod,Name,Error,Occurrences",
        "judge NAME_stats_history.csv or NAME_stats.csv of the same run",
    ),
    _kind(
        "ab's table of percentiles", r"\APercentage served,Time in ms", "judge ab's output, or the file of ab -g FILE"
    ),
    _kind("a page in HTML", r"\A\s*<(?:!DOCTYPE html|html)", "judge the tool's own result file instead of its report"),
)

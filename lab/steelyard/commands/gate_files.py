"""The gate's answer as files that continuous integration reads: JUnit XML and a Markdown summary."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from .gate import Gate, GateReport

# A sentence may quote a server's log. XML cannot hold these characters, not even as a reference.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: GateReport) -> str:
    """JUnit XML with one test case for each judged change: a regression is a failure, an undecided comparison an error."""
    valid = report.verdicts.valid
    suite = ElementTree.Element(
        "testsuite",
        name="steelyard check",
        tests=str(len(report.primary_changes)),
        failures=str(sum(change.is_worse for change in report.primary_changes if valid)),
        errors=str(int(report.answer is Gate.CANNOT_TELL)),
    )
    for change in report.primary_changes:
        compared = change.compared
        name = f"{compared.a} is not slower than {compared.b} on {compared.operation}"
        case = ElementTree.SubElement(suite, "testcase", classname="steelyard", name=name)
        figures = f"{change.title}: {change.amount} ({change.basis})"
        if valid and change.is_worse:
            ElementTree.SubElement(case, "failure", message=report.sentence).text = figures
        elif report.answer is Gate.CANNOT_TELL:
            reason = "; ".join(report.verdicts.why_not) or report.sentence
            ElementTree.SubElement(case, "error", message=reason).text = figures
    ElementTree.indent(suite)
    written = ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", written)


def summary(report: GateReport) -> str:
    """A Markdown summary: the answer, its sentence, and a row for each measure, each a change from OLD to NEW."""
    rows = [
        f"| {change.compared.operation} | {change.title} | {change.amount} | {change.range or 'none'} "
        f"| {change.compared.verdict or 'secondary'} |"
        for change in report.changes
        if change.compared.primary or change.worse_by is not None
    ]
    pair = report.changes[0].compared if report.changes else None
    heading = "NEW against OLD" if pair is None else f"{pair.a} against {pair.b}"
    return "\n".join(
        [
            f"### steelyard check: {report.answer.meaning}",
            "",
            report.sentence,
            "",
            f"{heading}:",
            "",
            "| operation | measure | change | interval | verdict |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    )

"""A gate for continuous integration: is NEW slower than OLD? In an exit code, in JUnit XML and in Markdown."""

from __future__ import annotations

import re
from enum import IntEnum
from xml.etree import ElementTree

from ..models.verdict import Comparison, Verdicts

# A sentence may quote a server's log: what XML cannot hold, even as a reference, must not break the file.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Gate(IntEnum):
    """What the gate found; the value is the exit code."""

    NO_REGRESSION = 0
    REGRESSION = 1
    CANNOT_TELL = 2

    @property
    def meaning(self) -> str:
        """The answer in words, for the terminal and the summary."""
        return self.name.replace("_", " ").lower()


def judged(verdicts: Verdicts) -> Gate:
    """The gate's answer: any slower is a regression, and so are more failures than chance explains; without a valid instrument or
    a decision, it cannot tell."""
    primaries = _primaries(verdicts)
    if not verdicts.valid or not primaries or any(comparison.verdict is None for comparison in primaries):
        return Gate.CANNOT_TELL
    if any(map(_is_worse, primaries)):
        return Gate.REGRESSION
    return Gate.NO_REGRESSION if all(comparison.decided for comparison in primaries) else Gate.CANNOT_TELL


def junit(verdicts: Verdicts) -> str:
    """JUnit XML with one test case a primary comparison: a regression is a failure, what cannot be told an error."""
    primaries = _primaries(verdicts)
    verdict = judged(verdicts)
    suite = ElementTree.Element(
        "testsuite",
        name="steelyard check",
        tests=str(len(primaries)),
        failures=str(sum(_is_worse(comparison) for comparison in primaries if verdicts.valid)),
        errors=str(int(verdict is Gate.CANNOT_TELL)),
    )
    for comparison in primaries:
        name = f"{comparison.a} is not slower than {comparison.b} on {comparison.operation}"
        case = ElementTree.SubElement(suite, "testcase", classname="steelyard", name=name)
        if verdicts.valid and _is_worse(comparison):
            ElementTree.SubElement(case, "failure", message=verdicts.sentence).text = _figures(comparison)
        elif verdict is Gate.CANNOT_TELL:
            reason = "; ".join(verdicts.why_not) or verdicts.sentence
            ElementTree.SubElement(case, "error", message=reason).text = _figures(comparison)
    ElementTree.indent(suite)
    written = ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", written)


def summary(verdicts: Verdicts) -> str:
    """A Markdown summary: the answer, the sentence, and a row for each measure."""
    rows = [
        f"| {comparison.a} / {comparison.b} | {comparison.operation} | {comparison.measure} | {_ratio(comparison)} "
        f"| {_interval(comparison)} | {comparison.verdict or 'secondary'} |"
        for comparison in verdicts.comparisons
    ]
    return "\n".join(
        [
            f"### steelyard check: {judged(verdicts).meaning}",
            "",
            verdicts.sentence,
            "",
            "| ratio of | operation | measure | ratio | interval | verdict |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _is_worse(comparison: Comparison) -> bool:
    """Whether NEW, which is `a`, is slower or fails more often."""
    gap = comparison.failures_differ
    return comparison.verdict == "slower" or (gap is not None and gap.a_share > gap.b_share)


def _primaries(verdicts: Verdicts) -> list[Comparison]:
    return [comparison for comparison in verdicts.comparisons if comparison.primary]


def _figures(comparison: Comparison) -> str:
    return (
        f"{comparison.measure}: ratio {_ratio(comparison)}, interval {_interval(comparison)}, {comparison.forks} forks, "
        f"{comparison.pairs} pairs"
    )


def _ratio(comparison: Comparison) -> str:
    return "none" if comparison.ratio is None else f"{comparison.ratio:.3f}"


def _interval(comparison: Comparison) -> str:
    return "none" if comparison.interval is None else f"{comparison.interval[0]:.3f} to {comparison.interval[1]:.3f}"

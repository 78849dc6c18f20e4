"""JMeter's results as XML (.jtl): an element a sample; samples within a sample are parts of it, and not counted again."""

from __future__ import annotations

from typing import IO

from lxml import etree

from ...base.errors import ConfigurationError
from ..gathering import Answered, Gathering
from .jmeter_csv import TRANSACTION, TRANSACTIONS, WHOLE, failure_of, users_of
from .reader import ResultReader, number_of

_SAMPLES = ("httpSample", "sample")
_CUT = "the file ends too early: what stands before that counts"


class JMeterXml(ResultReader):
    """Read as it streams by, without document types, entities or anything from outside."""

    title = "JMeter (XML)"

    def knows(self, head: str) -> bool:
        return head.lstrip("\ufeff \r\n\t").startswith("<") and "<testResults" in head

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        gathering.notes[WHOLE] = None
        parsed = etree.iterparse(
            file, events=("start", "end"), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
        )
        depth = count = 0
        try:
            for event, element in parsed:
                depth += 1 if event == "start" else -1
                if event == "end" and depth == 1:
                    count += 1
                    if element.tag in _SAMPLES:
                        _add(element, gathering)
                    element.clear()
                    while element.getprevious() is not None:
                        del element.getparent()[0]
        except etree.XMLSyntaxError as error:
            if count == 0 or depth == 0:
                raise ConfigurationError(f"line {error.lineno}: it is no XML that can be read: {error.msg}") from None
            gathering.notes[_CUT] = None


def _add(sample: etree._Element, gathering: Gathering) -> None:
    if (sample.get("rm") or "").startswith(TRANSACTION):
        gathering.notes[TRANSACTIONS] = None
        return
    line = int(sample.sourceline or 0)
    ms = number_of(sample.get("t"), line, "t")
    ended_s = (number_of(sample.get("ts"), line, "ts") + ms) / 1000
    failure = failure_of(sample.get("s") or "", sample.get("rc") or "")
    gathering.add(Answered(ended_s, ms, sample.get("lb") or "", failure, users_of(sample.get("na") or "")), line)

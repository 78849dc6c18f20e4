"""JMeter's results as XML (.jtl): one element for each sample, with its subsamples within.

Expat streams the file, so response data of any size is not kept. ResultDocument types are refused, so there are no entities.
A damaged element is left out: reading goes on at the next sample that begins a line, as JMeter writes them.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO
from xml.parsers import expat

from ...base.errors import ConfigurationError
from ..gathering import CUT, Gathering
from .jmeter import WHOLE, Sample
from .reader import ResultReader

MOST_DAMAGED = 1_000  # elements
MOST_WITHIN = 10_000  # subsamples of a sample
MOST_TAG = 2**20  # bytes
MOST_WITHOUT_SAMPLE = 2**28  # bytes
MOST_READ_AGAIN = 2**32  # bytes
DAMAGED = "elements with damaged XML"
NO_SAMPLE = "elements other than samples"
PARTS = "subsamples of a counted sample (redirects, embedded resources)"
_TAGS = ("httpSample", "sample")
_MESSAGE = "failureMessage"
_LONGEST_MESSAGE = 200  # characters
_ROOT = b"<testResults>"
_BUFFER = 2**16
_NEXT = re.compile(rb"\n(?=<(?:httpSample|sample)[\s/>])")
_INLINE = re.compile(rb"[^\s]<(?:httpSample|sample)[\s/>]")
_LONGEST = 16  # bytes that the two need
_NAMES = ("ts", "t", "lb", "s", "rc", "rm", "tn", "na")
_codes = expat.errors.codes
_FOLLOWING = (_codes[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT], _codes[expat.errors.XML_ERROR_MISPLACED_XML_PI])


@dataclass
class _Element:
    """A sample being read: its attributes, line and depth, its subsamples, and the message of a failed assertion."""

    tag: str
    attributes: Mapping[str, str]
    line: int
    depth: int
    within: list[_Element] = field(default_factory=list)
    failure_message: str = ""

    def size(self) -> int:
        """The number of samples, including this one."""
        return 1 + sum(each.size() for each in self.within)


@dataclass(frozen=True)
class _Place:
    """A position in a file: byte (from 0) and line (from 1)."""

    byte: int
    line: int


class _DamagedError(Exception):
    """A document is malformed. The text has the reason."""


class JMeterXml(ResultReader):
    """Streams the file, without document types, entities or external files."""

    title = "JMeter (XML)"
    mark = "the element testResults"

    def recognizes(self, head: str) -> bool:
        return head.lstrip("\ufeff \r\n\t").startswith("<") and "<testResults" in head

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        gathering.notes[WHOLE] = None
        place, layout, damage = _Place(0, 1), _Layout(), _Damage(gathering)
        while True:
            document = _Document(gathering, place, layout)
            problem = document.read(file)
            if problem is None:
                return
            another = problem.code in _FOLLOWING and document.begun is None
            after = _byte_before(file, problem.place) if another else document.begun or problem.place
            following, inline = _next_sample(file, after)
            if following is None and inline and not (document.at_end or layout.has_line_per_sample):
                raise ConfigurationError(
                    f"{problem.reason}; no later sample begins a line, so the rest is unreadable",
                    hint="repair the file there",
                )
            if another:
                if following is not None:
                    gathering.notes[f"another document begins in line {problem.place.line}; it is counted too"] = None
            elif document.at_end and following is None:
                gathering.notes[f"the file ends early, in line {problem.place.line}: JMeter did not finish it"] = None
                cut = document.open_samples() or int(_begins_sample(file, problem.place))
                gathering.rows += cut
                if cut:
                    gathering.leave_out(CUT, problem.place.line, cut)
            else:
                damage.count(problem, document.begun, last=following is None)
            if following is None:
                return
            damage.read_again(file, document.fed, following)
            place = following


@dataclass
class _Layout:
    """The layout of a file as far as known: its encoding, the number of outer samples, and how many of them begin a
    line."""

    encoding: str | None = None
    outermost: int = 0
    at_line_begin: int = 0

    @property
    def has_line_per_sample(self) -> bool:
        """Whether all outer samples begin a line, so that the others are subsamples."""
        return 0 < self.outermost == self.at_line_begin


@dataclass(frozen=True)
class _Problem:
    """Why a document cannot be read on: text with the position, and Expat's code (0: none)."""

    reason: str
    place: _Place
    code: int


class _Damage:
    """The damage of a file so far, limited in number and in bytes that are read again."""

    def __init__(self, gathering: Gathering) -> None:
        self._gathering = gathering
        self._elements = self._again = 0

    def count(self, problem: _Problem, begun: _Place | None, *, last: bool) -> None:
        """Leave out the damaged element that began there.

        Raises ConfigurationError for too many, or where nothing else was read.
        """
        if last and not self._gathering.rows:
            raise ConfigurationError(f"{problem.reason}: the XML is unreadable")
        self._elements += 1
        if self._elements > MOST_DAMAGED:
            raise ConfigurationError(f"{problem.reason}: more than {MOST_DAMAGED:,} elements are damaged")
        if self._elements == 1:
            sample = "" if begun is None else f"the sample of line {begun.line}: "
            self._gathering.notes[f"damaged XML was left out, first in {sample}{problem.reason}"] = None
        self._gathering.rows += 1
        self._gathering.leave_out(DAMAGED, problem.place.line)

    def read_again(self, file: IO[bytes], fed: int, following: _Place) -> None:
        """Count a jump back to a position. Raises ConfigurationError if jumps took too long already."""
        self._again += max(0, fed - following.byte)
        if isinstance(file, gzip.GzipFile):  # going back unpacks from the beginning
            self._again += following.byte
        if self._again > MOST_READ_AGAIN:
            raise ConfigurationError(f"line {following.line}: the XML is damaged in too many places to read on")


class _Document:
    """One pass of the parser from a position on. Samples are gathered as their elements end.

    `begun` is where the open sample began, `at_end` whether the file has ended, `fed` the number of bytes read.
    """

    def __init__(self, gathering: Gathering, place: _Place, layout: _Layout) -> None:
        self.begun: _Place | None = None
        self.at_end = False
        self.fed = place.byte
        self._layout = layout
        self._gathering = gathering
        self._place = place
        self._open: list[_Element] = []
        self._depth = self._within = 0
        self._last_sample = place.byte
        self._parser = expat.ParserCreate(layout.encoding)
        self._parser.XmlDeclHandler = self._declare
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._shift = 0
        if place.byte:
            self._parser.Parse(_ROOT, False)
            self._shift = len(_ROOT)

    def read(self, file: IO[bytes]) -> _Problem | None:
        """Read to the end of the file, or to a problem, which is returned."""
        file.seek(self._place.byte)
        try:
            while data := file.read(_BUFFER):
                self.fed += len(data)
                self._parser.Parse(data, False)
                self._check_bounds()
            self.at_end = True
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            place = self._place_at(self._parser.ErrorByteIndex, error.lineno)
            column = error.offset + 1 - (self._shift if error.lineno == 1 else 0)
            reason = f"line {place.line}, column {column}: {expat.ErrorString(error.code)}"
            return _Problem(reason, place, error.code)
        except _DamagedError as error:
            place = self._current_place()
            return _Problem(f"line {place.line}: {error}", place, 0)
        return None

    def open_samples(self) -> int:
        """The number of samples begun but not gathered."""
        return self._open[0].size() if self._open else 0

    def _check_bounds(self) -> None:
        if self.fed - self._current_place().byte > MOST_TAG + _BUFFER:
            raise _DamagedError("a tag is longer than 1 MiB")
        if self.fed - self._last_sample > MOST_WITHOUT_SAMPLE:
            said = f"line {self._current_place().line}: no sample ends in {MOST_WITHOUT_SAMPLE >> 20} MiB"
            raise ConfigurationError(said, hint="check that this is the result file")

    def _current_place(self) -> _Place:
        return self._place_at(self._parser.CurrentByteIndex, self._parser.CurrentLineNumber)

    def _place_at(self, byte: int, line: int) -> _Place:
        return _Place(max(0, self._place.byte + byte - self._shift), self._place.line + line - 1)

    def _declare(self, _version: str, encoding: str | None, _standalone: int) -> None:
        self._layout.encoding = encoding

    def _refuse(self, *_: object) -> None:
        raise ConfigurationError(
            f"line {self._current_place().line}: it has a document type, which Steelyard does not read"
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if tag not in _TAGS or self._depth < 2:
            if tag == _MESSAGE and self._open:
                self._parser.CharacterDataHandler = self._text
            elif self._depth == 2 and not self._open:
                self._gathering.rows += 1
                self._gathering.leave_out(NO_SAMPLE, self._current_place().line)
            return
        here = self._current_place()
        element = _Element(tag, attributes, here.line, self._depth)
        if self._open:
            self._within += 1
            if self._within > MOST_WITHIN:
                raise _DamagedError(f"a sample has more than {MOST_WITHIN:,} subsamples")
            self._open[-1].within.append(element)
        else:
            self.begun, self._within = here, 0
            self._layout.outermost += 1
            at_begin = self._shift if self._parser.CurrentLineNumber == 1 else 0
            self._layout.at_line_begin += self._parser.CurrentColumnNumber == at_begin
        self._open.append(element)

    def _text(self, text: str) -> None:
        element = self._open[-1]
        element.failure_message = (element.failure_message + text)[:_LONGEST_MESSAGE]

    def _end(self, tag: str) -> None:
        if tag == _MESSAGE:
            self._parser.CharacterDataHandler = None
        if self._open and self._open[-1].depth == self._depth:
            element = self._open.pop()
            if not self._open:
                self.begun = None
                self._last_sample = self._current_place().byte
                self._gathering.rows += element.size()
                _gather(element, self._gathering)
        self._depth -= 1


def _gather(element: _Element, gathering: Gathering) -> None:
    """Count a sample. Of a transaction with subsamples, those are counted and it is set apart."""
    texts = [*(element.attributes.get(name, "") for name in _NAMES), element.failure_message]
    sample = Sample(*texts)
    holds_requests = element.tag == "sample" and any(each.tag == "httpSample" for each in element.within)
    if element.within and (holds_requests or sample.requests_within() is not None):
        gathering.set_apart(sample.to_answered(element.line), element.line)
        for each in element.within:
            _gather(each, gathering)
        return
    sample.add_to(gathering, element.line)
    if element.within:
        gathering.left_out[PARTS] += element.size() - 1


def _byte_before(file: IO[bytes], place: _Place) -> _Place:
    """The position one byte before another."""
    if not place.byte:
        return place
    file.seek(place.byte - 1)
    return _Place(place.byte - 1, place.line - int(file.read(1) == b"\n"))


def _begins_sample(file: IO[bytes], place: _Place) -> bool:
    """Whether the cut-off text is the first tag of a sample."""
    file.seek(place.byte)
    rest = file.read(_LONGEST)
    return rest.startswith((b"<httpSample", b"<sample"))


def _next_sample(file: IO[bytes], after: _Place) -> tuple[_Place | None, bool]:
    """The next sample after a position that begins a line (None if there is none), and whether another follows on a
    line."""
    file.seek(after.byte)
    kept, at, line, inline = b"", after.byte, after.line, False
    while data := file.read(_BUFFER):
        window = kept + data
        match = _NEXT.search(window)
        if match:
            return _Place(at + match.end(), line + window.count(b"\n", 0, match.end())), inline
        inline = inline or (_INLINE.search(window) is not None)
        done = max(0, len(window) - _LONGEST)
        line += window.count(b"\n", 0, done)
        kept, at = window[done:], at + done
    return None, inline

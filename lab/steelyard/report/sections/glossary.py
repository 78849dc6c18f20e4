"""The words of the page that a reader may not know, each in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ..section import Section

WORDS = (
    ("subject", "What is compared: a service on a server, in one configuration."),
    ("reference", "The subject that all others are compared with."),
    ("floor", "A subject that reads no XML and only moves bytes: it shows what HTTP alone costs, and has no place."),
    ("trial", "One fresh start of subjects, their warm-up and all that is measured before they are stopped."),
    (
        "fork",
        "A subject's part in a trial: one fresh start of its processes. Intervals are over forks, never over requests.",
    ),
    ("slice", "A few seconds of steady load on one subject; the slices of compared subjects alternate."),
    (
        "pair",
        "Slices of two subjects that were measured one right after the other, or in turns, so that both met the same machine.",
    ),
    ("voided", "Of a pair: not counted, for the reason given, such as a compiler that was still at work in it."),
    ("warm-up", "Load before what is measured, until a subject is steady or its time is over."),
    (
        "closed load",
        "A number of users, each of whom asks again when the answer has come: throughput is that of saturation.",
    ),
    ("open load", "Requests that come at a rate whether or not earlier ones were answered, as from many users."),
    (
        "response time",
        "From the instant a request was due until its last byte; waiting that the subject caused is in it.",
    ),
    ("p99", "The time that 99% of requests did not exceed."),
    (
        "interval",
        "The range that agrees with what was measured, at the confidence given; it covers chance between fresh starts.",
    ),
    ("margin", "The difference within which two subjects count as equal."),
    (
        "equivalent",
        "Shown to differ by less than the margin: more than not having been told apart. Where a difference was shown all the same, "
        "it reads as slower, or faster, by less than the margin.",
    ),
    ("undecided", "Neither a difference nor equivalence was shown; more forks might show one."),
    (
        "unconfirmed",
        "Decided if it were the only comparison, but not after adjusting for all that were judged together.",
    ),
    (
        "others at work",
        "Programs that are not of this measurement used more than 2% of the subjects' processors: such a pair does not count.",
    ),
    ("steal", "Processor time that the host of a virtual machine gave to others while something wanted to run."),
)


def content(_analysis: Analysis) -> Mapping[str, object]:
    """Always shown."""
    return {"words": WORDS}


SECTION = Section("glossary", content)

"""What a kind of result file records, and the questions that it leaves open."""

from __future__ import annotations

from enum import StrEnum

ONE_PROCESS = (
    "the variation between starts of the service: each file is from one process at one hour, so there is no verdict"
)
THIS_HOUR = "what another day or another machine would show: its intervals are of this machine at this hour"
UNCHECKED = "whether answers were right beyond what the other tool checked"
NO_COURSE = "it has no results by second"
CLOSED_LOOP = (
    "the wait that a stall causes: a connection sends its next request after an answer, so a stall delays requests "
    "unseen (coordinated omission)"
)
UNKNOWN_LOOP = "whether requests were sent when they were due: it is not recorded, so coordinated omission is unknown"
_WITHOUT_COURSE = (
    f"an interval of any figure: {NO_COURSE}",
    f"whether response times were stable: {NO_COURSE}",
)
_WITHOUT_DISTRIBUTION = "the distribution of response times, other than by the figures that the tool computed"


class Holds(StrEnum):
    """What a file records, in words."""

    REQUESTS = "each request with its time"
    TIMES = "each response time without its instant"
    HISTOGRAMS = "a histogram of response times for each interval"
    SECONDS = "totals for each second"
    SLICES = "counts and a histogram of response times for each slice"
    TOTALS = "totals of the whole load"

    @property
    def has_course(self) -> bool:
        """Whether its results have instants, so that a part of them can be judged."""
        return self not in (Holds.TIMES, Holds.TOTALS)


def open_questions(holds: Holds, *, has_course: bool, closed_loop: bool | None) -> list[str]:
    """The questions that a file leaves open, each as the end of "it does not show ...".

    `has_course`: whether it has results by second. `closed_loop`: whether a connection sends its next request after an
    answer (None: not known; False: the tool itself keeps to its schedule).
    """
    questions = [ONE_PROCESS, UNCHECKED]
    if not has_course:
        questions += _WITHOUT_COURSE
    if holds in (Holds.TOTALS, Holds.SECONDS):
        questions.append(_WITHOUT_DISTRIBUTION)
    if closed_loop is None:
        questions.append(UNKNOWN_LOOP)
    elif closed_loop:
        questions.append(CLOSED_LOOP)
    return questions

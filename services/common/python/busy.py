"""The planted slow-down: the header Steelyard-Busy-Us asks for so many microseconds of processor time."""

import re
import time

BUSY_HEADER = "Steelyard-Busy-Us"
WANTED = f"{BUSY_HEADER} is a number of microseconds up to a million"
_MOST_MICROS = 1_000_000  # a header costs its sender nothing, so it must not cost the server much more
_DECIMAL = re.compile(r"[0-9]+(\.[0-9]+)?")


def stay_busy(micros):
    """Spin for so many microseconds of this thread's processor time; False, at once, where it is no time up to a second."""
    if not _DECIMAL.fullmatch(micros) or float(micros) > _MOST_MICROS:
        return False
    end = time.thread_time_ns() + round(1000 * float(micros))
    while time.thread_time_ns() < end:
        pass
    return True

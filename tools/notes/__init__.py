"""What the notes of kept runs say of them, made from the runs' own files: a file a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from . import comparison, envelope, flight, frameworks, petstore, reliability, soakit, soaservers, wstest
from .kept_run import Kept

# By the name of the kept run: what stands between the marks of its notes.
MADE: Mapping[str, Callable[[Kept], str]] = {
    **comparison.MADE,
    **wstest.MADE,
    **soaservers.MADE,
    **petstore.MADE,
    **flight.MADE,
    **soakit.MADE,
    **reliability.MADE,
    **envelope.MADE,
    **frameworks.MADE,
}

"""The p99 of the slices that ended last, from the histograms as the engine appends them: shown meanwhile, judged by nobody."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..base.growing_file import GrowingFile
from ..base.histogram import Histogram, decode, merged, tagged


class LastSlices:
    """Reads an intervals.hlog that grows, between slices; what cannot be read is passed over, for nothing rests on it."""

    def __init__(self, path: Path) -> None:
        self._file = GrowingFile(path)

    def p99_ms(self) -> Mapping[str, float]:
        """The 99th percentile of response time in ms of all that was appended since the last call, by subject."""
        by_subject: dict[str, list[Histogram]] = {}
        for line in self._appended():
            tag, encoded = tagged(line) or ("", "")
            if not tag.endswith("/response"):
                continue
            try:
                by_subject.setdefault(tag.rsplit("/", 3)[0], []).append(decode(encoded))
            except ValueError:
                continue
        together = {subject: merged(histograms) for subject, histograms in by_subject.items()}
        return {subject: times.percentile(99) / 1000 for subject, times in together.items() if times.total}

    def _appended(self) -> list[str]:
        try:
            return self._file.lines()
        except OSError:
            return []

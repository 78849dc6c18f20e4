"""Response times of the last slices, from the histograms as the engine appends them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...base.growing_file import GrowingFile
from ...base.histogram import Histogram, decode, merge_histograms, parse_tagged_line


class LastSlices:
    """Reads a growing intervals.hlog between slices; unreadable lines are skipped, because no verdict rests on them."""

    def __init__(self, path: Path) -> None:
        self._file = GrowingFile(path)

    def response_times(self) -> Mapping[str, Histogram]:
        """All response times appended since the last call, in µs, by subject; subjects without any are left out."""
        by_subject: dict[str, list[Histogram]] = {}
        for line in self._read_appended():
            tag, encoded = parse_tagged_line(line) or ("", "")
            if not tag.endswith("/response"):
                continue
            try:
                by_subject.setdefault(tag.rsplit("/", 3)[0], []).append(decode(encoded))
            except ValueError:
                continue
        together = {subject: merge_histograms(histograms) for subject, histograms in by_subject.items()}
        return {subject: times for subject, times in together.items() if times.total}

    def _read_appended(self) -> list[str]:
        try:
            return self._file.lines()
        except OSError:
            return []

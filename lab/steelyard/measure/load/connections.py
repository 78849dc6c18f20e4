"""Connections of a load: the addresses that they went to, requests that were sent again, and redirects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ...analyse import load_figures as figures
from ...base.csvfiles import is_stored, read_document
from ...base.text import plural, value_text
from ...models.job import Profile, Rate
from ...results.loads import VERIFICATION
from ...results.tables import SliceRow
from .driving import FAILURE_PAUSE_MS, Stretches


def reconnects_of(row: SliceRow) -> int:
    """The number of requests that were sent a second time, in a slice and around its measured time."""
    return row.stale + row.outside_stale


def notes(stretches: Stretches, row: SliceRow, profile: Profile) -> list[str]:
    """Notes on connections for a load's output; raises StoreError."""
    sentences = []
    addresses = addresses_of(stretches, row.slice)
    if len(addresses) > 1:
        sentences.append(f"connections were spread evenly over {', '.join(addresses)}")
    reconnects = reconnects_of(row)
    if reconnects:
        share = 100 * reconnects / max(1, row.sent)
        verb = "was" if reconnects == 1 else "were"
        sentences.append(
            f"{plural(reconnects, 'request')} ({value_text(share)}% of those sent) {verb} sent again, since the server ended or "
            "refused the first attempt: their response times include both attempts"
        )
    redirects = redirects_of(stretches, row.slice)
    if redirects:
        verb = "was" if redirects == 1 else "were"
        sentences.append(
            f"{plural(redirects, 'redirect')} {verb} followed: the time of a request includes its redirects"
        )
    if figures.failed_of(row) and not isinstance(profile, Rate):
        sentences.append(f"each user waits {FAILURE_PAUSE_MS:g} ms after a failed request")
    return sentences


def addresses_of(stretches: Stretches, number: int) -> Sequence[str]:
    """The addresses of a slice's connections, from the engines' files; raises StoreError."""
    places = [place for audit in _audits(_folders(stretches), number) for place in audit.get("addresses", ())]
    return list(dict.fromkeys(urlsplit(f"//{place}").hostname or place for place in places))


def redirects_of(stretches: Stretches, number: int) -> int:
    """The number of redirects that were followed in a slice and around its measured time; raises StoreError."""
    return sum(audit.get("redirects", 0) for audit in _audits(_folders(stretches), number))


def verification_redirects(folder: Path) -> int:
    """The number of redirects that the verification of the run in this folder followed; raises StoreError."""
    return sum(audit.get("redirects", 0) for audit in _audits([folder / VERIFICATION], 0))


def _folders(stretches: Stretches) -> Sequence[Path]:
    """The folders of the engines that shared the load."""
    engines = stretches.engines
    return [stretches.folder] if engines is None else [part.folder for part in engines.parts if part.lost is None]


def _audits(folders: Sequence[Path], number: int) -> Iterator[dict[str, Any]]:
    """What each engine found out about a slice."""
    for folder in folders:
        if is_stored(folder / "summary.json"):
            yield from (each for each in read_document(folder / "summary.json")["slices"] if each["slice"] == number)

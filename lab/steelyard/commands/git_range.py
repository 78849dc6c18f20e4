"""Two revisions of a repository as subjects: checked out, built, and started by their service.toml."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

from ..base.errors import ConfigurationError
from ..base.progress import Progress
from ..base.terminal import console
from ..catalogue import entries, own_requests
from ..hosts import revisions
from ..hosts.revisions import Revision


def folders_of(words: str, folder: str, build: str | None, before_build: Callable[[], None]) -> dict[str, str]:
    """The built folders of the range OLD..NEW with a label for each, OLD first.

    Raises ConfigurationError before anything is built where the range or the folder is wrong; raises BuildError. `before_build`
    is called once the range is checked.
    """
    pair = revisions.of_range(words, Path(folder))
    _require_start(folder, pair)
    name = Path(folder).resolve().name
    labels = [re.sub(r"[^A-Za-z0-9._-]+", "_", f"{name}-{revision.name}")[:80] for revision in pair]
    if labels[0] == labels[1]:
        labels = [f"{label}-{revision.commit[:7]}" for label, revision in zip(labels, pair, strict=True)]
    before_build()
    with Progress(console()) as progress:
        built = [revisions.build(revision, build, progress) for revision in pair]
    for revision, place in zip(pair, built, strict=True):
        _lend_start(revision, Path(folder), place)
    return {str(place): label for place, label in zip(built, labels, strict=True)}


def _require_start(folder: str, pair: tuple[Revision, Revision]) -> None:
    """Raise ConfigurationError where a revision cannot be started: neither it nor the user's folder has a start line."""
    if Path(folder, entries.SERVICE_FILE).is_file():
        if entries.service_at(folder).model.start is None:
            raise ConfigurationError(
                f"{folder}/{entries.SERVICE_FILE} has no start command",
                hint='add start = ["java", "-jar", "target/shop.jar", "--server.port={port}"] or the like',
            )
        return
    for revision in pair:
        if not revision.has(entries.SERVICE_FILE):
            raise ConfigurationError(
                f"{revision.title} has no {revision.within / entries.SERVICE_FILE}, where the start command belongs",
                hint=f"write one into {folder}: revisions without their own use it",
            )


def _lend_start(revision: Revision, folder: Path, place: Path) -> None:
    """Copy the user's service.toml and the files that it names to a revision without a service.toml."""
    if revision.has(entries.SERVICE_FILE):
        return
    console().print(
        f"{revision.title} has no {entries.SERVICE_FILE}: its start line comes from {folder / entries.SERVICE_FILE}",
    )
    shutil.copyfile(folder / entries.SERVICE_FILE, place / entries.SERVICE_FILE)
    for name, content in own_requests.of_service(entries.service_at(str(folder))).files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)

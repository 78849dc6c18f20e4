"""The folder that an import or a recording makes: it must be free, has a service's name, and appears whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...base.children import hold_interrupts
from ...base.errors import ImportRefusedError
from ...base.temporary_folder import temporary_folder


@contextmanager
def folder_at(out: Path) -> Iterator[Path]:
    """An empty folder of the same name that replaces `out` once it is complete, and is removed after an error or Ctrl-C."""
    beside = next(folder for folder in out.resolve().parents if folder.is_dir())
    with temporary_folder(beside) as scratch:
        made = scratch / out.resolve().name
        made.mkdir()
        yield made
        with hold_interrupts():
            out.parent.mkdir(parents=True, exist_ok=True)
            if out.is_dir():
                out.rmdir()
            made.chmod(0o755)
            made.rename(out)


def name_of(out: Path) -> str:
    """The service's name, made of its folder's name: lower case, hyphens, 60 characters at most."""
    return re.sub(r"[^a-z0-9-]+", "-", out.resolve().name.lower()).strip("-")[:60] or "service"


def require_free(out: Path) -> None:
    """Raises ImportRefusedError if `out` exists and is not empty."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ImportRefusedError(
            f"{out} exists already and is not empty", hint="choose another folder with --out, or remove it"
        )

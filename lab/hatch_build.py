"""What the lab's wheel carries beside the package: the checkout's rooms that users need, with the monitor and RMI's driver, and
manual pages and completions of shells."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pathspec
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CHECKOUT = Path(__file__).resolve().parent.parent
ROOMS = ("servers", "services", "studies", "papers", "contracts", "monitor", "engine/rmi")


class House(BuildHookInterface[Any]):
    """Puts the rooms of the checkout, without what builds made in them, into steelyard/house, and the pages into share/."""

    _share: TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it builds; an editable installation finds the rooms in the checkout."""
        if version == "editable":
            return
        ignored = pathspec.GitIgnoreSpec.from_lines((CHECKOUT / ".gitignore").read_text(encoding="utf-8").splitlines())
        paths = [
            path
            for room in ROOMS
            for path in sorted((CHECKOUT / room).rglob("*"))
            if path.is_file() and not path.match("papers/*/results/*/*")
        ]
        for path in (*paths, CHECKOUT / "LICENSE"):
            place = path.relative_to(CHECKOUT).as_posix()
            if not ignored.match_file(place):
                build_data["force_include"][str(path)] = f"steelyard/house/{place}"
        self._share = TemporaryDirectory()
        command = [sys.executable, str(CHECKOUT / "tools" / "man.py"), "--share", self._share.name]
        places = os.pathsep.join((str(CHECKOUT / "lab"), *sys.path))  # the build's own environment is in the latter
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": places})
        for path in Path(self._share.name).rglob("*"):
            if path.is_file():
                build_data["shared_data"][str(path)] = f"share/{path.relative_to(self._share.name)}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Called by hatchling after it has built."""
        if self._share is not None:
            self._share.cleanup()

"""The setup of a run, recorded: machine, kernel, versions, flags, how the processors were shared (environment.json)."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import __version__, house
from .cpus import Shares
from .keeper import binary
from .subject import Subject
from .toolchain import jdk_description, jdk_home


def describe(subjects: Sequence[Subject], shares: Shares, command: Sequence[str]) -> dict[str, Any]:
    """Plain values for JSON; nothing in it names the user or the machine's address."""
    return {
        "steelyard": __version__,
        "git": _git(),
        "command": _without_place(command),
        "engine": _said([binary("steelyard-engine"), "--version"]),
        "python": platform.python_version(),
        "machine": {
            "processor": _processor(),
            "processors": os.cpu_count(),
            "architecture": platform.machine(),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "kernel": f"{platform.system()} {platform.release()}",
            "distribution": _distribution(),
        },
        "processors_shared": {"server": shares.server, "engine": shares.engine, "apart": shares.apart},
        "network": "loopback",
        "subjects": {
            subject.label: [_part(part.place, part.server.model, part.factors) for part in subject.parts]
            for subject in subjects
        },
    }


def _without_place(command: Sequence[str]) -> list[str]:
    """The command without --out: where a run is kept is the user's own business."""
    kept: list[str] = []
    words = iter(command)
    for word in words:
        if word == "--out":
            next(words, None)
        elif not word.startswith("--out="):
            kept.append(word)
    return kept


def _part(place: str, server: Any, factors: dict[str, str]) -> dict[str, Any]:
    home = jdk_home(server.needs.jdk) if server.needs.jdk is not None else None
    return {
        "place": place,
        "server": server.name,
        "title": server.title,
        "version": server.version,
        "stack": server.stack,
        "jdk": jdk_description(home) if home is not None else None,
        "factors": factors,
        "artifacts": [artifact.model_dump(exclude_none=True) for artifact in server.artifacts],
        "deviations": server.deviations,
    }


def _git() -> dict[str, Any]:
    revision = _said(["git", "-C", str(house.root()), "rev-parse", "HEAD"])
    changed = _said(["git", "-C", str(house.root()), "status", "--porcelain"])
    return {"revision": revision or None, "changed": bool(changed)}


def _said(argv: list[str]) -> str:
    try:
        return subprocess.run(argv, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor()
    )


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        return ""

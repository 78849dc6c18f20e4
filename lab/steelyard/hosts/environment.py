"""Records the setup of a run: machine, kernel, versions, flags, division of the processors (environment.json)."""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .. import __version__
from ..base import children, paths
from ..catalogue import factors, tuned_settings
from ..catalogue.entries import Entry
from ..models.hosts import Hosts
from ..models.service import Service
from ..results import machine_history
from . import machine, network
from .build import placeholders, source_hash
from .cpus import Shares
from .keeper import binary
from .placement import LOOPBACK, Placement
from .subject import Part, Subject
from .toolchain import jdk_description, jdk_home

# folders that affect a run, without kept runs
_SOURCES = ("lab", "engine", "servers", "services", "studies", "papers", ":(exclude,glob)papers/*/results/**")


def describe(
    subjects: Sequence[Subject],
    shares: Shares,
    command: Sequence[str],
    study: str | None = None,
    service: Entry[Service] | None = None,
    hosts: Hosts | None = None,
    site: Placement = LOOPBACK,
) -> dict[str, Any]:
    """The setup as plain values for JSON; it contains neither the user's name nor the machine's address.

    `hosts` are the user's declared hosts, `site` is the subjects' host. With `study`, also its paper's tuned parameters beside
    the nearest settings of these subjects, and the network's bandwidth; with `service`, also its sources.
    """
    tuned = (
        tuned_settings.table(
            study, {subject.label: (subject.front.server.model, subject.front.factors) for subject in subjects}
        )
        if study
        else None
    )
    return {
        "steelyard": __version__,
        "git": _git(),
        "command": _without_paths(command),
        "engine": _command_output([binary("steelyard-engine"), "--version"]),
        "python": platform.python_version(),
        "machine": {
            **machine.fingerprint(reference_spin()),
            "architecture": platform.machine(),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "kernel": f"{platform.system()} {platform.release()}",
            "distribution": _distribution(),
        },
        "processors_shared": _processors(shares),
        **_network(hosts, site, measured=study is not None),
        **({"service": _service(service)} if service is not None else {}),
        **({"calibration": known} if (known := machine_history.citation()) else {}),
        "subjects": {subject.label: [_part(part) for part in subject.parts] for subject in subjects},
        **({"tuning": tuned.model_dump()} if tuned is not None else {}),
    }


def _processors(shares: Shares) -> dict[str, Any]:
    """How the processors are shared; the placement only where there is a choice, and halves only where there are any."""
    content = {**asdict(shares), "apart": shares.is_separate}
    return {name: value for name, value in content.items() if name not in ("placement", "halves") or value}


def _network(hosts: Hosts | None, site: Placement, *, measured: bool) -> dict[str, Any]:
    """The network between engine and subjects with its bandwidth: loopback, or the link to a declared host."""
    if hosts is None or site.link is None:
        carried = network.loopback_bytes_per_s() if measured else None
        return {"network": "loopback", **({"loopback_bytes_per_s": carried} if carried else {})}
    by = "a short transfer" if hosts.server[1].rate_mbit is None else "declared in the hosts file"
    return {
        "network": "link",
        "hosts": {
            name: {
                **host.model_dump(mode="json", exclude_defaults=True, exclude={"login", "contact"}),
                **({"machine": site.reach.describe()} if name == site.name and site.reach.apart else {}),
            }
            for name, host in hosts.hosts.items()
        },
        "link": {"bytes_per_s": site.link.bytes_per_s, "known_by": by},
    }


def reference_spin() -> str:
    """The output of the engine's reference spin; empty where the engine cannot run."""
    return _command_output([binary("steelyard-engine"), "spin"])


def _without_paths(command: Sequence[str]) -> list[str]:
    """The command without --out, and with only the name of the --hosts file: paths of the user stay private."""
    kept: list[str] = []
    words = iter(command)
    for word in words:
        if word == "--out":
            next(words, None)
        elif word == "--hosts" or word.startswith("--hosts="):
            place = word.partition("=")[2] or next(words, "")
            kept += ["--hosts", Path(place).name]
        elif not word.startswith("--out="):
            kept.append(word)
    return kept


def _part(part: Part) -> dict[str, Any]:
    server = part.server.model
    if part.own is not None:
        return {
            "place": part.place,
            "server": server.name,
            "title": server.title,
            "command": shlex.join(part.own.start),
            "factors": part.factors,
            "sources": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in part.own.files()},
        }
    needs = server.needs_with(part.factors)
    home = jdk_home(needs.jdk, needs.jdk_vendor) if needs.jdk is not None else None
    values = {"cache": str(part.cache)}
    return {
        "place": part.place,
        "server": server.name,
        "title": server.title,
        "version": server.version,
        "stack": server.stack,
        "jdk": jdk_description(home) if home is not None else None,
        "toolchain": [first_line(placeholders(argv, values)) for argv in needs.versions] or None,
        "factors": part.factors,
        "sources": source_hash(part.server.folder),
        "artifacts": [artifact.model_dump(exclude_none=True, exclude={"when"}) for artifact in server.artifacts],
        "deviations": server.deviations,
    }


def first_line(argv: list[str]) -> str:
    """The first output line of a command, after its name; a note where there is none."""
    try:
        done = children.run(argv, seconds=30)
    except (OSError, subprocess.SubprocessError):
        return f"{Path(argv[0]).name}: cannot be run"
    output = (done.stdout or done.stderr).strip()
    return f"{Path(argv[0]).name}: {output.splitlines()[0] if output else 'printed nothing'}"


def _service(service: Entry[Service]) -> dict[str, Any]:
    """The SHA-256 of the service with its contract, generator, implementations and shared sources, and of the files in its
    factors."""
    named = factors.files(service)
    return {
        "name": service.name,
        "sources": source_hash(service.folder, service.folder.parent / "common"),
        "files": {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in named.items()},
    }


def _git() -> dict[str, Any]:
    """The checkout's revision, whether files are changed or new, and the SHA-256 of the changes in `_ROOMS`.

    None for an installed package, even where its folder lies in a repository.
    """
    if not (paths.root() / ".git").exists():
        return {"revision": None, "changed": False, "changes": ""}
    root = ["git", "-C", str(paths.root())]
    revision = _command_output([*root, "rev-parse", "HEAD"])
    changes = _command_output([*root, "diff", "--binary", "HEAD", "--", *_SOURCES])
    return {
        "revision": revision or None,
        "changed": bool(_command_output([*root, "status", "--porcelain"])),
        "changes": hashlib.sha256(changes.encode()).hexdigest() if changes else "",
    }


def _command_output(argv: list[str]) -> str:
    try:
        done = children.run(argv, seconds=10)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        return ""

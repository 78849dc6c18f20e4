"""The identity of a machine, which distinguishes machines that look alike: processor, caches, topology, boot and speed."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# names in environment.json, with their names in /proc/cpuinfo
_OF_A_PROCESSOR = {
    "vendor": "vendor_id",
    "family": "cpu family",
    "model": "model",
    "stepping": "stepping",
    "microcode": "microcode",
}


def fingerprint(spun: str = "", root: Path = Path("/")) -> dict[str, Any]:
    """Plain values for environment.json; values that the kernel does not report are missing.

    `boot` is a hash of the kernel's boot id: it changes at a restart, and does not identify the machine. `reference_spin_us` is
    the CPU time in µs of a fixed calculation, the least and the median of many rounds; `spun` is the output of `steelyard-engine
    spin`.
    """
    described = _processor_facts(root)
    facts = {
        "processor": described.get("model name", platform.processor()),
        **{name: described[key] for name, key in _OF_A_PROCESSOR.items() if described.get(key)},
        "virtual": "hypervisor" in described.get("flags", "").split(),
        "processors": os.cpu_count(),
        "caches": _caches(root),
        "topology": _topology(root),
        "boot": _boot(root),
        "reference_spin_us": spin_us(spun),
    }
    return {name: value for name, value in facts.items() if value not in ("", None, {})}


def _processor_facts(root: Path) -> Mapping[str, str]:
    """The first processor's entries in /proc/cpuinfo."""
    first = _text(root / "proc/cpuinfo").partition("\n\n")[0]
    lines = (line.partition(":") for line in first.splitlines())
    return {name.strip(): value.strip() for name, _, value in lines}


def _caches(root: Path) -> dict[str, str]:
    """The caches of the first processor: `L1 data: 32K`."""
    caches = {}
    for index in sorted((root / "sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = (_text(index / name).strip() for name in ("level", "type", "size"))
        if level and size:
            caches[f"L{level}" if kind in ("", "Unified") else f"L{level} {kind.lower()}"] = size
    return caches


def _topology(root: Path) -> str:
    """`1 socket, 2 cores, 2 threads`; empty where the kernel does not report it."""
    places = [
        tuple(_text(cpu / "topology" / name).strip() for name in ("physical_package_id", "core_id"))
        for cpu in (root / "sys/devices/system/cpu").glob("cpu[0-9]*")
    ]
    places = [place for place in places if all(place)]
    if not places:
        return ""
    counts = {"socket": len({place[0] for place in places}), "core": len(set(places)), "thread": len(places)}
    return ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items())


def _boot(root: Path) -> str:
    identity = _text(root / "proc/sys/kernel/random/boot_id").strip()
    return hashlib.sha256(f"boot {identity}".encode()).hexdigest()[:12] if identity else ""


def spin_us(spun: str) -> dict[str, float]:
    """The least and the median of many rounds in µs, from the output of `steelyard-engine spin`; empty where it has none."""
    try:
        times = json.loads(spun)
        return {"least": float(times["least_us"]), "median": float(times["median_us"])}
    except (ValueError, KeyError, TypeError):
        return {}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""

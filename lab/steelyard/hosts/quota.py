"""Processor quotas of the enclosing control groups, and the throttling of this process by them (versions 1 and 2)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_NANOSECONDS = 1e9
_MICROSECONDS = 1e6


@dataclass(frozen=True)
class Throttling:
    """The number of periods in which the enclosing groups used up their quota, and the seconds of processor time that were
    refused, over all processors."""

    periods: int
    seconds: float

    def since(self, before: Throttling) -> Throttling:
        """The difference from `before`."""
        return Throttling(self.periods - before.periods, self.seconds - before.seconds)


def processors(root: Path = Path("/")) -> float | None:
    """The smallest quota of any enclosing group, in processors (such as 1.5); None without a quota."""
    quotas = [quota for group in _groups(root) if (quota := _quota(group)) is not None]
    return min(quotas, default=None)


def throttling(root: Path = Path("/")) -> Throttling | None:
    """The throttling of all enclosing groups with a quota; None without a quota."""
    limited = [group for group in _groups(root) if _quota(group) is not None]
    if not limited:
        return None
    stats = [_group_throttling(group) for group in limited]
    return Throttling(sum(stat.periods for stat in stats), sum(stat.seconds for stat in stats))


def _groups(root: Path) -> Iterator[Path]:
    """The folders of our own groups with a processor controller, and of their ancestors as far as mounted."""
    for line in _lines(root / "proc/self/mountinfo"):
        ours, _, theirs = line.partition(" - ")
        mounted, options = ours.split(), theirs.split()
        if len(mounted) < 5 or len(options) < 3:
            continue
        version_1 = options[0] == "cgroup" and "cpu" in options[2].split(",")
        if not (version_1 or options[0] == "cgroup2"):
            continue
        mount = root / mounted[4].lstrip("/")
        path = _own_path(root, "cpu" if version_1 else "")
        below = PurePosixPath(path)
        # in a container the mounted tree may begin at our own group
        with suppress(ValueError):
            below = below.relative_to(mounted[3])
        parts = [part for part in below.parts if part not in ("/", "..")]
        yield from (mount.joinpath(*parts[:depth]) for depth in range(len(parts), -1, -1))


def _own_path(root: Path, controller: str) -> str:
    """Our group's path in the hierarchy of this controller; version 2 has no controller in its line."""
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return path
    return "/"


def _quota(group: Path) -> float | None:
    """The quota in processors. `cpu.max` is version 2, with `max` for none; the other two files are version 1, with -1 for
    none."""
    try:
        if (group / "cpu.max").exists():
            quota, period = (group / "cpu.max").read_text(encoding="ascii").split()
            return None if quota == "max" else int(quota) / int(period)
        granted = int((group / "cpu.cfs_quota_us").read_text(encoding="ascii"))
        return None if granted < 0 else granted / int((group / "cpu.cfs_period_us").read_text(encoding="ascii"))
    except (OSError, ValueError, ZeroDivisionError):
        return None


def _group_throttling(group: Path) -> Throttling:
    values = dict(line.split(maxsplit=1) for line in _lines(group / "cpu.stat"))
    seconds = (
        int(values["throttled_usec"]) / _MICROSECONDS
        if "throttled_usec" in values
        else int(values.get("throttled_time", 0)) / _NANOSECONDS
    )
    return Throttling(int(values.get("nr_throttled", 0)), seconds)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []

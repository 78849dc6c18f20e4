"""Installs the Debian packages without which tests are skipped: `python tools/packages.py`. It needs only Python.

The packages are those of the servers' descriptors and of tools/packages.toml. Their services are not started, neither now nor at
boot: the tests start servers of their own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin", "/sbin"))
POLICY = Path("/usr/sbin/policy-rc.d")
FORBID = "#!/bin/sh\nexit 101\n"  # policy for invoke-rc.d that forbids service starts
UNITS = tuple(Path(name) for name in ("/lib/systemd/system", "/usr/lib/systemd/system"))
SCRIPTS = Path("/etc/init.d")
BOOTED = (".service", ".socket", ".timer")
APT = ("apt-get", "-qq", "-o", "Acquire::Retries=2", "-o", "Acquire::http::Timeout=30", "-o", "DPkg::Lock::Timeout=120")
SECONDS = 1800.0  # time limit in s of one call of apt


class NotInstalledError(Exception):
    """The reason why packages were not installed, and the next step."""


def of_servers() -> list[str]:
    """The Debian packages that the servers' descriptors name."""
    servers = (tomllib.loads(path.read_text()) for path in sorted(ROOT.glob("servers/*/server.toml")))
    return [name for server in servers for artifact in server.get("artifacts", []) for name in artifact.get("apt", [])]


def of_commands() -> list[str]:
    """The packages of the commands that are not on this machine."""
    data = tomllib.loads((ROOT / "tools" / "packages.toml").read_text())
    return [
        package
        for command, package in data["commands"].items()
        if not any(shutil.which(name, path=PATH) for name in (command, *data["instead"].get(command, [])))
    ]


def missing(packages: Sequence[str]) -> list[str]:
    """The packages that are not installed, each once."""
    asked = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${Status}\n", *packages], capture_output=True, text=True, check=False
    )
    installed = {line.split()[0] for line in asked.stdout.splitlines() if line.endswith("install ok installed")}
    return [name for name in dict.fromkeys(packages) if name not in installed]


def offered(packages: Sequence[str]) -> list[str]:
    """The packages that this release of the distribution has."""
    asked = subprocess.run(["apt-cache", "--quiet=0", "policy", *packages], capture_output=True, text=True, check=False)
    name, names = "", set[str]()
    for line in asked.stdout.splitlines():
        if not line.startswith(" "):
            name = line.rstrip(":")
        elif line.startswith("  Candidate:") and "(none)" not in line:
            names.add(name)
    return [package for package in packages if package in names]


def apt(*words: str) -> None:
    """Run apt without prompts; raises NotInstalledError with the end of its output."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [*APT, *words],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        last = "\n".join(done.stdout.splitlines()[-5:])
        raise NotInstalledError(
            f"apt-get {words[0]} failed:\n{last}\nhint: repair the named problem, then run this again"
        )


@contextmanager
def no_service_starts(policy: Path = POLICY) -> Iterator[None]:
    """Within this context, newly installed packages start no service; an existing policy is restored."""
    before = policy.read_text() if policy.exists() else None
    policy.write_text(FORBID)
    policy.chmod(0o755)
    try:
        yield
    finally:
        if before is None:
            policy.unlink()
        else:
            policy.write_text(before)


def at_boot() -> set[str]:
    """The services, sockets and timers that this machine may start at boot."""
    names = {path.name for folder in UNITS if folder.is_dir() for path in folder.iterdir() if path.suffix in BOOTED}
    return names | ({path.name for path in SCRIPTS.iterdir()} if SCRIPTS.is_dir() else set())


def keep_from_boot(names: Sequence[str]) -> None:
    """Disable newly installed services, for systemd and System V scripts."""
    for name in names:
        word = ["systemctl", "--quiet", "disable", name] if Path(name).suffix else ["update-rc.d", name, "disable"]
        if shutil.which(word[0], path=PATH):
            subprocess.run(word, env={**os.environ, "PATH": PATH}, capture_output=True, check=False)


def install(packages: Sequence[str]) -> list[str]:
    """Install packages, as root; returns those that this release lacks."""
    apt("update")
    there = offered(packages)
    if there:
        known = at_boot()
        with no_service_starts():
            apt("install", "--no-install-recommends", *there)
        keep_from_boot(sorted(at_boot() - known))
    return [name for name in packages if name not in there]


def provide() -> str:
    """Install missing packages; returns one line about the result. Raises NotInstalledError."""
    wanted = [*of_servers(), *of_commands()]
    if not all(shutil.which(name) for name in ("apt-get", "dpkg-query")):
        raise NotInstalledError(
            "this machine has no apt, so the packages that tests use are not installed\n"
            f"hint: install the equivalents of: {' '.join(wanted)}; tests without theirs are skipped"
        )
    lacking = missing(wanted)
    if not lacking:
        return "every package that the tests use is installed"
    if os.geteuid() != 0:
        as_root(lacking)
    absent = install(lacking)
    done = [name for name in lacking if name not in absent]
    words = f"installed: {' '.join(done) or 'nothing'}"
    return f"{words}; not in this release: {' '.join(absent)}, so tests that need them are skipped" if absent else words


def as_root(lacking: Sequence[str]) -> None:
    """Run this program again by sudo, if that needs no password; raises NotInstalledError."""
    try:
        may = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        may = False
    if not may:
        raise NotInstalledError(
            f"only root can install the packages that tests use: {' '.join(lacking)}\n"
            "hint: run `sudo make test-packages`; tests without theirs are skipped"
        )
    os.execvp("sudo", ["sudo", "-n", sys.executable, str(Path(__file__).resolve())])


def main() -> int:
    """Provide the packages; returns 1 where that failed."""
    try:
        print(provide(), file=sys.stderr)
    except NotInstalledError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except subprocess.TimeoutExpired:
        print(
            f"error: apt-get did not end within {SECONDS:.0f} s\nhint: does another one hold its lock?", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

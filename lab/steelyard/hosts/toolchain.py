"""The toolchains that servers need: finding a JDK of the right version, checking for commands, and install commands."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..base import children
from ..base.errors import ToolchainError
from ..models.server import ANY, Needs

_JDK_PLACES = (
    "/usr/lib/jvm/*",
    "/usr/lib64/jvm/*",
    "/opt/java/*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
)


@dataclass(frozen=True)
class Install:
    """The one command that installs a toolchain, per platform."""

    debian: str
    fedora: str
    macos: str

    def hint(self) -> str:
        """All three commands on one line, for the hint of an error."""
        return f"Debian: {self.debian}; Fedora: {self.fedora}; macOS: {self.macos}"


def install(tool: str) -> Install:
    """The install commands of `what`: a command's name, or `jdk-<major>`."""
    if tool.startswith("jdk-"):
        major = tool.removeprefix("jdk-")
        return Install(
            f"apt install openjdk-{major}-jdk (or temurin-{major}-jdk from Adoptium)",
            f"dnf install java-{major}-openjdk-devel",
            f"brew install openjdk@{major}",
        )
    packages = {
        "go": ("golang-go", "golang", "go"),
        "mvn": ("maven", "maven", "maven"),
        "dotnet": ("dotnet-sdk-8.0 (from the registry of Microsoft)", "dotnet-sdk-8.0", "dotnet-sdk"),
        "npm": ("npm", "nodejs-npm", "node"),
        "node": ("nodejs", "nodejs", "node"),
        "cargo": ("cargo", "cargo", "rust"),
        "mono": ("mono-devel", "mono-devel", "mono"),
        "soapcpp2": ("gsoap libgsoap-dev", "gsoap-devel", "gsoap"),
        "wsdl2h": ("gsoap libgsoap-dev", "gsoap-devel", "gsoap"),
        "c++": ("g++", "gcc-c++", "gcc"),
        "php-fpm8.2": (
            "php8.2-fpm php8.2-soap php8.2-apcu php8.2-xml php8.2-bcmath php8.2-pgsql",
            "php-fpm php-soap php-pecl-apcu php-xml php-bcmath php-pgsql",
            "php",
        ),
        "xz": ("xz-utils", "xz", "xz"),
        "unshare": ("util-linux", "util-linux", "util-linux"),
        "exim4": ("exim4-daemon-light", "exim", "exim"),
        "nginx": ("nginx-light", "nginx", "nginx"),
        "mariadbd": ("mariadb-server-core mariadb-client-core", "mariadb-server", "mariadb"),
    }
    debian, fedora, macos = packages.get(tool, (tool, tool, tool))
    return Install(f"apt install {debian}", f"dnf install {fedora}", f"brew install {macos}")


def require(needs: Needs, wanted_by: str) -> dict[str, str]:
    """The environment variables for the needs of `wanted_by`; raises ToolchainError that names what is missing."""
    require_commands(needs.commands, wanted_by)
    if needs.jdk is None:
        return {}
    homes = jdk_homes(needs.jdk)
    if not homes:
        raise ToolchainError(
            f"{wanted_by} needs a JDK {needs.jdk}, which is not on this machine",
            hint=f"{install(f'jdk-{needs.jdk}').hint()}; or set STEELYARD_JDK_{needs.jdk} to its folder",
        )
    home = jdk_home(needs.jdk, needs.jdk_vendor)
    if home is None:
        raise ToolchainError(
            f"{wanted_by} needs a JDK {needs.jdk} of '{needs.jdk_vendor}'; this machine has those of: "
            f"{', '.join(sorted({jdk_vendor(candidate) for candidate in homes}))}",
            hint=f"set STEELYARD_JDK_{needs.jdk} to the folder of another vendor's JDK",
        )
    return {"JAVA_HOME": str(home)}


def require_commands(commands: Sequence[str], wanted_by: str) -> None:
    """Raise ToolchainError that names the first of these commands that is not on the machine."""
    for command in commands:
        if shutil.which(command) is None:
            raise ToolchainError(
                f"{wanted_by} needs the command '{command}', which is not on this machine", hint=install(command).hint()
            )


def jdk_home(major: int, vendor: str = ANY) -> Path | None:
    """The folder of the first JDK of that major version and vendor; None where there is none."""
    return next((home for home in jdk_homes(major) if vendor in (ANY, jdk_vendor(home))), None)


@cache
def jdk_homes(major: int) -> tuple[Path, ...]:
    """The JDKs of that major version: in STEELYARD_JDK_<major>, JAVA_HOME, the usual places, then on PATH."""
    named = [os.environ.get(f"STEELYARD_JDK_{major}"), os.environ.get("JAVA_HOME")]
    folders = [Path(name) for name in named if name]
    for pattern in _JDK_PLACES:
        folders.extend(sorted(Path("/").glob(pattern.removeprefix("/"))))
    on_path = shutil.which("javac")
    if on_path:
        folders.append(Path(on_path).resolve().parent.parent)
    homes = [folder.resolve() for folder in folders if (folder / "bin" / "javac").is_file()]
    return tuple(dict.fromkeys(home for home in homes if jdk_major(home) == major))


@cache
def jdk_major(home: Path) -> int | None:
    """The major version of the JDK in `home`, from its release file or `java -version`."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        try:
            answer = children.run([str(home / "bin" / "java"), "-version"], seconds=10)
        except (OSError, subprocess.TimeoutExpired):
            return None
        text = f"JAVA_VERSION={answer.stderr.replace('version ', 'JAVA_VERSION=')}"
    return _major_in(text)


def _major_in(release: str) -> int | None:
    version = re.search(r'JAVA_VERSION="?(?:1\.)?(\d+)', release)
    return int(version.group(1)) if version else None


def jdk_vendor(home: Path) -> str:
    """The vendor of the JDK in `home`, in lower case with hyphens: `debian`, `eclipse-adoptium`; `unknown` without one."""
    return _vendor_in(_release(home))


def _vendor_in(release: Mapping[str, str]) -> str:
    return re.sub(r"[^a-z0-9]+", "-", release.get("IMPLEMENTOR", "unknown").lower()).strip("-")


def jdk_of(releases: Mapping[str, str], major: int, vendor: str) -> str | None:
    """The first of another machine's JDKs with that major version and vendor, by the release file of each."""
    return next(
        (
            home
            for home, release in releases.items()
            if _major_in(release) == major and vendor in (ANY, _vendor_in(_values(release)))
        ),
        None,
    )


def jdk_description(home: Path) -> str:
    """Vendor and full version of the JDK in `home`, from its release file."""
    values = _release(home)
    if not values:
        return str(home)
    return f"{values.get('IMPLEMENTOR', 'unknown vendor')} {values.get('JAVA_RUNTIME_VERSION', values.get('JAVA_VERSION', '?'))}"


def _release(home: Path) -> dict[str, str]:
    """The values of a JDK's release file; empty without one."""
    try:
        return _values((home / "release").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return {}


def _values(release: str) -> dict[str, str]:
    lines = release.splitlines()
    return {name: value.strip('"') for name, _, value in (line.partition("=") for line in lines)}

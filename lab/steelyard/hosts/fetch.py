"""Fetches the artifacts of servers, checks them against pinned checksums, and keeps them in the user's cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from ..base import children, paths
from ..base.errors import FetchError, KeeperError, ToolchainError
from ..base.progress import Progress
from ..catalogue.entries import Entry
from ..models.server import Artifact, Server
from . import keeper
from .toolchain import install

DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
FETCH_SECONDS = 1800.0
_DPKG_SECONDS = 60.0
_DONE = ".fetched"


def cache_folder(server: Entry[Server]) -> Path:
    """The cache folder of a server's artifacts; its name changes with the pinned versions, so versions never mix."""
    digest = hashlib.sha256()
    for artifact in server.model.artifacts:
        digest.update(artifact.model_dump_json(exclude={"when"}).encode())
        npm_lock = f"{artifact.npm}/package-lock.json" if artifact.npm is not None else None
        pinned = [server.folder / named for named in (artifact.pom, artifact.lock, npm_lock) if named is not None]
        pinned += _requirements(server, artifact.pypi) if artifact.pypi is not None else []
        for path in pinned:
            digest.update(path.read_bytes())
    return paths.cache() / "servers" / f"{server.name}-{digest.hexdigest()[:12]}"


def is_fetched(server: Entry[Server]) -> bool:
    """Whether all of the server's artifacts are in the cache, and its Debian packages installed."""
    installed = all(_missing_packages(artifact) == [] for artifact in server.model.artifacts)
    return (cache_folder(server) / _DONE).is_file() and installed


def fetch(server: Entry[Server], progress: Progress, environment: Mapping[str, str]) -> Path:
    """Fetch the server's missing artifacts into its cache folder, which is returned; raises FetchError."""
    target = cache_folder(server)
    require_packages(server)
    if (target / _DONE).is_file():
        return target
    _make(target.parent)
    with _staging_folder(target) as staging:
        for artifact in server.model.artifacts:
            _fetch_one(server, artifact, staging, progress, environment)
        (staging / _DONE).write_text("complete\n", encoding="utf-8")
    return target


def bytes_to_fetch(server: Entry[Server]) -> int | None:
    """The total size in bytes of the pinned artifacts with a declared size; None without any."""
    sizes = [artifact.bytes for artifact in server.model.artifacts if artifact.bytes is not None]
    return sum(sizes) if sizes else None


def sha256_of(path: Path) -> str:
    """The file's SHA-256 in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch_one(
    server: Entry[Server], artifact: Artifact, staging: Path, progress: Progress, environment: Mapping[str, str]
) -> None:
    if artifact.maven is not None:
        _fetch_maven(server, artifact, artifact.maven, staging, progress, environment)
    elif artifact.pom is not None:
        _fetch_closure(server, artifact, artifact.pom, staging, progress, environment)
    elif artifact.npm is not None:
        target = staging / (artifact.into or "npm")
        shutil.copytree(server.folder / artifact.npm, target)
        _run(server, ["npm", "ci", "--omit=dev", "--no-audit", "--no-fund"], target, staging, progress, environment)
    elif artifact.pypi is not None:
        python = staging / (artifact.into or "python")
        _run(server, [sys.executable, "-m", "venv", str(python)], staging, staging, progress, environment)
        # Build dependencies are fetched by hash, too, and first: pip's isolated builds would fetch them unchecked, and its cache
        # would return the results of such builds.
        for requirements in _requirements(server, artifact.pypi):
            wanted = ["install", "--require-hashes", "--no-build-isolation", "--no-cache-dir", "-r", str(requirements)]
            _run(
                server, [str(python / "bin" / "python"), "-m", "pip", *wanted], staging, staging, progress, environment
            )


def _requirements(server: Entry[Server], pypi: str) -> list[Path]:
    """The requirement files of Python packages to install, in order: `build-<pypi>` where it exists, then `pypi`."""
    build = server.folder / f"build-{pypi}"
    return [build, server.folder / pypi] if build.is_file() else [server.folder / pypi]


def _fetch_maven(
    server: Entry[Server],
    artifact: Artifact,
    coordinates: str,
    staging: Path,
    progress: Progress,
    environment: Mapping[str, str],
) -> None:
    group, name, version, *rest = coordinates.split(":")
    packaging = rest[0] if rest else "jar"
    classifier = f"-{rest[1]}" if len(rest) > 1 else ""
    file_name = f"{name}-{version}{classifier}.{packaging}"
    local = Path.home() / ".m2" / "repository" / Path(*group.split(".")) / name / version
    with TemporaryDirectory(prefix="fetch-", dir=staging) as download:
        words = ["-B", f"{DEPENDENCY_PLUGIN}:copy", f"-Dartifact={coordinates}", f"-DoutputDirectory={download}"]
        with progress.measure_bytes(f"fetching {file_name}", artifact.bytes, local):
            try:
                _run(server, ["mvn", "--strict-checksums", *words], Path(download), staging, progress, environment)
            except KeeperError:
                # A mirror may publish no checksum of the file, so ours decides below. The plugin was already fetched strictly.
                lax = ["mvn", "--lax-checksums", "--update-snapshots", *words]
                _run(server, lax, Path(download), staging, progress, environment)
        fetched = Path(download) / file_name
        if not fetched.is_file():
            raise FetchError(f"{server.name}: Maven reports that it fetched {coordinates}, but {file_name} is missing")
        _check(server, fetched, artifact.sha256 or "")
        if artifact.unpack is None:
            shutil.move(fetched, _make(staging / (artifact.into or ".")) / file_name)
        else:
            unpack(fetched, _make(staging / artifact.unpack))


def _fetch_closure(
    server: Entry[Server],
    artifact: Artifact,
    pom: str,
    staging: Path,
    progress: Progress,
    environment: Mapping[str, str],
) -> None:
    target = _make(staging / (artifact.into or "lib"))
    command = [
        "mvn", "--strict-checksums", "-B", "-f", str(server.folder / pom), f"{DEPENDENCY_PLUGIN}:copy-dependencies",
        f"-DoutputDirectory={target}", "-DincludeScope=runtime",
        *(f"-D{name}={value}" for name, value in artifact.when.items() if isinstance(value, str)),
    ]  # fmt: skip
    with progress.stage(f"fetching the libraries of {server.name}"):
        _run(server, command, server.folder, staging, progress, environment)
    wanted = _lock(server.folder / (artifact.lock or ""))
    present = {path.name: path for path in target.iterdir()}
    if set(wanted) != set(present):
        odd = sorted(set(wanted) ^ set(present))
        raise FetchError(f"{server.name}: the libraries fetched are not those of {artifact.lock}: {', '.join(odd)}")
    for name, path in present.items():
        _check(server, path, wanted[name])


def _lock(path: Path) -> dict[str, str]:
    """Checksums by file name from lines in the format of `sha256sum`."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {
        name.strip().lstrip("*"): checksum
        for checksum, _, name in (line.partition(" ") for line in lines if line.strip())
    }


def _run(
    server: Entry[Server], argv: list[str], cwd: Path, staging: Path, progress: Progress, environment: Mapping[str, str]
) -> None:
    if shutil.which(argv[0]) is None:
        raise ToolchainError(
            f"{server.name} needs the command '{argv[0]}', which is not on this machine", hint=install(argv[0]).hint()
        )
    log = staging.parent / f"{server.name}.fetch.log"
    keeper.run(argv, log=log, cwd=cwd, environment=environment, seconds=FETCH_SECONDS, while_waiting=progress.refresh)


def _check(server: Entry[Server], path: Path, expected: str) -> None:
    checksum = sha256_of(path)
    if checksum != expected:
        raise FetchError(
            f"{server.name}: {path.name} has the checksum {checksum}, but {expected} is pinned",
            hint="the file was discarded; compare with the publisher's checksum before you change server.toml",
        )


def unpack(archive: Path, target: Path) -> None:
    """Unpack a zip or tar archive into `target` without its leading folder; raises FetchError where a name leads outside."""
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as file:
            for entry in file.infolist():
                place = _inside(archive, target, entry.filename)
                if place is None or entry.is_dir():
                    continue
                _make(place.parent)
                with file.open(entry) as source, place.open("wb") as sink:
                    shutil.copyfileobj(source, sink, 1 << 20)
                mode = entry.external_attr >> 16
                if mode & 0o111:
                    place.chmod(0o755)
        return
    with tarfile.open(archive) as tar:
        for member in tar:
            place = _inside(archive, target, member.name)
            if place is not None:
                tar.extract(member.replace(name=str(place.relative_to(target))), target, filter="data")


def _inside(archive: Path, target: Path, name: str) -> Path | None:
    parts = PurePosixPath(name).parts
    if ".." in parts or PurePosixPath(name).is_absolute():
        raise FetchError(f"{archive.name} contains a name that leads outside of it: {name}")
    return target.joinpath(*parts[1:]) if len(parts) > 1 else None


def _missing_packages(artifact: Artifact) -> list[str]:
    if artifact.apt is None:
        return []
    if shutil.which("dpkg-query") is None:
        return artifact.apt
    try:
        query = children.run(["dpkg-query", "-W", "-f", "${Package} ${Status}\n", *artifact.apt], seconds=_DPKG_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        raise ToolchainError(
            f"dpkg-query did not report whether {', '.join(artifact.apt)} is installed",
            hint="run `dpkg-query -W` in a shell to see why",
        ) from None
    installed = {line.split()[0] for line in query.stdout.splitlines() if line.endswith("install ok installed")}
    return [package for package in artifact.apt if package not in installed]


def require_packages(server: Entry[Server]) -> None:
    """Raises ToolchainError that names the server's Debian packages that are not on the machine."""
    missing = [package for artifact in server.model.artifacts for package in _missing_packages(artifact)]
    if missing:
        raise ToolchainError(
            f"{server.name} needs the Debian packages {', '.join(missing)}, which are not installed",
            hint=f"apt install {' '.join(missing)}",
        )


def _make(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FetchError(
            f"{folder} cannot be made: {error.strerror}", hint="set STEELYARD_CACHE to another cache folder"
        ) from None
    return folder


@contextmanager
def _staging_folder(target: Path) -> Iterator[Path]:
    """A folder beside `target`, which becomes `target` after success and is removed after a failure."""
    staging = Path(f"{target}.{os.getpid()}.part")
    shutil.rmtree(staging, ignore_errors=True)
    _make(staging)
    try:
        yield staging
        shutil.rmtree(target, ignore_errors=True)
        staging.rename(target)
    except OSError as error:
        raise FetchError(f"{target} cannot be written: {error.strerror}", hint="is the disk full?") from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)

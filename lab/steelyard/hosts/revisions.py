"""Revisions of a git repository: each is checked out in its own worktree and built there; built trees stay in the cache."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base import children, paths
from ..base.errors import BuildError, CommandFailedError, ConfigurationError, KeeperError, ToolchainError
from ..base.lock import waiting_lock
from ..base.progress import Progress
from ..base.text import plural
from . import keeper

BUILD_SECONDS = 3600.0
_GIT_SECONDS = 600.0  # large repositories take minutes to check out
_MOST_KEPT = 8  # built trees in the cache; the least recently used are removed first
_BUILT, _TREE, _ASIDE = "built", "tree", "aside"
# A git hook that runs us sets variables of its repository; the user's hooks must not run in our worktrees.
_GIT = ("env", "-u", "GIT_DIR", "-u", "GIT_WORK_TREE", "-u", "GIT_INDEX_FILE", "git", "-c", "core.hooksPath=/dev/null")


@dataclass(frozen=True)
class Revision:
    """A revision of a repository: the user's `name` for it, and its commit. `within` is the service's folder, relative to the
    repository's top folder `repository`."""

    name: str
    commit: str
    repository: Path
    within: Path

    @property
    def title(self) -> str:
        """The name with the commit, such as "main (3f2a1b9)"."""
        return f"{self.name} ({self.commit[:7]})"

    def has(self, file: str) -> bool:
        """Whether the revision has a file of this name in the service's folder."""
        name = f"{self.commit}:{(self.within / file).as_posix()}"
        return not _git(self.repository, "cat-file", "-e", name).returncode


def of_range(words: str, folder: Path) -> tuple[Revision, Revision]:
    """The two revisions of a range OLD..NEW in the repository of `folder`; raises ConfigurationError, ToolchainError."""
    old_name, dots, new_name = words.partition("..")
    if not dots or "." in (old_name[-1:], new_name[:1]) or not (old_name or new_name):
        raise ConfigurationError(f"'{words}' is not a range of revisions", hint="write OLD..NEW, such as main..HEAD")
    repository = _repository_of(folder)
    within = folder.resolve().relative_to(repository)
    old, new = (
        Revision(name or "HEAD", _commit(name or "HEAD", repository), repository, within)
        for name in (old_name, new_name)
    )
    if old.commit == new.commit:
        raise ConfigurationError(
            f"{old.name} and {new.name} are the same commit {old.commit[:7]}, so there is nothing to compare",
            hint="name two commits that differ, such as HEAD~1..HEAD",
        )
    for revision in (old, new):
        _require_folder(revision)
    _require_committed(repository, (old, new))
    return old, new


def build(revision: Revision, command: str | None, progress: Progress) -> Path:
    """The revision's folder, checked out and built by the shell `command`, which runs in that folder.

    It comes from the cache where the same commit and command were built before. Raises BuildError; in any case no worktree stays
    in the user's repository.
    """
    base = paths.cache() / "revisions"
    base.mkdir(parents=True, exist_ok=True)
    key = "\0".join([str(revision.repository), revision.commit, str(revision.within), command or ""])
    place = base / hashlib.sha256(key.encode(errors="surrogateescape")).hexdigest()[:16]
    with waiting_lock(base):
        _sweep(base, place)
        if not (place / _BUILT).exists():
            _make(revision, command, place, progress)
        (place / _BUILT).touch()
    return place / _TREE / revision.within


def _make(revision: Revision, build: str | None, place: Path, progress: Progress) -> None:
    tree = place / _TREE
    place.mkdir()
    try:
        with progress.stage(f"checking out {revision.title}"):
            added = _git(revision.repository, "worktree", "add", "--detach", "--force", str(tree), revision.commit)
        if added.returncode:
            raise BuildError(f"{revision.title} cannot be checked out: {_last_line(added)}")
        if build is not None:
            _build(revision, build, place, progress)
        with children.hold_interrupts():
            _leave_repository(tree)
            (place / _BUILT).touch()
    finally:
        if not (place / _BUILT).exists():
            _drop(place)


def _build(revision: Revision, build: str, place: Path, progress: Progress) -> None:
    log = place.with_suffix(".log")
    with progress.stage(f"building {revision.title}"):
        try:
            keeper.run(
                ["sh", "-c", build],
                log=log,
                cwd=place / _TREE / revision.within,
                environment={},
                seconds=BUILD_SECONDS,
                while_waiting=progress.refresh,
            )
        except CommandFailedError as error:
            printed = error.output or "it printed nothing"
            message = f"'{build}' failed for {revision.title} with exit code {error.code}: {printed}"
            raise BuildError(message, hint=f"the full output is in {log}") from None
        except KeeperError as error:
            raise BuildError(f"{revision.title}: {error.message}", hint=error.hint) from None


def _leave_repository(tree: Path) -> None:
    """Remove the worktree from its repository but keep its files at the same path, which a build may have stored."""
    aside = tree.with_name(_ASIDE)
    tree.rename(aside)
    tree.mkdir()
    (aside / ".git").rename(tree / ".git")
    _git(tree, "worktree", "remove", "--force", str(tree))
    shutil.rmtree(tree, ignore_errors=True)
    aside.rename(tree)


def _drop(place: Path) -> None:
    """Remove a place with its worktree, also from the repository."""
    with children.hold_interrupts():
        tree = place / _TREE
        if (tree / ".git").is_file():
            _git(tree, "worktree", "remove", "--force", str(tree))
        shutil.rmtree(place, ignore_errors=True)


def _sweep(base: Path, wanted: Path) -> None:
    """Remove leftovers of killed labs, and the least recently used built trees and logs of failed builds."""
    places = [place for place in base.iterdir() if place.is_dir()]
    marked = [place for place in places if (place / _BUILT).exists()]
    newest_first = sorted(marked, key=lambda place: (place / _BUILT).stat().st_mtime, reverse=True)
    for place in {*places} - {*marked} | ({*newest_first[_MOST_KEPT - 1 :]} - {wanted}):
        _drop(place)
        place.with_suffix(".log").unlink(missing_ok=True)
    logs = sorted(base.glob("*.log"), key=lambda log: log.stat().st_mtime, reverse=True)
    for log in logs[2 * _MOST_KEPT :]:
        log.unlink(missing_ok=True)


def _repository_of(folder: Path) -> Path:
    if not folder.is_dir():
        raise ConfigurationError(
            f"there is no folder {folder}", hint="name the folder of the service in its repository"
        )
    shown = _git(folder, "rev-parse", "--show-toplevel")
    if shown.returncode:
        raise ConfigurationError(
            f"{folder} is not in a git repository: {_last_line(shown)}",
            hint="--git compares revisions of the repository that the folder is in",
        )
    return Path(shown.stdout.rstrip("\n")).resolve()


def _commit(name: str, repository: Path) -> str:
    shown = _git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if shown.returncode:
        raise ConfigurationError(
            f"{repository} has no revision '{name}'",
            hint="`git log` lists them; a shallow clone, as in CI, may lack it: `git fetch --unshallow`",
        )
    return shown.stdout.strip()


def _require_folder(revision: Revision) -> None:
    name = f"{revision.commit}:{'' if revision.within == Path() else revision.within.as_posix()}"
    kind = _git(revision.repository, "cat-file", "-t", name)
    if kind.returncode or kind.stdout.strip() != "tree":
        raise ConfigurationError(
            f"{revision.title} has no folder {revision.within}", hint="compare revisions that both have it"
        )


def _require_committed(repository: Path, revisions: Sequence[Revision]) -> None:
    """Raise ConfigurationError where HEAD is compared and files differ from it: the user may expect them to be measured."""
    if _commit("HEAD", repository) not in {revision.commit for revision in revisions}:
        return
    status = _git(repository, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=untracked")
    changed = [line[3:] for line in status.stdout.splitlines()]
    if changed:
        raise ConfigurationError(
            f"only commits are compared, and {repository} differs from HEAD ({plural(len(changed), 'file')}): {changed[0]}",
            hint="commit or stash the changes",
        )


def _git(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    if shutil.which("git") is None:
        raise ToolchainError("git is not on this machine", hint="install it, for example with `apt install git`")
    try:
        return children.run([*_GIT, "-C", str(folder), *words], seconds=_GIT_SECONDS)
    except subprocess.TimeoutExpired:
        raise ToolchainError(f"`git {words[0]}` in {folder} was still running after {_GIT_SECONDS:g} s") from None


def _last_line(ran: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in ran.stderr.splitlines() if line.strip()]
    return lines[-1] if lines else f"git ended with exit code {ran.returncode}"

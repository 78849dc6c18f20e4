"""Revisions of a git repository are built in their own worktrees, which leave nothing in the user's repository."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest
from command import steelyard
from own_service import service
from rich.console import Console
from steelyard.base.errors import BuildError, ConfigurationError
from steelyard.base.progress import Progress
from steelyard.hosts import keeper, revisions

PROGRESS = Progress(Console(quiet=True))
BUILD = "cp source made && echo once >> ../../builds"


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder `shop` of a repository with two commits on main, of which the first is tagged v1."""
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "repository" / "shop"
    folder.mkdir(parents=True)
    git(folder.parent, "init", "--quiet", "--initial-branch", "main")
    for content in ("first", "second"):
        (folder / "source").write_text(content)
        git(folder.parent, "add", ".")
        git(folder.parent, "commit", "--quiet", "--message", content)
        if content == "first":
            git(folder.parent, "tag", "v1")
    return folder


def left(shop: Path) -> list[str]:
    """The worktrees that the repository knows beside its own."""
    return git(shop, "worktree", "list", "--porcelain").split("\n\n")[1:-1]


def test_each_revision_is_built_in_its_own_tree_and_once(shop: Path) -> None:
    old, new = revisions.of_range("v1..HEAD", shop)
    places = [revisions.build(revision, BUILD, PROGRESS) for revision in (old, new, old)]
    assert [(place / "made").read_text() for place in places] == ["first", "second", "first"]
    assert places[0] == places[2] != places[1]
    assert [(place / "../../builds").resolve().read_text() for place in places[:2]] == ["once\n", "once\n"]
    assert left(shop) == [] and git(shop, "status", "--porcelain") == ""


def test_another_build_command_builds_again(shop: Path) -> None:
    old, _ = revisions.of_range("v1..HEAD", shop)
    first = revisions.build(old, "echo first > made", PROGRESS)
    second = revisions.build(old, "echo second > made", PROGRESS)
    assert ((first / "made").read_text(), (second / "made").read_text()) == ("first\n", "second\n")


def test_an_empty_side_of_a_range_is_head(shop: Path) -> None:
    old, new = revisions.of_range("v1..", shop)
    assert (old.name, new.name, new.commit) == ("v1", "HEAD", git(shop, "rev-parse", "HEAD").strip())


def test_a_build_that_fails_is_told_with_its_last_lines_and_leaves_nothing(shop: Path, tmp_path: Path) -> None:
    old, _ = revisions.of_range("v1..HEAD", shop)
    with pytest.raises(BuildError) as failed:
        revisions.build(old, "echo cannot find symbol; exit 3", PROGRESS)
    assert failed.value.message == (
        f"'echo cannot find symbol; exit 3' failed for v1 ({old.commit[:7]}) with exit code 3: cannot find symbol"
    )
    (log,) = (tmp_path / "cache" / "revisions").iterdir()
    assert failed.value.hint == f"the full output is in {log}" and log.read_text() == "cannot find symbol\n"
    assert left(shop) == []


def test_an_interrupted_build_leaves_no_worktree(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, _ = revisions.of_range("v1..HEAD", shop)

    def interrupted(*_: object, **__: object) -> None:
        signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(keeper, "run", interrupted)
        revisions.build(old, BUILD, PROGRESS)
    assert left(shop) == [] and list((tmp_path / "cache" / "revisions").iterdir()) == []


def test_what_a_killed_build_left_is_removed_by_the_next_one(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = revisions.of_range("v1..HEAD", shop)
    with monkeypatch.context() as patch, pytest.raises(BuildError):
        patch.setattr(revisions, "_drop", lambda _place: None)
        revisions.build(old, "exit 1", PROGRESS)
    assert len(left(shop)) == 1
    revisions.build(new, BUILD, PROGRESS)
    assert left(shop) == []


def test_trees_that_were_used_longest_ago_go_first(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revisions, "_MOST_KEPT", 2)
    old, new = revisions.of_range("v1..HEAD", shop)
    places = [revisions.build(revision, "true", PROGRESS) for revision in (old, new)]
    third = revisions.build(old, "true # again", PROGRESS)
    assert [place.exists() for place in (*places, third)] == [False, True, True]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("v1", "'v1' is not a range of revisions"),
        ("v1...HEAD", "'v1...HEAD' is not a range of revisions"),
        ("..", "'..' is not a range of revisions"),
        ("v2..HEAD", "has no revision 'v2'"),
        ("--all..HEAD", "has no revision '--all'"),
        ("main..HEAD", "main and HEAD are the same commit"),
    ],
)
def test_a_range_that_cannot_be_compared_is_refused(shop: Path, words: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message) as refused:
        revisions.of_range(words, shop)
    assert refused.value.hint


def test_changes_that_no_commit_holds_are_refused_where_head_is_compared(shop: Path) -> None:
    (shop / "notes").write_text("not of the repository")
    assert revisions.of_range("v1..HEAD", shop)
    (shop / "source").write_text("third")
    with pytest.raises(ConfigurationError, match=r"differs from HEAD \(1 file\): shop/source"):
        revisions.of_range("v1..HEAD", shop)
    git(shop, "commit", "--quiet", "--all", "--message", "third")
    (shop / "source").write_text("fourth")
    assert revisions.of_range("v1..HEAD~1", shop)


def test_a_folder_outside_of_a_repository_or_of_a_revision_is_refused(shop: Path, tmp_path: Path) -> None:
    for folder, message in ((tmp_path / "none", "there is no folder"), (tmp_path, "is not in a git repository")):
        with pytest.raises(ConfigurationError, match=message):
            revisions.of_range("v1..HEAD", folder)
    (shop.parent / "later").mkdir()
    (shop.parent / "later" / "file").write_text("")
    git(shop.parent, "add", ".")
    git(shop.parent, "commit", "--quiet", "--message", "later")
    with pytest.raises(ConfigurationError, match=r"v1 \(.*\) has no folder later"):
        revisions.of_range("v1..HEAD", shop.parent / "later")


def test_a_budget_that_holds_no_fork_is_refused_before_a_revision_is_built(tmp_path: Path) -> None:
    folder = service(tmp_path, "shop", 0.0, start=["serve", "{port}"])
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    for content in ("first", "second"):
        (folder / "source").write_text(content)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "--quiet", "--message", content)
    words = ("check", "--git", "HEAD~1..HEAD", "--build", "touch built", "./shop", "--budget", "2s")
    ran = steelyard(*words, folder=tmp_path, environment={"STEELYARD_CACHE": str(tmp_path / "cache")})
    assert ran.code == 64 and "a budget of 2 s is too small" in ran.err, ran.err
    assert not (tmp_path / "cache" / "revisions").exists() and not list(tmp_path.glob("**/built"))

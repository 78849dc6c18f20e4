"""Errors of ssh logins, copies to a host, and the remote shell protocol."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

import pytest
from steelyard.hosts.packing import Tree, digest, unpack, write
from steelyard.hosts.ssh_login import _BOOT, encode_script, login_error
from steelyard.hosts.toolchain import jdk_of


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("ssh: Could not resolve hostname rack: Name or service not known", "ssh knows no host 'me@rack'"),
        (
            "me@10.0.0.2: Permission denied (publickey).",
            "refused the login as 'me@rack': me@10.0.0.2: Permission denied",
        ),
        (
            "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.",
            "has another host key than the known one",
        ),
        ("Host key verification failed.", "has a host key that is not known here"),
        (
            "ssh: connect to host rack port 22: Connection refused",
            "cannot be reached: ssh: connect to host rack port 22",
        ),
        ("tar: keeper: Wrote only 4096 of 10240 bytes", "has no space for the subjects' files"),
        ("mkdir: cannot create directory: No space left on device", "has no space for the subjects' files"),
        ("steelyard needs the command 'flock' there", "steelyard needs the command 'flock' there"),
        ("", "ssh gives no reason"),
    ],
)
def test_what_ssh_says_is_told_in_a_sentence_that_names_the_host(said: str, sentence: str) -> None:
    error = login_error("rack", "me@rack", said)
    assert error.message.startswith("host 'rack' ") and sentence in error.message and "\n" not in error.message
    assert error.hint


def test_a_script_of_any_lines_and_what_follows_it_arrive_as_they_were_sent() -> None:
    script = "printf '%s\\n' \"it's $0\"\nprintf '%s\\n' 'two\nlines \\\\ of $x'\ncat"
    for shell in ("sh", "bash"):
        sent = encode_script(script) + b"\x00what follows\xff"
        done = subprocess.run([shell, "-c", _BOOT], input=sent, capture_output=True, check=True)
        assert done.stdout == b"it's sh\ntwo\nlines \\\\ of $x\n\x00what follows\xff"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("servers/a/start.sh", "services/common/x", "services/mine/y", "services/other/z", "runs/1"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "servers/a/__pycache__").mkdir()
    (tmp_path / "servers/a/__pycache__/start.pyc").write_text("made by use")
    (tmp_path / "servers/link").symlink_to("a")
    return tmp_path


def test_what_is_copied_is_what_was_asked_for_with_its_links_and_nothing_that_use_has_made(tree: Path) -> None:
    packed = io.BytesIO()
    write(Tree(tree, ["servers", "services/mine", "services/common"]), packed)
    packed.seek(0)
    with tarfile.open(fileobj=packed) as read:
        members = {member.name: member for member in read}
    assert set(members) == {"servers/a/start.sh", "servers/link", "services/mine/y", "services/common/x"}
    assert members["servers/link"].linkname == "a" and {member.uid for member in members.values()} == {0}


def test_its_name_is_that_of_what_it_holds(tree: Path) -> None:
    start, asked = tree / "servers/a/start.sh", Tree(tree, ["servers"])
    names = [digest(asked)]
    (tree / "services/mine/y").write_text("not asked for")
    assert digest(asked) == names[0]
    for change in (
        lambda: start.chmod(0o755),
        lambda: start.write_text("other"),
        lambda: start.rename(tree / "servers/a/begin.sh"),
        lambda: (tree / "servers/b").symlink_to("a"),
    ):
        change()
        names.append(digest(asked))
    assert len(set(names)) == len(names)
    assert digest(Tree(tree / "runs/1")) != digest(asked)


def test_another_machines_jdk_is_chosen_by_what_its_release_file_says() -> None:
    homes = {
        "/jdk/17": 'IMPLEMENTOR="Debian"\nJAVA_VERSION="17.0.12"\n',
        "/jdk/25": 'IMPLEMENTOR="Eclipse Adoptium"\nJAVA_VERSION="25"\n',
    }
    assert jdk_of(homes, 25, "any") == jdk_of(homes, 25, "eclipse-adoptium") == "/jdk/25"
    assert jdk_of(homes, 25, "debian") is None and jdk_of({}, 17, "any") is None


def packed(*members: tuple[str, bytes, bytes]) -> io.BytesIO:
    """A tar file of members: name, type, content."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as file:
        for name, kind, content in members:
            member = tarfile.TarInfo(name)
            member.type, member.size = kind, len(content)
            member.linkname = "/etc/passwd" if kind != tarfile.REGTYPE else ""
            file.addfile(member, io.BytesIO(content))
    stream.seek(0)
    return stream


def test_of_what_a_host_packs_plain_files_within_the_folder_are_taken_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "trial"
    folder.mkdir()
    (folder / "old").write_text("old")
    stream = packed(
        ("records/a.server/1.records", tarfile.REGTYPE, b"of a thread"),
        ("old", tarfile.REGTYPE, b"new"),
        ("../above", tarfile.REGTYPE, b"hostile"),
        (f"{tmp_path}/beside", tarfile.REGTYPE, b"hostile"),
        ("link", tarfile.SYMTYPE, b""),
        ("hard", tarfile.LNKTYPE, b""),
    )
    unpack(stream, folder)
    found = {str(path.relative_to(tmp_path)): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert found == {"trial/records/a.server/1.records": b"of a thread", "trial/old": b"new"}


@pytest.mark.parametrize("sent", [b"", b"no tar file at all" * 100])
def test_what_is_no_tar_file_is_said_to_be_none(tmp_path: Path, sent: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        unpack(io.BytesIO(sent), tmp_path)
    assert list(tmp_path.iterdir()) == []

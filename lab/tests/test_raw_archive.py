"""The archive of a kept run is read in place; one that could do harm is refused before it is read."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest
from steelyard.base import raw_archive
from steelyard.base.csvfiles import is_stored, names_in, read_bytes
from steelyard.base.errors import StoreError

FILES = {"schedule.json": b"{}", "trials/01/slices.csv": b"a,b\n1,2\n", "trials/02/slices.csv": b"a,b\n3,4\n"}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    raw_archive.write_archive(tmp_path / raw_archive.NAME, FILES.items())
    return tmp_path


def hostile(folder: Path, name: str, content: bytes = b"x", mode: int = stat.S_IFREG | 0o644, times: int = 1) -> Path:
    """A folder whose archive holds a member of this name, content and mode."""
    with zipfile.ZipFile(folder / raw_archive.NAME, "w", zipfile.ZIP_DEFLATED) as archive:
        for _ in range(times):
            member = zipfile.ZipInfo(name)
            member.external_attr = mode << 16
            archive.writestr(member, content)
    return folder


def test_files_and_folders_of_the_archive_are_read_as_if_they_lay_in_the_run(kept: Path) -> None:
    assert all(read_bytes(kept / name) == content for name, content in FILES.items())
    assert names_in(kept) == ["raw.zip", "schedule.json", "trials"]
    assert names_in(kept / "trials") == ["01", "02"] and names_in(kept / "trials" / "03") == []
    assert not is_stored(kept / "trials" / "03" / "slices.csv")
    with pytest.raises(StoreError, match=r"trials/03/slices\.csv is missing"):
        read_bytes(kept / "trials" / "03" / "slices.csv")


def test_a_file_on_disk_wins_and_an_archive_that_changed_is_read_anew(kept: Path) -> None:
    assert read_bytes(kept / "schedule.json") == b"{}"
    raw_archive.write_archive(kept / raw_archive.NAME, {"schedule.json": b"other"}.items())
    assert read_bytes(kept / "schedule.json") == b"other"
    (kept / "schedule.json").write_bytes(b"plain")
    assert read_bytes(kept / "schedule.json") == b"plain"


def test_the_same_files_give_the_same_archive_in_any_order(tmp_path: Path) -> None:
    for name, files in (("a", FILES.items()), ("b", reversed(FILES.items()))):
        raw_archive.write_archive(tmp_path / name, files)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    "name", ["../outside", "/etc/passwd", "trials/../../x", "trials//x", "./x", "a\\b", "a/b/c/d/e/f/g/h"]
)
def test_a_name_that_leads_out_of_the_run_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match="is not a path within a run"):
        read_bytes(hostile(tmp_path, name) / "schedule.json")


def test_links_twins_and_folders_as_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not a regular file"):
        is_stored(hostile(tmp_path, "link", b"/etc/passwd", stat.S_IFLNK | 0o777) / "schedule.json")
    with pytest.warns(UserWarning, match="Duplicate"):
        hostile(tmp_path, "twin", b"longer", times=2)
    with pytest.raises(StoreError, match="occurs twice"):
        is_stored(tmp_path / "schedule.json")


def test_what_is_no_archive_or_too_large_is_refused(
    kept: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / raw_archive.NAME).write_bytes(b"no archive")
    with pytest.raises(StoreError, match="is not a zip archive"):
        is_stored(other / "schedule.json")
    with pytest.raises(StoreError, match="is larger than 3 bytes"):
        raw_archive.read_member(kept / "trials/01/slices.csv", 3)
    monkeypatch.setattr(raw_archive, "MOST_FILES", 2)
    raw_archive.write_archive(other / raw_archive.NAME, FILES.items())
    with pytest.raises(StoreError, match="more than 2 files"):
        is_stored(other / "schedule.json")


def test_a_member_that_was_damaged_is_named(kept: Path) -> None:
    with zipfile.ZipFile(kept / raw_archive.NAME) as archive:
        begin = archive.getinfo("trials/01/slices.csv").header_offset + 30 + len("trials/01/slices.csv")
    content = bytearray((kept / raw_archive.NAME).read_bytes())
    content[begin + 12] ^= 0xFF
    (kept / raw_archive.NAME).write_bytes(content)
    with pytest.raises(StoreError, match=r"slices\.csv cannot be read from raw\.zip"):
        read_bytes(kept / "trials/01/slices.csv")

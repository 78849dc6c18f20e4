"""Asks a gRPC server for its own contract, by its reflection service."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

from ....base.errors import ContractError, ImportRefusedError, NoAnswerError
from ....base.http2_client import Http2Client
from ...body_formats.grpc import frame, messages
from ..documents import FETCH_SECONDS, MOST_BYTES, MOST_BYTES_TOGETHER
from ..names import one_line

SCHEMES = {"grpc": "http", "grpcs": "https"}
_VERSIONS = ("v1", "v1alpha")
_MOST_FILES = 1_000
_HEADERS = {"Content-Type": "application/grpc", "TE": "trailers"}
_UNIMPLEMENTED = "12"
_SAVE = "import its .proto file, with --target"
_BYTES, _TEXT, _NUMBER, _MESSAGE = 12, 9, 5, 11  # types of FieldDescriptorProto
# The fields that are needed of reflection.proto: name, number, type, and the message or whether it is repeated.
_MESSAGES: dict[str, list[tuple[str, int, int, str, bool]]] = {
    "Question": [
        ("file_by_filename", 3, _TEXT, "", False),
        ("file_containing_symbol", 4, _TEXT, "", False),
        ("list_services", 7, _TEXT, "", False),
    ],
    "Answer": [
        ("files", 4, _MESSAGE, "Files", False),
        ("services", 6, _MESSAGE, "Services", False),
        ("error", 7, _MESSAGE, "Problem", False),
    ],
    "Files": [("file", 1, _BYTES, "", True)],
    "Services": [("service", 1, _MESSAGE, "Named", True)],
    "Named": [("name", 1, _TEXT, "", False)],
    "Problem": [("code", 1, _NUMBER, "", False), ("message", 2, _TEXT, "", False)],
}


def server_of(place: str) -> str:
    """The http or https URL of a server that is named as grpc://HOST:PORT or grpcs://HOST:PORT; raises ImportRefusedError."""
    parts = urlsplit(place)
    if not parts.netloc or parts.path.strip("/") or parts.query:
        raise ImportRefusedError(
            f"'{place[:200]}' is not a gRPC server", hint="write grpc://HOST:PORT, or grpcs:// for TLS"
        )
    return f"{SCHEMES[parts.scheme.lower()]}://{parts.netloc}"


def ask_contract(server: str) -> bytes:
    """The compiled contract of the services at a server's URL; raises ImportRefusedError."""
    client = _ReflectionClient(server)
    try:
        names = [name for name in client.services() if not name.startswith("grpc.")]
        for name in names:
            client.add_files(file_containing_symbol=name)
        return client.contract()
    except (NoAnswerError, ContractError) as error:
        raise ImportRefusedError(f"{server} could not be asked for its contract: {error.message}", hint=_SAVE) from None
    except (DecodeError, ValueError, KeyError) as error:
        raise ImportRefusedError(
            f"{server} answers with no contract: {one_line(str(error), 200)}", hint=_SAVE
        ) from None
    finally:
        client.close()


class _ReflectionClient:
    """The questions to one server, each a call of its own."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._talk = Http2Client(server, FETCH_SECONDS, most_bytes=MOST_BYTES)
        self._version = _VERSIONS[0]
        self._files: dict[str, Any] = {}
        self._bytes = 0

    def close(self) -> None:
        self._talk.close()

    def services(self) -> list[str]:
        """The full names of the server's services; finds out which version of reflection it has."""
        for version in _VERSIONS:
            self._version = version
            answer = self._ask(list_services="*")
            if answer is not None:
                return [service.name for service in answer.services.service]
        raise ImportRefusedError(f"{self._server} has no reflection service", hint=_SAVE)

    def add_files(self, **question: str) -> None:
        """Take the files of an answer, and what they import that it does not have; raises ImportRefusedError."""
        waiting = [question]
        while waiting:
            answer = self._ask(**waiting.pop())
            for raw in answer.files.file if answer is not None else ():
                file = descriptor_pb2.FileDescriptorProto.FromString(raw)
                if file.name in self._files:
                    continue
                self._files[file.name] = file
                self._bytes += len(raw)
                if len(self._files) > _MOST_FILES or self._bytes > MOST_BYTES_TOGETHER:
                    raise ImportRefusedError(
                        f"the contract of {self._server} has more than {_MOST_FILES:,} files or {MOST_BYTES_TOGETHER >> 20} MiB"
                    )
            known = [each["file_by_filename"] for each in waiting if "file_by_filename" in each]
            waiting += [{"file_by_filename": name} for name in dict.fromkeys(self._missing()) if name not in known]

    def contract(self) -> bytes:
        """The files, each after those that it imports."""
        whole = descriptor_pb2.FileDescriptorSet()
        waiting, done = list(self._files), set()
        while waiting:
            ready = [name for name in waiting if all(each in done for each in self._files[name].dependency)]
            if not ready:
                raise ImportRefusedError(f"the files of {self._server} import one another in a circle")
            for name in ready:
                whole.file.append(self._files[name])
            done.update(ready)
            waiting = [name for name in waiting if name not in done]
        return bytes(whole.SerializeToString())

    def _missing(self) -> Iterator[str]:
        for file in self._files.values():
            yield from (name for name in file.dependency if name not in self._files)

    def _ask(self, **question: str) -> Any:
        """The answer to a question; None if the server does not know this version. Raises ImportRefusedError."""
        path = f"/grpc.reflection.{self._version}.ServerReflection/ServerReflectionInfo"
        body = frame(_kind("Question")(**question).SerializeToString())
        got = self._talk.ask("POST", path, body, _HEADERS)
        codes = got.values_of("grpc-status")
        if got.status == 404 or _UNIMPLEMENTED in codes:
            return None
        if got.status != 200 or set(codes) - {"0"}:
            detail = " ".join(got.values_of("grpc-message"))[:200]
            raise ImportRefusedError(
                f"{self._server} answers the question for its contract with HTTP status {got.status}, grpc-status "
                f"{', '.join(codes) or 'none'}: {detail}",
                hint=_SAVE,
            )
        whole = messages(got.body)
        answer = _kind("Answer").FromString(whole[0] if whole else b"")
        if answer.error.code:
            raise ImportRefusedError(
                f"{self._server} does not tell its contract: {one_line(answer.error.message)}", hint=_SAVE
            )
        return answer


@cache
def _kind(name: str) -> Any:
    """A message class of the reflection service."""
    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(f"steelyard.{name}"))


@cache
def _pool() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="reflection.proto", package="steelyard", syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind, inner, repeated in fields:
            type_name = f".steelyard.{inner}" if inner else None
            message.field.add(name=field, number=number, type=kind, label=3 if repeated else 1, type_name=type_name)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool

"""A service's exchanges: those written in its contract, and those generated from a seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import cycle, islice
from pathlib import Path

from ..base.children import kill_group, start_child
from ..base.configuration import nearest, validate
from ..base.errors import ContractError
from ..catalogue import factors
from ..catalogue.entries import Entry
from ..catalogue.formats import Spoken
from ..models.service import Exchange, Service
from .body_formats import MEANINGS

GENERATE_SECONDS = 120
_WHOLE = ".exchange.json"
# So few are remembered: each subject of a trial is asked the same, and to start a generator takes longer than to run it.
_FEW = 10


def contract_exchanges(service: Entry[Service]) -> list[tuple[str, Exchange]]:
    """The contract's own exchanges with their names, in order; raises ContractError if there is none for an operation.

    One is a pair of bodies (NAME.request.xml and NAME.answer.xml, with the endings of the service's meaning), or whole, as the
    generator prints it, in NAME.exchange.json. In a format that is not the service's own, they are its own ones in that format,
    but for those that it cannot say.
    """
    if isinstance(service, Spoken):
        return _translate(service, contract_exchanges(service.own))
    exchanges: list[tuple[str, Exchange]] = []
    for operation, described in service.model.operations.items():
        if not described.written:
            continue
        folder = service.folder / "contract" / "exchanges" / operation
        ending = f".request.{MEANINGS[service.model.meaning].request_ending}"
        paths = sorted([*folder.glob(f"*{ending}"), *folder.glob(f"*{_WHOLE}")])
        if not paths:
            raise ContractError(f"{service.name} has no exchange for {operation} in contract/exchanges/{operation}")
        for path in paths:
            try:
                exchange = _whole(path) if path.name.endswith(_WHOLE) else _pair(service.model, operation, path)
            except (OSError, ValueError) as error:
                raise ContractError(f"an exchange of {service.name} cannot be read: {error}") from None
            if exchange.operation != operation:
                raise ContractError(f"{path} holds an exchange of {exchange.operation}, not of {operation}")
            exchanges.append((f"{operation}/{path.name.removesuffix(_WHOLE).removesuffix(ending)}", exchange))
    return exchanges


def _translate(service: Spoken, own: Sequence[tuple[str, Exchange]]) -> list[tuple[str, Exchange]]:
    """The service's own exchanges as its format's generator translates them, where it has one; raises ContractError."""
    if service.own.model.formats[service.form].generate is None:
        return list(own)
    given = "".join(exchange.model_dump_json() + "\n" for _, exchange in own)
    argv = (*_command(service.model.generate), "--translate")
    lines = _translated_before(service.name, service.folder, argv, given)
    if len(lines) != len(own):
        raise ContractError(f"of {len(own)} exchanges of {service.name}, {len(lines)} came back in {service.form}")
    rows = ((name, _row(line, name, service.name)) for (name, _), line in zip(own, lines, strict=True))
    return [(name, exchange) for name, exchange in rows if exchange is not None]


@lru_cache(maxsize=16)
def _translated_before(service: str, folder: Path, argv: Sequence[str], given: str) -> tuple[str, ...]:
    """What a format's generator makes of exchanges, remembered: they are the contract's, which every subject is asked."""
    return tuple(_generator_lines(service, folder, argv, (), given))


def _row(line: str, name: str, service: str) -> Exchange | None:
    """A line of a generator as an exchange; None if it says that there is none. Raises ContractError."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:  # the latter of what is nested too deep
        raise ContractError(f"the generator of {service} printed a line that is not JSON: {error}") from None
    return None if row is None else validate(row, Exchange, f"exchange {name} of {service}")


def _command(argv: Sequence[str]) -> list[str]:
    """An argument list in which `python3` is the lab's own interpreter."""
    return [sys.executable if word == "python3" else word for word in argv]


def _whole(path: Path) -> Exchange:
    return validate(json.loads(path.read_text(encoding="utf-8")), Exchange, str(path))


def _pair(service: Service, operation: str, path: Path) -> Exchange:
    meaning = MEANINGS[service.meaning]
    answer = path.with_name(path.name.replace(f".request.{meaning.request_ending}", f".answer.{meaning.answer_ending}"))
    lacking = meaning.answers_may_lack and not answer.exists()
    return Exchange(
        operation=operation,
        request=meaning.text(path.read_bytes()),
        answer="" if lacking else meaning.text(answer.read_bytes()),
        safe=not service.operations[operation].changes_data,
    )


def generate_exchanges(
    service: Entry[Service], operation: str, *, seed: int, count: int, parameters: Mapping[str, int]
) -> Generator[Exchange, None, None]:
    """`count` exchanges of one operation from the service's generator, as it makes them; the same arguments give the same ones.

    A service whose exchanges are all written is asked those, over and over. Whoever has enough may ask for no more, which ends the
    generator. Raises ContractError if a parameter is unknown or out of its bounds, or the generator fails.
    """
    if not service.model.generate and service.model.target is None:
        own = [exchange for _, exchange in contract_exchanges(service) if exchange.operation == operation]
        yield from islice(cycle(own), count)
        return
    if not service.model.generate:
        raise ContractError(
            f"{service.name} runs at {service.model.target} and has no generator of exchanges",
            hint="`steelyard load` loads it where it runs",
        )
    settings: list[str] = []
    for name, value in parameters.items():
        known = service.model.parameters.get(name)
        if known is None:
            raise ContractError(
                f"{service.name} has no parameter '{name}'{nearest(name, sorted(service.model.parameters))}"
            )
        if not known.least <= value <= known.most:
            raise ContractError(
                f"{service.name}: {name} is {value}, but must lie between {known.least} and {known.most}"
            )
        settings += ["--set", f"{name}={value}"]
    argv = [*_command(service.model.generate)]
    argv += ["--operation", operation, "--seed", str(seed), "--count", str(count), *settings]
    shared = {name: service.model.factors[name].default for name in service.model.generate_with}
    environment = tuple(factors.environment(service, shared).items())
    printed = _printed_before if count <= _FEW else _generator_lines
    number = 0
    for line in printed(service.name, service.folder, tuple(argv), environment):
        exchange = _row(line, str(number), service.name)
        if exchange is None:
            continue
        yield exchange
        number += 1
    if number != count:
        raise ContractError(
            f"the generator of {service.name} made {number} exchanges of {operation}, asked for {count}"
        )


def _generator_lines(
    service: str, folder: Path, argv: Sequence[str], environment: Sequence[tuple[str, str]], given: str = ""
) -> Iterator[str]:
    """The lines that the generator prints, as they come; it is ended when nobody asks for more, or one is long in coming.

    `given` is what it reads from its standard input.
    """
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said,
        tempfile.TemporaryFile("w+", encoding="utf-8") as told,
    ):
        told.write(given)
        told.seek(0)
        try:
            process = start_child(
                lambda: subprocess.Popen(
                    argv,
                    cwd=folder,
                    env={**os.environ, **dict(environment)},
                    stdin=told,
                    stdout=subprocess.PIPE,
                    stderr=said,
                    text=True,
                    encoding="utf-8",
                    start_new_session=True,
                )
            )
        except OSError as error:
            raise ContractError(f"the generator of {service} cannot be run: {error}") from None
        silence = _Silence(process)
        try:
            assert process.stdout is not None
            for line in process.stdout:
                silence.reset()
                yield line
            code = process.wait()
        except UnicodeDecodeError:
            raise ContractError(f"the generator of {service} printed what is not UTF-8") from None
        finally:
            silence.end()
            kill_group(process)
            if process.stdout is not None:
                process.stdout.close()
        if silence.too_long:
            raise ContractError(f"the generator of {service} printed nothing for {GENERATE_SECONDS} s, and was ended")
        if code != 0:
            said.seek(0)
            message = " ".join(said.read().split())[-300:]
            raise ContractError(f"the generator of {service} failed: {message or 'no message'}")


@lru_cache(maxsize=64)
def _printed_before(
    service: str, folder: Path, argv: Sequence[str], environment: Sequence[tuple[str, str]]
) -> tuple[str, ...]:
    """The same of a few exchanges, remembered."""
    return tuple(islice(_generator_lines(service, folder, argv, environment), _FEW + 1))


class _Silence:
    """Ends a process that prints nothing for GENERATE_SECONDS."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.too_long = False
        self._process = process
        self._last = time.monotonic()
        self._ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def reset(self) -> None:
        self._last = time.monotonic()

    def end(self) -> None:
        self._ended.set()

    def _watch(self) -> None:
        while not self._ended.wait(max(0.01, self._last + GENERATE_SECONDS - time.monotonic())):
            if time.monotonic() >= self._last + GENERATE_SECONDS:
                self.too_long = True
                kill_group(self._process)
                return

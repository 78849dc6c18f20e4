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
# Small sets are cached: each subject of a trial gets the same exchanges, and starting a generator takes longer than its
# work.
_FEW = 10


def contract_exchanges(service: Entry[Service]) -> list[tuple[str, Exchange]]:
    """The contract's exchanges with their names, in order; raises ContractError if an operation has none.

    An exchange is a pair of bodies (NAME.request.xml and NAME.answer.xml, with the endings of the body format), or a
    NAME.exchange.json as the generator prints it. In another format, they are the service's own exchanges converted to
    that format, without those that it cannot represent.
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
                raise ContractError(f"{path} contains an exchange of {exchange.operation}, not of {operation}")
            exchanges.append((f"{operation}/{path.name.removesuffix(_WHOLE).removesuffix(ending)}", exchange))
    return exchanges


def _translate(service: Spoken, own: Sequence[tuple[str, Exchange]]) -> list[tuple[str, Exchange]]:
    """The service's own exchanges converted by its format's generator, if it has one; raises ContractError."""
    if service.own.model.formats[service.form].generate is None:
        return list(own)
    given = "".join(exchange.model_dump_json() + "\n" for _, exchange in own)
    argv = (*_command(service.model.generate), "--translate")
    lines = _translated_before(service.name, service.folder, argv, given)
    if len(lines) != len(own):
        raise ContractError(
            f"the generator converted {len(lines)} of {len(own)} exchanges of {service.name} to {service.form}"
        )
    rows = ((name, _row(line, name, service.name)) for (name, _), line in zip(own, lines, strict=True))
    return [(name, exchange) for name, exchange in rows if exchange is not None]


@lru_cache(maxsize=16)
def _translated_before(service: str, folder: Path, argv: Sequence[str], given: str) -> tuple[str, ...]:
    """The output of a format's generator for exchanges, cached: every subject gets the same contract."""
    return tuple(_generator_lines(service, folder, argv, (), given))


def _row(line: str, name: str, service: str) -> Exchange | None:
    """A generator's line as an exchange; None if the line is null. Raises ContractError."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:  # RecursionError: nested too deeply
        raise ContractError(f"the generator of {service} printed a line that is not JSON: {error}") from None
    return None if row is None else validate(row, Exchange, f"exchange {name} of {service}")


def _command(argv: Sequence[str]) -> list[str]:
    """An argument list with the lab's own interpreter for `python3`."""
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
    """`count` exchanges of one operation from the service's generator, streamed; the same arguments give the same
    exchanges.

    A service with only written exchanges repeats those. A caller may stop early, which ends the generator. Raises
    ContractError if a parameter is unknown or out of bounds, or the generator fails.
    """
    if not service.model.generate and service.model.target is None:
        own = [exchange for _, exchange in contract_exchanges(service) if exchange.operation == operation]
        yield from islice(cycle(own), count)
        return
    if not service.model.generate:
        raise ContractError(
            f"{service.name} runs at {service.model.target} and has no generator of exchanges",
            hint="load it with `steelyard load`",
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
                f"{service.name}: {name} is {value}, but must be between {known.least} and {known.most}"
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
            f"the generator of {service.name} made {number} exchanges of {operation} instead of {count}"
        )


def _generator_lines(
    service: str, folder: Path, argv: Sequence[str], environment: Sequence[tuple[str, str]], given: str = ""
) -> Iterator[str]:
    """The generator's lines as they come. It is ended when the caller stops, or when it prints nothing for too long.

    `given` is its standard input.
    """
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors,
        tempfile.TemporaryFile("w+", encoding="utf-8") as standard_input,
    ):
        standard_input.write(given)
        standard_input.seek(0)
        try:
            process = start_child(
                lambda: subprocess.Popen(
                    argv,
                    cwd=folder,
                    env={**os.environ, **dict(environment)},
                    stdin=standard_input,
                    stdout=subprocess.PIPE,
                    stderr=errors,
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
            raise ContractError(f"the generator of {service} printed text that is not UTF-8") from None
        finally:
            silence.end()
            kill_group(process)
            if process.stdout is not None:
                process.stdout.close()
        if silence.too_long:
            raise ContractError(f"the generator of {service} printed nothing for {GENERATE_SECONDS} s, and was stopped")
        if code != 0:
            errors.seek(0)
            message = " ".join(errors.read().split())[-300:]
            raise ContractError(f"the generator of {service} failed: {message or 'no message'}")


@lru_cache(maxsize=64)
def _printed_before(
    service: str, folder: Path, argv: Sequence[str], environment: Sequence[tuple[str, str]]
) -> tuple[str, ...]:
    """The generator's lines for a few exchanges, cached."""
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

"""A service's exchanges: those written down in its contract, and those that its generator makes from a seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from ..base.configuration import nearest, validate
from ..base.errors import ContractError
from ..catalogue import factors
from ..catalogue.entries import Entry
from ..models.service import Exchange, Service
from .meanings import MEANINGS

GENERATE_SECONDS = 120
_WHOLE = ".exchange.json"


def written(service: Entry[Service]) -> list[tuple[str, Exchange]]:
    """The contract's own exchanges with their names, in order; raises ContractError where there is none for an operation.

    One is a pair of bodies (NAME.request.xml and NAME.answer.xml, with the endings of the service's meaning), or whole, as the
    generator prints it, in NAME.exchange.json.
    """
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


def _whole(path: Path) -> Exchange:
    return validate(json.loads(path.read_text(encoding="utf-8")), Exchange, str(path))


def _pair(service: Service, operation: str, path: Path) -> Exchange:
    meaning = MEANINGS[service.meaning]
    answer = path.name.replace(f".request.{meaning.request_ending}", f".answer.{meaning.answer_ending}")
    bodies = [meaning.text(file.read_bytes()) for file in (path, path.with_name(answer))]
    return Exchange(operation=operation, request=bodies[0], answer=bodies[1])


def generated(
    service: Entry[Service], operation: str, *, seed: int, count: int, parameters: Mapping[str, int]
) -> list[Exchange]:
    """`count` exchanges of one operation from the service's generator; the same arguments give the same exchanges.

    Raises ContractError where a parameter is unknown or out of its bounds, or the generator fails.
    """
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
    argv = [sys.executable if word == "python3" else word for word in service.model.generate]
    argv += ["--operation", operation, "--seed", str(seed), "--count", str(count), *settings]
    shared = {name: service.model.factors[name].default for name in service.model.generate_with}
    try:
        made = subprocess.run(
            argv,
            cwd=service.folder,
            env={**os.environ, **factors.environment(service, shared)},
            capture_output=True,
            text=True,
            timeout=GENERATE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ContractError(f"the generator of {service.name} cannot be run: {error}") from None
    if made.returncode != 0:
        raise ContractError(
            f"the generator of {service.name} failed: {' '.join(made.stderr.split())[-300:] or 'no message'}"
        )
    try:
        rows = [json.loads(line) for line in made.stdout.splitlines()]
    except json.JSONDecodeError as error:
        raise ContractError(f"the generator of {service.name} printed a line that is not JSON: {error}") from None
    if len(rows) != count:
        raise ContractError(
            f"the generator of {service.name} made {len(rows)} exchanges of {operation}, asked for {count}"
        )
    return [validate(row, Exchange, f"exchange {number} of {service.name}") for number, row in enumerate(rows)]

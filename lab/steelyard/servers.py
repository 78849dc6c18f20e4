"""Listing servers, and checking that one really fetches, starts, deploys, answers the contract and stops."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

from . import catalogue, contract, cpus, fetch, subject
from .catalogue import Entry
from .errors import SteelyardError, ToolchainError
from .models.outputs import ServerRow
from .models.server import Server
from .models.service import Service
from .models.study import PartSpec, SubjectSpec
from .progress import Progress


def row(server: Entry[Server]) -> ServerRow:
    """What is known of a server without starting it."""
    model = server.model
    return ServerRow(
        name=server.name,
        title=model.title,
        version=model.version,
        stack=model.stack,
        language=model.language,
        kind=model.kind,
        floor=model.floor,
        jdk=model.needs.jdk,
        fetched=fetch.is_fetched(server),
        bytes=fetch.bytes_to_fetch(server),
        deviations=model.deviations,
    )


def check(name: str, service_name: str, progress: Progress, seed: int = 1) -> ServerRow:
    """Fetch, build, start, verify every exchange in every spelling, send bad requests, stop. Never raises for a server's fault."""
    server = catalogue.server(name)
    service = catalogue.service(service_name)
    found = row(server)
    if server.model.kind == "companion":
        return found.model_copy(update={"reason": "a companion has no contract of its own"})
    try:
        ready = subject.provided(SubjectSpec(label=name, parts=[PartSpec(server=name)]), service, progress)
    except ToolchainError as error:
        return found.model_copy(update={"contract": None, "reason": str(error)})
    except SteelyardError as error:
        return found.model_copy(update={"contract": False, "reason": str(error)})
    with tempfile.TemporaryDirectory(prefix="steelyard-check-") as folder:
        try:
            return _check_running(found, service, ready, Path(folder), progress, seed)
        except SteelyardError as error:
            return found.model_copy(update={"fetched": True, "contract": False, "reason": error.message})


def _check_running(
    found: ServerRow,
    service: Entry[Service],
    ready: subject.Subject,
    folder: Path,
    progress: Progress,
    seed: int,
) -> ServerRow:
    draw = random.Random(time.time_ns())
    with subject.started(ready, folder, cpus.share().server, draw, progress) as running:
        with progress.stage(f"verifying the answers of {found.name}"):
            verified = contract.verify(
                service, running.url, seed=seed, who=found.name, deviations=found.deviations, floor=found.floor
            )
        with progress.stage(f"sending bad requests to {found.name}"):
            not_refused = contract.refuse(service, running.url)
            contract.verify(
                service,
                running.url,
                seed=seed,
                all_spellings=False,
                who=f"{found.name}, after bad requests,",
                deviations=found.deviations,
                floor=found.floor,
            )
        unknown = {name: what for name, what in not_refused.items() if name not in found.deviations}
        memory = sum(process.rss_bytes for processes in running.use().values() for process in processes)
    return found.model_copy(
        update={
            "fetched": True,
            "contract": not unknown,
            "reason": "; ".join(f"{name}: {what}" for name, what in unknown.items()) or None,
            "start_seconds": round(running.start_seconds, 2),
            "memory_bytes": memory,
            "exchanges": verified,
        }
    )

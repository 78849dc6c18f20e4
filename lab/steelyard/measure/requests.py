"""The requests of a run, generated before anything is driven: from a service's contract, or the user's own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from ..catalogue.entries import Entry
from ..models.records import Schedule
from ..models.service import Expect, Service
from ..plan.cells import combined_mix
from ..plan.run_parameters import RunParameters
from ..workload import answer_rules, corpus, load_target
from ..workload.corpus import Corpus
from ..workload.load_target import LoadTarget
from ..workload.request_files import write_requests
from .load.auth import Credentials, with_auth


@dataclass(frozen=True)
class MadeRequests:
    """The corpus; for a user's own service also its requests with the rules for their answers, and its credentials."""

    corpus: Corpus
    load_target: LoadTarget | None = None
    credentials: Credentials | None = None


def made_requests(
    service: Entry[Service],
    schedule: Schedule,
    settings: RunParameters,
    folder: Path,
    *,
    count: int,
    formats: Collection[str] = (),
) -> MadeRequests:
    """Write the requests of all cells into `folder`, `count` of each kind for a contract; raises ConfigurationError,
    StoreError."""
    if service.model.is_own:
        target = load_target.of_service(service, schedule.seed, Expect()).select([*combined_mix(schedule.cells)])
        for operation in target.operations.values():
            answer_rules.require_rules(operation.expect)
        target, credentials = with_auth(target, {})
        return MadeRequests(write_requests(target, folder, {}, packed=False, chunked=False), target, credentials)
    cells = sorted(schedule.cells, key=lambda cell: cell.operation)
    wanted = corpus.requests_of(cells, settings.service, schedule.sessions)
    return MadeRequests(corpus.make(service, folder, wanted, seed=schedule.seed, count=count, formats=formats))

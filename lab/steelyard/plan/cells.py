"""The cells of a schedule: what is asked of the service, by how many users, under which load."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.configuration import nearest
from ..base.errors import ConfigurationError
from ..models.job import BigBang, Profile, Rate, Stage
from ..models.records import Cell
from ..models.service import Service
from ..models.study import Study
from . import shapes
from .settings import Request, Settings


def cells_of(
    study: Study, service: Service, request: Request, settings: Settings, users: int, seconds: float
) -> list[Cell]:
    for operation in request.operations:
        if operation not in service.operations:
            raise ConfigurationError(
                f"{service.name} has no operation '{operation}'{nearest(operation, sorted(service.operations))}"
            )
    if study.tests:
        return _blocks(study, request)
    if request.tests or request.scale != 1:
        raise ConfigurationError(f"{study.name} has no tests with a shape, so --tests and --scale mean nothing to it")
    profile: Profile = BigBang(users=users, seconds=seconds)
    if study.rate is not None:
        profile = Rate(arrivals="poisson", stages=[Stage(from_rate=study.rate, to_rate=study.rate, seconds=seconds)])
    if settings.mix is not None and not request.operations:
        name = "+".join(settings.mix)
        return [
            Cell(name=name, mix=settings.mix, users=users, profile=profile, primary=True, judged_by=study.judged_by)
        ]
    operations = list(request.operations) or study.operations
    primary = study.primary if study.primary in operations else operations[0]
    return [
        Cell(
            name=operation,
            mix={operation: 1.0},
            users=users,
            profile=profile,
            primary=operation == primary,
            judged_by=study.judged_by,
        )
        for operation in operations
    ]


def _blocks(study: Study, request: Request) -> list[Cell]:
    """A judged cell for each test asked for, with its times shortened by the request's scale."""
    wanted = set(names_of(request.tests, [test.name for test in study.tests]))
    return [
        Cell(
            name=test.name,
            mix={test.operation: 1.0},
            users=shapes.most_users(test.profile),
            profile=shapes.scaled(test.profile, request.scale),
            primary=True,
            kind="block",
            title=test.title,
            until=test.until,
            judged_by=study.judged_by,
        )
        for test in study.tests
        if test.name in wanted and (not request.operations or test.operation in request.operations)
    ]


def names_of(words: str, known: Sequence[str]) -> list[str]:
    """The names that `1-6,12,stress-pair` means, of those known; all of them where nothing is said. Raises ConfigurationError."""
    found: list[str] = []
    for word in (word.strip() for word in words.split(",") if word.strip()):
        first, dash, last = word.partition("-")
        if word not in known and dash and first in known and last in known:
            found += known[known.index(first) : known.index(last) + 1]
        elif word in known:
            found.append(word)
        else:
            raise ConfigurationError(f"there is no test '{word}'{nearest(word, sorted(known))}")
    return found or list(known)

"""What must stand beside a server for the sake of its service, where a subject names nothing in that role."""

from __future__ import annotations

from ..base.errors import ConfigurationError
from ..models.service import Service
from ..models.study import PartSpec, SubjectSpec
from . import entries, factors
from .entries import Entry


def with_companions(spec: SubjectSpec, service: Entry[Service]) -> SubjectSpec:
    """`spec` with a companion in each role in which the service needs one: the subject's own, else what the service's factor names.

    Raises ConfigurationError where the subject's own is not what the factor says, or the factors are wrong.
    """
    if spec.same_as is not None or not service.model.companions:
        return spec
    front = spec.parts[0]
    values = factors.settled(entries.server(front.server), service, front.factors)
    missing: list[PartSpec] = []
    for role, factor in service.model.companions.items():
        own = next((part for part in spec.companions if role_of(part) == role), None)
        if own is None:
            missing.append(PartSpec(server=values[factor]))
        elif own.server != values[factor]:
            raise ConfigurationError(
                f"{spec.label} has {own.server} in the role of {role}, but its factor {factor} is '{values[factor]}'",
                hint=f'set {factor} = "{own.server}", or leave the companion out: the factor names one',
            )
    return spec.model_copy(update={"companions": [*missing, *spec.companions]})


def role_of(spec: PartSpec) -> str:
    """The role of a process among those of its subject: as the study says, else its server's own."""
    return spec.role or entries.server(spec.server).model.role

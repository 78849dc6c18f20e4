"""The companions that a server needs for its service, where a subject names none in a role."""

from __future__ import annotations

from collections.abc import Mapping

from ..base.errors import ConfigurationError
from ..models.service import Companion, Service
from ..models.study import PartSpec, SubjectSpec
from . import entries, factors
from .entries import Entry


def with_companions(spec: SubjectSpec, service: Entry[Service]) -> SubjectSpec:
    """`spec` with a companion in each role that the service needs: the subject's own, else the one named by the service's factor.

    Raises ConfigurationError where the subject's own companion contradicts the factor, or the factors are wrong.
    """
    if spec.same_as is not None or not service.model.companions:
        return spec
    front = spec.parts[0]
    values = factors.factor_values(entries.server_of(front), service, front.factors)
    missing: list[PartSpec] = []
    for role, companion in service.model.companions.items():
        own = next((part for part in spec.companions if role_of(part) == role), None)
        if isinstance(companion, Companion):
            if own is None and not _can_be_omitted(companion, values):
                given = {name: values[factor] for name, factor in companion.factors.items()}
                missing.append(PartSpec(server=companion.server, factors=given))
        elif own is None:
            missing.append(PartSpec(server=values[companion]))
        elif own.server != values[companion]:
            raise ConfigurationError(
                f"{spec.label} has {own.server} in the role of {role}, but its factor {companion} is '{values[companion]}'",
                hint=f'set {companion} = "{own.server}", or leave the companion out: the factor adds it',
            )
    return spec.model_copy(update={"companions": [*missing, *spec.companions]})


def _can_be_omitted(companion: Companion, values: Mapping[str, str]) -> bool:
    return bool(companion.unless) and companion.unless.items() <= values.items()


def role_of(spec: PartSpec) -> str:
    """The role of a process in its subject: from the study, else its server's own."""
    return spec.role or entries.server_of(spec).model.role

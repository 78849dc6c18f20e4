"""Resolves the subject of `steelyard try`: a server with a service, or a study's subject, with its companions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..base.configuration import nearest
from ..base.errors import ConfigurationError, UnknownNameError
from ..models.service import Service
from ..models.study import Study, SubjectSpec
from . import entries, factors
from .companions import role_of, with_companions
from .entries import Entry
from .known_subjects import require_known, require_no_companion
from .subject_syntax import name_and_factors, subject_of
from .usual import resolve_service


@dataclass(frozen=True)
class Tried:
    """One subject and its service, both in the catalogue; nothing is fetched yet."""

    spec: SubjectSpec
    service: Entry[Service]


def parse_subject_words(words: str, service_name: str | None) -> Tried:
    """The subject of SERVER[@FACTOR=VALUE...] with a service's name, or of STUDY[@FACTOR=VALUE...] without one.

    A server without a service runs the demonstration's. Raises ConfigurationError for unknown names or a contradiction.
    """
    name, given = name_and_factors(words)
    if service_name is None and name not in entries.server_files():
        spec, service = _of_study(name, given)
    else:
        service = entries.service(resolve_service(service_name))
        spec = _of_server(subject_of(words), service)
    _require_startable(spec, service)
    whole = with_companions(spec, service)
    require_known([whole], service)
    _require_roles(whole, service)
    return Tried(whole, service)


def _of_study(name: str, given: Mapping[str, str]) -> tuple[SubjectSpec, Entry[Service]]:
    """The study's subject with these factors, else its reference with them."""
    if name not in entries.study_files() and not name.endswith(".toml"):
        known = sorted({*entries.server_files(), *entries.study_files()})
        raise UnknownNameError(
            f"there is no server or study '{name}'{nearest(name, known)}",
            hint="`steelyard servers` and `steelyard studies` list them",
        )
    study = entries.study(name).model
    service = entries.service(study.service)
    subjects = _startable(study)
    reference = next((spec for spec in subjects if spec.label == study.reference), subjects[0])
    as_given = (spec for spec in subjects if given and given.items() <= spec.parts[0].factors.items())
    chosen = next(as_given, reference)
    if chosen.companions:
        _require_alike(study, service, given)
    return _with_factors(chosen, given), service


def _of_server(spec: SubjectSpec, service: Entry[Service]) -> SubjectSpec:
    """The subject; where its service needs companions, with those of a study of that service."""
    server = entries.server(spec.parts[0].server)
    if server.model.kind == "companion" or not _missing_roles(with_companions(spec, service), service):
        return spec
    for study in _studies_of(service):
        subjects = [
            other for other in _startable(study) if not _missing_roles(with_companions(other, service), service)
        ]
        same = [other for other in subjects if other.parts[0].server == server.name]
        if subjects:
            given = spec.parts[0].factors
            _require_alike(study, service, given)
            usual = next((other for other in same if other.label == study.reference), same[0] if same else None)
            base = usual or spec.model_copy(update={"companions": subjects[0].companions})
            own = {} if usual is not None else _fixed_factors(study, service)
            return _with_factors(base, {**own, **given})
    return spec


def _with_factors(spec: SubjectSpec, given: Mapping[str, str]) -> SubjectSpec:
    """The subject with these factors of its front part, labelled by that part's server."""
    front, *others = spec.parts
    changed = front.model_copy(update={"factors": {**front.factors, **given}})
    return spec.model_copy(update={"label": front.server, "parts": [changed, *others]})


def _startable(study: Study) -> list[SubjectSpec]:
    """The study's subjects with processes of their own."""
    subjects = [subject_of(each) if isinstance(each, str) else each for each in study.subjects]
    return [spec for spec in subjects if spec.same_as is None]


def _studies_of(service: Entry[Service]) -> Iterator[Study]:
    for name in sorted(entries.study_files()):
        study = entries.study(name).model
        if study.service == service.name:
            yield study


def _fixed_factors(study: Study, service: Entry[Service]) -> dict[str, str]:
    """The service's factors that the study sets equally for all its subjects, which determine its companions."""
    first, *others = [spec.parts[0].factors for spec in _startable(study)]
    return {
        name: value
        for name, value in first.items()
        if name in service.model.factors and all(other.get(name) == value for other in others)
    }


def _require_alike(study: Study, service: Entry[Service], given: Mapping[str, str]) -> None:
    """Raise ConfigurationError where a factor contradicts the study's value, which its companions depend on."""
    for name, value in _fixed_factors(study, service).items():
        if given.get(name, value) != value:
            raise ConfigurationError(
                f"{name}={given[name]} does not fit the companions of the study {study.name}, which are for {value}",
                hint="write a study file with other companions: `steelyard try MINE.toml`",
            )


def _require_startable(spec: SubjectSpec, service: Entry[Service]) -> None:
    if service.model.target is not None:
        raise ConfigurationError(
            f"{service.name} runs at {service.model.target}, so no server is started for it",
            hint=f"use `steelyard load {service.name}`",
        )
    require_no_companion(entries.server(spec.parts[0].server))


def _missing_roles(spec: SubjectSpec, service: Entry[Service]) -> list[str]:
    """The roles that the service needs with these factors, and the subject lacks."""
    front = spec.parts[0]
    values = factors.factor_values(entries.server(front.server), service, front.factors)
    roles = [each.roles() for each in service.model.reconciliations if each.when.items() <= values.items()]
    roles += [service.model.settle.roles()] if service.model.settle is not None else []
    there = {role_of(part) for part in (*spec.companions, *spec.parts)}
    return sorted(set().union(*roles) - there)


def _require_roles(spec: SubjectSpec, service: Entry[Service]) -> None:
    missing = _missing_roles(spec, service)
    if missing:
        raise ConfigurationError(
            f"{service.name} needs a {missing[0]} beside {spec.parts[0].server}, but no study names one",
            hint="name companions in a study file, as CONTRIBUTING.md shows: `steelyard try MINE.toml`",
        )

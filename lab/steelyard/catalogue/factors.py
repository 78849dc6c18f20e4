"""Parses and checks factors, and passes them to servers as environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ..base.configuration import nearest
from ..base.errors import ConfigurationError
from ..models.server import FORMAT, Factor, Server
from ..models.service import Service
from ..models.study import PartSpec, Study, SubjectSpec
from . import entries
from .entries import Entry
from .formats import format_of
from .subject_syntax import label_of


def variable(name: str) -> str:
    """The environment variable that carries a factor to a server."""
    return f"STEELYARD_{name.upper()}"


def factor_values(server: Entry[Server], service: Entry[Service] | None, given: Mapping[str, str]) -> dict[str, str]:
    """Every factor of a process with its value, given or default; raises ConfigurationError.

    A service's factor can also be set for all subjects at once, by its variable in the user's environment.
    """
    of_service = service.model.factors if service is not None else {}
    known = {**of_service, **server.model.all_factors()}
    for name in given:
        if name not in known:
            raise ConfigurationError(f"{server.name} has no factor '{name}'{nearest(name, sorted(known))}")
    for_all = {name: value for name in of_service if (value := os.environ.get(variable(name)))}
    own = format_of(service.model, server.model.implementation, {}) if service is not None else ""
    alone = {FORMAT: own} if own else {}
    values = {name: factor.default for name, factor in known.items()} | for_all | alone | dict(given)
    for name, value in values.items():
        refusal = known[name].refusal(value) or _not_obeyed(server, known[name], value)
        refusal = refusal or _not_with(known[name], value, values)
        if refusal is None and service is not None and name == FORMAT:
            refusal = _unsupported_format(server, service.model, value)
        if refusal is None and service is not None and name in of_service and of_service[name].file:
            refusal = None if _is_file(_file(service.folder, value)) else f"is '{value}', which is not a file"
        if refusal is not None:
            raise ConfigurationError(f"{server.name}: factor {name} {refusal}")
    return values


def _not_obeyed(server: Entry[Server], factor: Factor, value: str) -> str | None:
    obeying, own = factor.implementations, server.model.implementation
    if obeying is None or own in obeying or value == factor.default:
        return None
    return f"may be '{value}' only for an implementation in {', '.join(obeying)}, not in {own}"


def _unsupported_format(server: Entry[Server], service: Service, form: str) -> str | None:
    """Why a server's implementation does not support a format of the service, as the end of a sentence."""
    known, own = service.formats.get(form), server.model.implementation
    alone = format_of(service, own, {})
    if alone and form != alone:
        return f"may be '{alone}' alone for {server.name}, not '{form}'"
    if known is None:
        return None
    if own in known.implementations:
        if not known.servers or server.name in known.servers:
            return None
        return f"may be '{form}' only on {', '.join(known.servers)}, not on {server.name}"
    return f"may be '{form}' only for an implementation in {', '.join(known.implementations)}, not in {own}"


def _not_with(factor: Factor, value: str, values: Mapping[str, str]) -> str | None:
    """The required other factor that `value` lacks, as the end of a sentence."""
    for name, wanted in factor.needs.get(value, {}).items():
        if values.get(name) != wanted:
            other = f"not {name}={values[name]}" if name in values else f"and there is no factor {name} here"
            return f"is '{value}', which needs {name}={wanted}, {other}"
    return None


def environment(service: Entry[Service], values: Mapping[str, str]) -> dict[str, str]:
    """The variables for `values`; a factor that names a file gives its absolute path."""
    files = {name for name, factor in service.model.factors.items() if factor.file}
    return {
        variable(name): str(_file(service.folder, value)) if name in files else value for name, value in values.items()
    }


def files(service: Entry[Service]) -> dict[str, Path]:
    """The files of the service's factors that name one."""
    return {
        name: _file(service.folder, factor.default) for name, factor in service.model.factors.items() if factor.file
    }


def _file(folder: Path, value: str) -> Path:
    """A path as the user types it: relative to the current folder, or else to the service's folder."""
    own = Path(value).resolve()
    return own if _is_file(own) else (folder / value).resolve()


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the name is too long for a file
        return False


def split(study: Study, label: str) -> tuple[str, str]:
    """A subject's label without a set's name at its end, and that name; the name is empty where there is none."""
    base, _, last = label.rpartition("@")
    return (base, last) if base and last in study.sets else (label, "")


def with_set_name(study: Study, label: str, name: str) -> str:
    """`label` with the set of that name, unless it has a set; raises ConfigurationError where the study has no such set."""
    if not name:
        return label
    if name not in study.sets:
        raise ConfigurationError(
            f"{study.name} has no set of factors '{name}'{nearest(name, sorted(study.sets))}",
            hint="declare sets in the study's file under [sets.NAME]",
        )
    return label if split(study, label)[1] else f"{label}@{name}"


def factor_names(study: Study, part: PartSpec) -> set[str]:
    """The names of all factors of a subject's process: its server's, and those of the study's service."""
    return {*entries.service(study.service).model.factors, *entries.server_of(part).model.all_factors()}


def with_set(study: Study, spec: SubjectSpec, name: str) -> SubjectSpec:
    """`spec` under one of the study's sets: each server takes the factors that it has; the subject's own factors stay."""
    if not name:
        return spec

    def part(process: PartSpec) -> PartSpec:
        known = factor_names(study, process)
        given = {factor: value for factor, value in study.sets[name].items() if factor in known}
        return process.model_copy(update={"factors": given | process.factors})

    same_as = None if spec.same_as is None else f"{spec.same_as}@{name}"
    parts = [part(process) for process in spec.parts]
    return spec.model_copy(update={"label": f"{spec.label}@{name}", "parts": parts, "same_as": same_as})


def with_given_factors(study: Study, spec: SubjectSpec, words: str, given: Mapping[str, str]) -> SubjectSpec:
    """`spec` with these factors and `words` in its label; with several servers, each takes the factors that it has.

    Raises ConfigurationError for a factor that none of several servers has. A factor that a single server lacks is refused later,
    with all its factors.
    """
    known = [factor_names(study, part) for part in spec.parts]
    if len(spec.parts) > 1:
        for name in given:
            if not any(name in names for names in known):
                raise ConfigurationError(
                    f"no server of {spec.label} has a factor '{name}'{nearest(name, sorted(set[str]().union(*known)))}"
                )
    alone = len(spec.parts) == 1
    parts = [
        part.model_copy(
            update={"factors": part.factors | {name: value for name, value in given.items() if alone or name in names}}
        )
        for part, names in zip(spec.parts, known, strict=True)
    ]
    same_as = None if spec.same_as is None else label_of(spec.same_as + words.removeprefix(spec.label))
    return spec.model_copy(update={"label": label_of(words), "parts": parts, "same_as": same_as})


def unused_factor_sentences(study: Study, spec: SubjectSpec) -> list[str]:
    """A sentence for each factor of the subject's set that one of its servers does not have."""
    name = split(study, spec.label)[1]
    return [
        f"{process.server} has no factor {factor}: the set {name} keeps the product's default"
        for process in spec.parts
        for factor in (study.sets[name] if name else {})
        if factor not in process.factors
    ]

"""The subjects of a run: those named by the user or the study, each once for every value of a varied factor."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from ..base.configuration import nearest
from ..base.errors import ConfigurationError
from ..catalogue import entries, factors
from ..catalogue.companions import with_companions
from ..catalogue.subject_syntax import name_and_factors, subject_of
from ..models.study import Study, SubjectSpec
from .cells import breaks, chosen_tests
from .run_parameters import Request


def requested_subjects(study: Study, request: Request) -> list[SubjectSpec]:
    """The subjects that a request selects: by default the usual ones, and all if faults are injected."""
    return subjects_of(study, subject_words(study, request) or _usual_labels(study, request), request.set_of_factors)


def subject_words(study: Study, request: Request) -> list[str]:
    """The description of each subject if it is more than a label of the study: those of `--only`, and each subject once
    for every value of the factors of `--across` that it has. Raises ConfigurationError."""
    if not request.across:
        return [factors.with_set_name(study, words, request.set_of_factors) for words in request.only]
    named = list(request.only or _usual_labels(study, request) or _study_subjects(study))
    known = {words: _factors_known(study, words) for words in named}
    for factor in request.across:
        if not any(factor in names for names in known.values()):
            of_all = sorted(set[str]().union(*known.values()))
            raise ConfigurationError(f"no subject has a factor '{factor}'{nearest(factor, of_all)}")
    return [
        factors.with_set_name(study, varied, request.set_of_factors)
        for words in named
        for varied in _vary_factors(
            study, words, {name: values for name, values in request.across.items() if name in known[words]}
        )
    ]


def subjects_of(study: Study, words: Sequence[str], set_of_factors: str = "") -> list[SubjectSpec]:
    """The subjects of these descriptions in order, or all of the study: the study's by label, perhaps with factors
    (`LABEL@FACTOR=VALUE`), and any other server as itself.

    Each takes the factors of the set at its end (`LABEL@SET`), else of `set_of_factors`, which becomes part of its
    label.
    """
    known = _study_subjects(study)
    labels = [factors.with_set_name(study, label, set_of_factors) for label in words or known]
    if len(set(labels)) != len(labels):
        raise ConfigurationError(f"--only names the same subject twice: {', '.join(labels)}")
    service = entries.service(study.service)
    named = (factors.split(study, label) for label in labels)
    specs = (factors.with_set(study, _parse_subject(study, label), name) for label, name in named)
    return [with_companions(spec, service) for spec in specs]


def reference_of(study: Study, labels: Sequence[str]) -> str:
    """The label of the reference: the study's, else the first variant of it with factors, else the first label."""
    bare = {label: factors.split(study, label)[0] for label in labels}
    exact = (label for label in labels if bare[label] == study.reference)
    varied = (label for label in labels if bare[label].startswith(f"{study.reference}@"))
    return next(exact, None) or next(varied, labels[0])


def _usual_labels(study: Study, request: Request) -> Sequence[str]:
    """The labels of the selected variations or tests, if these name any; else all of the study."""
    if request.variations:
        return list(dict.fromkeys(label for labels in study.variations.values() for label in labels))
    chosen = chosen_tests(study, request) if study.tests else []
    if own := dict.fromkeys(label for test in chosen for label in test.subjects):
        return [*own]
    return [] if breaks(study, request) else study.usual_subjects


def _study_subjects(study: Study) -> dict[str, SubjectSpec]:
    specs = (subject_of(each) if isinstance(each, str) else each for each in study.subjects)
    return {spec.label: spec for spec in specs}


def _parse_subject(study: Study, words: str) -> SubjectSpec:
    """A subject of the study, perhaps with further factors, or another server."""
    known = _study_subjects(study)
    if words in known:
        return known[words]
    label, given = name_and_factors(words)
    return factors.with_given_factors(study, known[label], words, given) if label in known else subject_of(words)


def _factors_known(study: Study, words: str) -> set[str]:
    """The names of all factors of a subject's servers and its service."""
    spec = _parse_subject(study, factors.split(study, words)[0])
    host = spec if spec.same_as is None else _parse_subject(study, spec.same_as)
    return set[str]().union(*(factors.factor_names(study, part) for part in host.parts))


def _vary_factors(study: Study, words: str, across: dict[str, Sequence[str]]) -> list[str]:
    """The description of a subject once for each combination of values, inserted before the name of a set."""
    base, name = factors.split(study, words)
    given = {} if base in _study_subjects(study) else name_and_factors(base)[1]
    for factor in across:
        if factor in given:
            raise ConfigurationError(
                f"'{words}' sets {factor} itself, which --across varies", hint="remove one of them"
            )
    each = ([f"@{factor}={value}" for value in values] for factor, values in across.items())
    return [f"{base}{''.join(chosen)}{f'@{name}' if name else ''}" for chosen in product(*each)]

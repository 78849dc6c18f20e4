"""A comparison from the command line, `server@factor=value`, as a study that can be stored and repeated."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

import tomli_w

from ..base.errors import ConfigurationError
from ..models.study import Budget, PartSpec, Study, SubjectSpec
from . import entries

LEAST_SUBJECTS = 2
COMPARE = "compare"  # the study with the settings of every comparison
_LONGEST_LABEL = 100
_SETTING = re.compile(r"([a-z][a-z0-9_]*)=(.*)", re.DOTALL)


def subject_of(words: str) -> SubjectSpec:
    """`server` or `server@factor=value@factor=value` as a subject; raises ConfigurationError."""
    server, factors = name_and_factors(words)
    return SubjectSpec(label=label_of(words), parts=[PartSpec(server=server, factors=factors)])


def name_and_factors(words: str) -> tuple[str, dict[str, str]]:
    """The text before the first `@factor=value`, and each factor with its value; raises ConfigurationError."""
    server, *settings = re.split(r"@(?=[a-z][a-z0-9_]*=)", words)
    factors: dict[str, str] = {}
    for setting in settings:
        match = _SETTING.fullmatch(setting)
        if match is None or match[1] in factors:
            raise ConfigurationError(f"'{words}' is not of the form SERVER@FACTOR=VALUE", hint="give each factor once")
        factors[match[1]] = match[2].strip("\"'")
    if "@" in server or not server:
        raise ConfigurationError(
            f"'{words}' is not of the form SERVER@FACTOR=VALUE", hint="a factor's name is in lower case"
        )
    return server, factors


def label_of(words: str) -> str:
    """The words as a label, which also names files: long words are cut and get a hash."""
    label = re.sub(r"[^A-Za-z0-9._@=-]", "_", words.replace('"', "").replace("'", ""))
    if len(label) <= _LONGEST_LABEL:
        return label
    mark = hashlib.sha256(words.encode(errors="surrogateescape")).hexdigest()[:8]
    return f"{label[: _LONGEST_LABEL - len(mark) - 1]}.{mark}"


def study_of(
    subjects: Sequence[str],
    service: str,
    operation: str,
    *,
    rate: float | None,
    budget_seconds: float,
    margin: float,
) -> Study:
    """The study that compares `subjects`. The reference is the second of two, the first of more; the same one twice is an A/A
    test."""
    require_several(subjects)
    specs: list[SubjectSpec] = []
    for words in subjects:
        spec = subject_of(words)
        again = sum(earlier.label.partition(".again")[0] == spec.label for earlier in specs)
        specs.append(spec.model_copy(update={"label": spec.label + ".again" * again}) if again else spec)
    return _comparison(specs, service, service, [operation], rate=rate, budget_seconds=budget_seconds, margin=margin)


def own_study_of(
    specs: Sequence[SubjectSpec],
    service: str,
    mix: Mapping[str, float],
    *,
    rate: float | None,
    budget_seconds: float,
    margin: float,
) -> Study:
    """The study that compares the user's own servers by a mix of operations of `service`, which is beside its file."""
    require_several(specs)
    own = [part.own for spec in specs for part in spec.parts if part.own is not None]
    study = _comparison(
        specs,
        service,
        f"./{entries.OWN_REQUESTS}",
        list(mix),
        rate=rate,
        budget_seconds=budget_seconds,
        margin=margin,
    )
    java = any(server.looks_like_java for server in own)
    return study.model_copy(update={"mix": dict(mix), "observe": ["collector"] if java else []})


def require_several(subjects: Sequence[object]) -> None:
    """Raise ConfigurationError for fewer than two subjects."""
    if len(subjects) < LEAST_SUBJECTS:
        raise ConfigurationError("a comparison needs at least two subjects", hint="the same one twice is an A/A test")


def _comparison(
    specs: Sequence[SubjectSpec],
    title: str,
    service: str,
    operations: Sequence[str],
    *,
    rate: float | None,
    budget_seconds: float,
    margin: float,
) -> Study:
    """The study `compare` with these subjects. The reference is the second of two, the first of more."""
    changes = {
        "title": " against ".join(spec.label for spec in specs),
        "question": f"Which serves {'+'.join(operations)} of {title} better?",
        "service": service,
        "subjects": list(specs),
        "reference": specs[-1 if len(specs) == LEAST_SUBJECTS else 0].label,
        "operations": list(operations),
        "primary": operations[0],
        "margin": margin,
        "rate": rate,
        "budget": Budget(seconds=budget_seconds),
    }
    return Study.model_validate({**dict(entries.study(COMPARE).model), **changes})


def text_of(study: Study) -> str:
    """The study as a file that `steelyard run` takes."""
    return tomli_w.dumps(study.model_dump(mode="json", exclude_none=True, exclude_defaults=True))


def seconds_of(words: str) -> float:
    """Seconds from `90s`, `10m` or `1.5h`; raises ConfigurationError, also for a number without a unit."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|m|min|h)\s*", words)
    if match is None or float(match[1]) <= 0:
        raise ConfigurationError(f"'{words}' is not a time with its unit", hint="write 90s, 10m or 1.5h")
    return float(match[1]) * {"s": 1, "m": 60, "min": 60, "h": 3600}[match[2]]


def share_of(words: str) -> float:
    """A share from `5%` or `0.05`; raises ConfigurationError where it is not between 0 and 1."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(%)?\s*", words)
    share = float(match[1]) / (100 if match[2] else 1) if match else 0.0
    if not 0 < share < 1:
        raise ConfigurationError(f"'{words}' is not a margin", hint="write 5% or 0.05")
    return share

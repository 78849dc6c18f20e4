"""The study of `compare` and `check` for the user's own servers: folders with a start line, command lines, jars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import ConfigurationError, why_unread
from ..base.progress import Progress
from ..base.terminal import console
from ..base.text import join_words
from ..catalogue import entries, own_requests, own_subjects, subject_syntax
from ..plan.designs.one_at_a_time import OneAtATime
from .options import ComparisonOptions

if TYPE_CHECKING:
    from ..catalogue.entries import Entry
    from ..catalogue.own_requests import OwnRequests
    from ..models.service import Service
    from ..models.study import Study, SubjectSpec


def own_study(
    subjects: Sequence[str], options: ComparisonOptions, folder: Path, labels: Mapping[str, str] | None = None
) -> Study:
    """The study that compares `subjects`, with its requests written into `folder`; raises ConfigurationError.

    `labels` name the subjects that have no name of their own.
    """
    strange = next((words for words in subjects if not own_subjects.is_own(words)), None)
    if strange is not None:
        raise ConfigurationError(
            f"'{strange}' is not a server of your own, but other subjects are",
            hint="compare folders and command lines with each other; `steelyard import` makes a folder's service.toml",
        )
    specs = own_subjects.specs_of(subjects, labels)
    requests = requests_of(subjects, options.service, options.request, options.body)
    if options.layers:
        _provide_agent(specs)
    study = subject_syntax.own_study_of(
        specs,
        requests.service.name,
        requests.mix(options.operation, writes=options.writes),
        rate=options.rate,
        budget_seconds=subject_syntax.seconds_of(options.budget),
        margin=subject_syntax.share_of(options.margin),
    )
    requests.write(folder / entries.OWN_REQUESTS)
    study = _with_sessions(study, entries.service_at(str(folder / entries.OWN_REQUESTS)))
    if options.layers:
        study = study.model_copy(update={"observe": [*study.observe, "layers"]})
    return _side_by_side_or_not(study)


def _with_sessions(study: Study, service: Entry[Service]) -> Study:
    """The study with the loaded sessions of its service; raises ConfigurationError where they cannot be compared."""
    from ..models.service import Expect
    from ..workload.own_sessions import read_sessions
    from ..workload.planned_load import judged_measure, require_endless_data

    own = read_sessions(service, 0, Expect()).sessions if service.model.sessions else {}
    sessions = {name: own[name].session for name in study.mix if name in own}
    if not sessions:
        return study
    require_endless_data(sessions)
    judged_by = "" if study.rate is not None else judged_measure(sessions, open_load=False)
    return study.model_copy(update={"sessions": sessions, "judged_by": judged_by})


def _provide_agent(specs: Sequence[SubjectSpec]) -> None:
    """Build the agent where it is not built yet; raises ConfigurationError where a subject does not look like Java."""
    from ..hosts import agent

    for spec in specs:
        if any(part.own is None or not part.own.looks_like_java for part in spec.parts):
            raise ConfigurationError(
                f"--layers needs a Java server, and the start line of {spec.label} runs no Java",
                hint="start it by java or a jar, or leave --layers out",
            )
    with Progress(console()) as progress:
        agent.provide(progress)


def _side_by_side_or_not(study: Study) -> Study:
    """The study; one subject at a time where two share a fixed port without a network namespace each."""
    from ..hosts import own_sites

    return (
        study.model_copy(update={"design": OneAtATime.name})
        if _sharing(study) and own_sites.why_no_namespace()
        else study
    )


def _sharing(study: Study) -> list[str]:
    """The labels of subjects that share a fixed port."""
    from ..hosts import own_sites

    specs = [spec for spec in study.subjects if not isinstance(spec, str)]
    return own_sites.sharing_ports({spec.label: spec.parts[0].own for spec in specs})


def print_design(study: Study) -> None:
    """Report where only one subject runs at a time, and what that costs."""
    from ..hosts import own_sites

    if study.design != OneAtATime.name:
        return
    console().print(
        f"{join_words(_sharing(study))} listen on one fixed port, so only one of them runs at a time "
        f"({own_sites.why_no_namespace()}). Their slices do not alternate: a machine that changes meanwhile makes the interval "
        "wider, and more starts are needed. Write {port} where their start lines take the port, and they run side by side.",
    )


def require_programs(subjects: Sequence[str], labels: Mapping[str, str] | None) -> None:
    """Raises ConfigurationError where the program of a start line is not on this machine."""
    for words in filter(own_subjects.is_own, subjects):
        own_subjects.require_program(own_subjects.server_of(words), (labels or {}).get(words, words))


def requests_of(
    subjects: Sequence[str], service: str | None, request: Sequence[str] | None, body: str | None
) -> OwnRequests:
    """The requests of all subjects: from --request, --service, or the reference's own folder; raises ConfigurationError."""
    if request and service is not None:
        raise ConfigurationError("--request and --service exclude each other", hint="leave one of them out")
    if request:
        return own_requests.of_words(request, _text_of(body))
    if body is not None:
        raise ConfigurationError("--body needs --request", hint="--request 'POST /orders' --body @order.json")
    if service is not None:
        return own_requests.of_service(entries.service_at(service))
    folders = [words for words in (subjects[-1], *subjects[:-1]) if Path(words, entries.SERVICE_FILE).is_file()]
    if not folders:
        raise ConfigurationError(
            f"{subjects[0]} has no requests",
            hint="--request 'GET /PATH', or --service FOLDER with a service.toml",
        )
    of_each = {words: own_requests.of_service(entries.service_at(words)) for words in folders}
    chosen = of_each[folders[0]]
    for words, other in of_each.items():
        if not other.has_same_requests(chosen):
            console().print(f"both get the requests of {folders[0]}; those of {words} differ")
    return chosen


def body_of(words: str | None) -> bytes | None:
    """The bytes of --body: its text, or the file after @; raises ConfigurationError where the file cannot be read."""
    if words is None or not words.startswith("@"):
        return None if words is None else words.encode()
    try:
        return Path(words[1:]).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"the body {words[1:]} cannot be read: {why_unread(error)}") from None


def _text_of(words: str | None) -> str | None:
    """The text of --body; raises ConfigurationError where it cannot be read."""
    if words is None or not words.startswith("@"):
        return words
    try:
        return (body_of(words) or b"").decode()
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"the body {words[1:]} cannot be read: {why_unread(error)}") from None

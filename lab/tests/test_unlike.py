"""There is no verdict between subjects that a study lists as unlike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from steelyard.analyse.analysis import analyse_run
from steelyard.analyse.decisions import decisions
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries
from steelyard.plan.run_parameters import Request
from steelyard.plan.schedule import schedule_only
from steelyard.results.stored_run import Run, read_run
from synthetic import Planted, write_run

MODIFIED, WEB, ORIGINAL, SPANNED, OUTBOX = (
    f"wildfly@variant={name}" for name in ("jms-modified", "web-service", "jms-original", "ws-at", "outbox")
)
TOMCAT = "tomcat@variant=jms-original"


@pytest.fixture(scope="module")
def weighed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    rates = {"go": 1000.0, "tomcat-metro": 1500.0, "wildfly": 2000.0}
    return read_run(write_run(tmp_path_factory.mktemp("unlike") / "run", Planted(rates=rates)))


def judged(run: Run) -> set[frozenset[str]]:
    return {frozenset((one.compared.a, one.compared.b)) for one in analyse_run(run).judgements if one.compared.primary}


def with_unlike(run: Run, *pairs: tuple[str, str]) -> Run:
    return replace(run, schedule=run.schedule.model_copy(update={"unlike": list(pairs)}))


@pytest.mark.parametrize("swapped", [False, True])
def test_unlike_subjects_are_not_compared_and_all_others_are(weighed: Run, swapped: bool) -> None:
    first, second = [label for label in weighed.schedule.subjects if label != weighed.schedule.reference]
    unlike = with_unlike(weighed, (second, first) if swapped else (first, second))
    assert judged(weighed) - judged(unlike) == {frozenset((first, second))}
    assert len(judged(unlike)) == 2


def test_what_is_unlike_the_best_is_no_contender_of_it(weighed: Run) -> None:
    first, second = [label for label in weighed.schedule.subjects if label != weighed.schedule.reference]
    unlike = with_unlike(weighed, (first, second))
    undecided = [replace(one, word=None) for one in analyse_run(unlike).judgements]
    for decision in decisions(unlike, undecided):
        assert {first, second} - {decision.best} - {contender.subject for contender in decision.contenders}


def test_a_plan_names_the_pairs_of_its_own_subjects_that_are_unlike() -> None:
    study = entries.study("petstore").model
    assert schedule_only(study, Request(only=(MODIFIED, WEB, ORIGINAL))).unlike == [(ORIGINAL, WEB)]
    assert schedule_only(study, Request(only=(MODIFIED, WEB))).unlike == []
    with_jdbc = schedule_only(study, Request(only=(MODIFIED, WEB, f"{ORIGINAL}@jdbc")))
    assert with_jdbc.unlike == [(f"{ORIGINAL}@jdbc", WEB)]


def test_unlike_subjects_alone_are_refused_with_the_reason() -> None:
    with pytest.raises(ConfigurationError, match=r"no verdict between .*only the former sends within a transaction"):
        schedule_only(entries.study("petstore").model, Request(only=(ORIGINAL, WEB)))


def test_subjects_of_which_one_is_unlike_the_reference_run_where_they_are_named_and_where_something_is_broken() -> None:
    study = entries.study("petstore").model
    assert schedule_only(study, Request()).subjects == [MODIFIED, WEB, ORIGINAL]
    assert schedule_only(study, Request(tests="faults")).subjects == [MODIFIED, WEB, ORIGINAL, SPANNED, OUTBOX, TOMCAT]
    apart = schedule_only(study, Request(tests="faults-apart"))
    assert apart.subjects == [
        "apart-jms-modified",
        "apart-web-service",
        "apart-jms-original",
        "apart-ws-at",
        "apart-outbox",
    ]
    safe = schedule_only(study, Request(only=(OUTBOX, WEB, ORIGINAL)))
    assert (safe.reference, safe.unlike) == (OUTBOX, [(ORIGINAL, WEB)])
    transacted = schedule_only(study, Request(only=(ORIGINAL, SPANNED, OUTBOX)))
    assert (transacted.reference, transacted.unlike) == (ORIGINAL, [])
    for other, why in ((SPANNED, "only the former is within a transaction"), (OUTBOX, "only the former loses nothing")):
        with pytest.raises(ConfigurationError, match=why):
            schedule_only(study, Request(only=(MODIFIED, other)))


def test_a_usual_subject_that_the_study_does_not_have_is_refused(tmp_path: Path) -> None:
    text = entries.study_files()["petstore"].read_text()
    (tmp_path / "petstore.toml").write_text(text.replace("usual_subjects = [", 'usual_subjects = ["x", '))
    with pytest.raises(ConfigurationError, match="'x' is one of the usual subjects, but there is no such subject"):
        entries.study(str(tmp_path / "petstore.toml"))


def test_a_test_is_run_by_none_but_the_studys_own_subjects(tmp_path: Path) -> None:
    text = entries.study_files()["petstore"].read_text()
    (tmp_path / "petstore.toml").write_text(text.replace('subjects = ["apart-jms-modified", ', 'subjects = ["x", ', 1))
    with pytest.raises(ConfigurationError, match="test faults-apart is run by 'x', but there is no such subject"):
        entries.study(str(tmp_path / "petstore.toml"))


def test_a_study_calls_none_but_its_own_subjects_unlike(tmp_path: Path) -> None:
    text = (
        (entries.study_files()["petstore"])
        .read_text()
        .replace(f'"{ORIGINAL}", "{WEB}"]\nwhy', f'"{ORIGINAL}", "x"]\nwhy')
    )
    (tmp_path / "petstore.toml").write_text(text)
    with pytest.raises(ConfigurationError, match="'x' is in `unlike`"):
        entries.study(str(tmp_path / "petstore.toml"))

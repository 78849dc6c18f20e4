"""The papers' tuned parameters are data; every server has an entry for every server setting, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries, tuned_settings
from steelyard.models.server import Server
from steelyard.models.tuning_lists import KnownSetting

SERVERS = [entries.server(name).model for name in entries.server_files()]
PAPERS = tuned_settings.papers()


@pytest.mark.parametrize("server", [pytest.param(one, id=one.name) for one in SERVERS if one.kind == "server"])
def test_a_server_answers_every_setting_of_a_server_and_no_other(server: Server) -> None:
    asked = {name for name, setting in tuned_settings.settings().items() if setting.of == "server"}
    answers = server.tuning
    assert sorted(answers) == sorted(asked)
    assert all(answers.values())


@pytest.mark.parametrize("server", [pytest.param(one, id=one.name) for one in SERVERS])
def test_an_answer_names_only_factors_that_the_server_has(server: Server) -> None:
    for name, answer in server.tuning.items():
        for words in re.findall(r"\(factors? ([a-z_, ]+)", answer):
            assert set(words.split(", ")) <= set(server.factors), f"{name} = {answer}"


@pytest.mark.parametrize("server", [pytest.param(one, id=one.name) for one in SERVERS])
def test_an_answer_states_the_factors_default(server: Server) -> None:
    stated = {found for answer in server.tuning.values() for found in re.findall(r"factor (\w+): ([^;,)]+)", answer)}
    defaults = server.defaults()
    assert {(name, value) for name, value in stated if defaults[name] and defaults[name] != value} == set()


def test_there_is_a_list_for_each_of_the_five_papers() -> None:
    assert sorted(PAPERS) == ["flight", "petstore", "soakit", "soaservers", "wstest"]
    assert [name for name, paper in PAPERS.items() if not paper.tuned] == ["soaservers"]


def test_every_name_is_used_by_some_paper() -> None:
    used = {tuned.setting for paper in PAPERS.values() for tuned in paper.tuned}
    assert sorted(used) == sorted(tuned_settings.settings())


def test_a_study_and_its_list_are_of_the_same_paper() -> None:
    both = [(entries.study(name).model.paper, PAPERS[name].paper) for name in entries.study_files() if name in PAPERS]
    assert both
    assert [(study, listed) for study, listed in both if study != listed] == []


def test_the_table_has_each_subjects_answer_and_one_for_what_is_no_servers() -> None:
    tomcat, go = entries.server("tomcat-metro").model, entries.server("go").model
    table = tuned_settings.table("wstest", {"a": (tomcat, {"heap": "1g"}), "b": (go, go.defaults())})
    assert table is not None
    heap = next(row for row in table.rows if row.setting == "heap")
    assert (heap.value, heap.words) == ("256 MB", "-Xms256m -Xmx256m")
    assert heap.nearest["a"] == "-Xms and -Xmx, the same (factor heap: 1g)"
    assert heap.nearest["b"].startswith("none")
    window = next(row for row in table.rows if row.setting == "tcp-window")
    assert list(window.nearest) == [tuned_settings.ALL]
    assert tuned_settings.table("demo", {}) is None


def test_an_unknown_setting_is_named_with_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "papers" / "mine"
    folder.mkdir(parents=True)
    (folder / "tuning.toml").write_text(
        'paper = { authors = "A", year = 2004, title = "T" }\n'
        '[[tuned]]\nsetting = "haep"\nproduct = "p"\nvalue = "1"\nwords = "w"\nsection = "1"\n'
    )
    monkeypatch.setenv("STEELYARD_PATH", str(tmp_path))
    with pytest.raises(ConfigurationError, match=r"mine/tuning\.toml: unknown setting 'haep'; did you mean 'heap'\?"):
        tuned_settings.papers()


@pytest.mark.parametrize(("of", "here"), [("server", "no"), ("machine", None)])
def test_a_setting_is_answered_by_the_descriptors_or_here_not_both(of: str, here: str | None) -> None:
    with pytest.raises(ValueError, match="'here' is required for settings other than a server's"):
        KnownSetting.model_validate({"of": of, "meaning": "m", "here": here})

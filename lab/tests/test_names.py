"""Names that are too long, or that lead elsewhere, are handled or refused with a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries, factors
from steelyard.catalogue.subject_syntax import subject_of
from steelyard.measure import main_job
from steelyard.plan.run_parameters import Request, merge_parameters
from steelyard.plan.schedule import schedule_only
from steelyard.plan.subjects import subjects_of


def test_a_long_factor_makes_a_label_that_files_can_be_named_after() -> None:
    path = "/somewhere/" + "deep/" * 48
    one, other = (subject_of(f"tomcat-metro@graph={path}{name}.xml") for name in ("one", "other"))
    assert one.parts[0].factors["graph"] == f"{path}one.xml"
    assert one.label != other.label and one.label.startswith("tomcat-metro@graph=")
    assert len(f"{one.label}@small.database.redeploy.log".encode()) < 255
    assert subject_of("go@threads=4").label == "go@threads=4"


@pytest.mark.parametrize("length", [250, 5000])
def test_a_factor_that_names_no_file_is_refused_however_long(length: int) -> None:
    service, server = entries.service("soaservers"), entries.server("tomcat-metro")
    with pytest.raises(ConfigurationError, match="which is not a file"):
        factors.factor_values(server, service, {"graph": "x" * length})


@pytest.mark.parametrize("prefix", ["../../x", "/tmp/x", "a/b", "..", "x" * 250, "a b", "-x"])
def test_a_run_s_prefix_is_a_name_and_leads_nowhere(tmp_path: Path, prefix: str) -> None:
    study = entries.study("wstest").model
    name = next(name for name, known in study.parameters.items() if known.sets == "out_prefix")
    settings = merge_parameters(study, Request(settings={name: prefix}))
    with pytest.raises(ConfigurationError, match="a run's folder cannot be called '"):
        main_job.place_of("wstest", settings, tmp_path)


def test_a_run_s_prefix_names_its_folder(tmp_path: Path) -> None:
    study = entries.study("wstest").model
    name = next(name for name, known in study.parameters.items() if known.sets == "out_prefix")
    place = main_job.place_of("wstest", merge_parameters(study, Request(settings={name: "night-1.5"})), tmp_path)
    assert place.parent == tmp_path and place.name.startswith("night-1.5-20")


def test_a_stopped_run_takes_up_its_subjects_as_they_were_asked_for_and_not_by_their_labels(
    tmp_path: Path,
) -> None:
    study = entries.study("soaservers").model
    graph = tmp_path / "own graph.xml"
    graph.write_text("<graph/>")
    words = f"tomcat-metro@graph={graph}"
    schedule = schedule_only(study, Request(only=["wildfly", words]))
    asked = subjects_of(study, ["wildfly", words])
    assert [one.label for one in asked] == schedule.subjects
    assert asked[1].parts[0].factors == {"graph": str(graph)}
    assert subjects_of(study, schedule.asked) == asked
    assert subjects_of(study, schedule.subjects) != asked


def test_a_stopped_run_takes_up_its_sets_of_factors_too() -> None:
    study = entries.study("soaservers").model
    name = next(iter(study.sets))
    request = Request(only=["tomcat-metro", "wildfly"], set_of_factors=name)
    schedule = schedule_only(study, request)
    assert subjects_of(study, schedule.asked) == subjects_of(study, request.only, name)

"""`load --layers`: the output from the records of a target's agent, and without records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import steelyard
from layered import files
from own_service import service
from steelyard.base.errors import StoreError
from steelyard.hosts.agent import environment
from steelyard.measure.load import agent
from steelyard.models.service import Layer
from steelyard.results.layer_records import read_agent_counts, read_records

EVER = (0, 2**63)
COUNTS = {"woven": {"filter": 2}, "failed": 1, "failures": ["A: why"], "unseen": 2, "outside": {"reads": 3}}


def test_the_means_of_the_layers_sum_up_to_the_requests_and_those_in_violation_are_in_none(tmp_path: Path) -> None:
    said = agent.read(files(tmp_path), [], EVER, 52)
    right = [one for one in read_records(tmp_path).requests if not one.violations]
    assert (said.requests, said.violations, said.lost, said.why_not) == (len(right), 2, 0, [])
    assert [layer.layer for layer in said.layers] == ["web", "message", "service", "persistence", "writes", "reads"]
    mean_ms = sum(one.total_ns for one in right) / len(right) / 1e6
    assert sum(layer.ms for layer in said.layers) == pytest.approx(mean_ms, rel=1e-4)
    assert sum(layer.percent for layer in said.layers) == pytest.approx(100, abs=0.01)


def test_the_services_own_layers_stand_and_what_they_do_not_name_is_other(tmp_path: Path) -> None:
    said = agent.read(files(tmp_path), [Layer(name="all", title="All", tags=["filter", "soap"])], EVER, 52)
    assert [layer.layer for layer in said.layers] == ["all", "other"]


def test_only_what_began_within_the_load_is_in_the_means(tmp_path: Path) -> None:
    begins = sorted(one.begin_ns for one in read_records(files(tmp_path)).requests)
    said = agent.read(tmp_path, [], (begins[10], begins[19]), 52)
    assert said.requests + said.violations == 10 and said.why_not == []


def test_records_that_are_missing_or_cut_are_said(tmp_path: Path) -> None:
    assert "52 requests recorded where 53 were answered" in agent.read(files(tmp_path), [], EVER, 53).why_not
    next(tmp_path.glob("*-end.json")).unlink()
    assert any("was killed" in why for why in agent.read(tmp_path, [], EVER, 52).why_not)
    (tmp_path / "none").mkdir()
    said = agent.read(tmp_path / "none", [], EVER, 1)
    assert said.layers == [] and said.slow is None and "nothing was recorded" in said.why_not[0]


def test_what_the_agents_of_all_processes_could_not_record_is_added_up(tmp_path: Path) -> None:
    for pid in ("7", "8"):
        (tmp_path / f"{pid}-agent.json").write_text(json.dumps(COUNTS))
    counts = read_agent_counts(tmp_path)
    assert (counts.unwatched, counts.outside) == (6, {"reads": 6})
    (tmp_path / "8-agent.json").write_text('{"failed": 1}')
    with pytest.raises(StoreError, match=r"8-agent\.json lacks"):
        read_agent_counts(tmp_path)


def test_the_agent_is_named_to_every_jvm_beside_what_the_user_says_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Xmx1g")
    said = environment(Path("/a b/agent.jar"), tmp_path / "records", tmp_path)
    assert said == {"JAVA_TOOL_OPTIONS": f'-Xmx1g "-javaagent:/a b/agent.jar=records={tmp_path}/records"'}
    (tmp_path / "agent.properties").touch()
    told = environment(Path("/agent.jar"), tmp_path / "records", tmp_path)["JAVA_TOOL_OPTIONS"]
    assert told.endswith(f',settings={tmp_path}/agent.properties"')


def test_a_target_that_nobody_starts_cannot_have_the_agent(tmp_path: Path) -> None:
    made = service(tmp_path, "own", 0.001)
    text = (made / "service.toml").read_text()
    (made / "service.toml").write_text("".join(line for line in text.splitlines(True) if not line.startswith("start")))
    ran = steelyard("load", "./own", "--layers", folder=tmp_path)
    assert ran.code != 0 and "own has no start line" in ran.err, ran.err

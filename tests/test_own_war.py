"""An unknown WAR of a user's: real servers deploy it, and a server that does not is named."""

from __future__ import annotations

import json
from pathlib import Path

import own_war
import pytest
from conftest import Lab
from rich.console import Console
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import subject
from steelyard.hosts.toolchain import require
from steelyard.models.study import PartSpec, SubjectSpec

PROGRESS = Progress(Console(quiet=True))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("house")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the WAR, with one that lacks Metro's list of endpoints, and with the WSDL."""
    folder = tmp_path_factory.mktemp("compiled")
    own_war.war(folder / "described", *own_war_tools())
    own_war.war(folder / "bare", *own_war_tools(), described=False)
    (folder / "shelves.wsdl").write_text(own_war.wsdl())
    return folder


def own_war_tools() -> tuple[Path, Path]:
    """A JDK, and the jars of Metro."""
    spec = SubjectSpec(label="any", parts=[PartSpec(server="tomcat-metro")])
    metro = subject.provide_subject(spec, entries.service("wstest"), PROGRESS).front
    return Path(require(metro.server.model.needs, metro.server.name)["JAVA_HOME"]), metro.cache / "metro"


def add(lab: Lab, house: Path, war: Path, name: str) -> None:
    wsdl = war.parent.parent / "shelves.wsdl"
    ran = lab.run("add", str(war), "--wsdl", str(wsdl), "--name", name, "--json", STEELYARD_PATH=str(house))
    assert ran.code == 0, ran.err
    assert ran.json()["operations"] == ["piecesOf", "labelOf"] and ran.json()["path"] == f"/{name}/Shelves"


SHORT = ("--pairs", "1", "--slice-seconds", "0.5", "--warm-up", "0.5", "--budget", "45s", "--users", "2", "--json")


def test_a_war_is_deployed_verified_and_weighed_on_two_servers(lab: Lab, house: Path, compiled: Path) -> None:
    add(lab, house, compiled / "described" / "shelves.war", "mine")
    ran = lab.run("compare", "tomcat-metro", "jetty-metro", "--service", "mine", *SHORT, STEELYARD_PATH=str(house))
    outcome = ran.json()
    # Whether there is a verdict is not asked: half a second decides nothing.
    assert {figure["subject"] for figure in outcome["figures"]} == {"tomcat-metro", "jetty-metro"}, ran.err
    assert outcome["failures"] == [], ran.err
    schedule = json.loads((lab.folder / outcome["run"] / "schedule.json").read_text())
    assert {"the values of answers", "served = answered"} <= schedule["not_judged"].keys()


@pytest.mark.long
def test_where_a_war_does_not_deploy_is_said(lab: Lab, house: Path, compiled: Path) -> None:
    add(lab, house, compiled / "bare" / "bare.war", "bare")
    ran = lab.run(*("compare", "tomcat-metro", "jetty-metro", "--service", "bare", *SHORT), STEELYARD_PATH=str(house))
    assert ran.code != 0 and "tomcat-metro" in ran.err, ran.err
    assert "answers GET /bare/Shelves?wsdl with status 404" in ran.err, ran.err


@pytest.mark.long
@pytest.mark.parametrize("server", ["tomcat-cxf", "jetty-cxf", "wildfly", "liberty", "glassfish", "payara", "tomee"])
def test_every_jakarta_server_that_can_be_had_runs_a_users_war(
    server: str, lab: Lab, house: Path, compiled: Path
) -> None:
    if not (house / "services" / "mine").exists():
        add(lab, house, compiled / "described" / "shelves.war", "mine")
    ran = lab.run("servers", "check", server, "--service", "mine", "--quick", "--json", STEELYARD_PATH=str(house))
    (row,) = ran.json()["servers"]
    if row["contract"] is None:
        pytest.skip(row["reason"])
    assert row["contract"] is True, row["reason"]

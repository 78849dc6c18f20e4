"""The guide's ten minutes with the agent: its commands verbatim, on the two unmodified examples."""

from __future__ import annotations

import csv
import json
import os
import re
import socket
import subprocess
from io import StringIO
from pathlib import Path

import pytest
from conftest import STEELYARD
from steelyard.base import paths
from steelyard.hosts.fetch import DEPENDENCY_PLUGIN

pytestmark = pytest.mark.long  # two builds and two servers

GUIDE = paths.root() / "docs" / "guides" / "where-time-goes.md"
TOMCAT = "org.apache.tomcat:tomcat:11.0.24:zip"
SECONDS = 900.0  # most of it is Maven's, where nothing is fetched yet


def commands(section: str) -> list[str]:
    """Those of the guide's section of that title."""
    text = GUIDE.read_text(encoding="utf-8").partition(f"## {section}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"<!-- commands -->\n(.*?)<!-- /commands -->", text, re.S)
    return [line.strip() for block in blocks for line in block.splitlines() if line.strip()]


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def run(lines: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The commands in one shell, as a user gives them, but in a folder and on ports of their own; all that they start ends."""
    script = "\n".join(lines).replace("/tmp/watched", str(folder / "watched"))
    script = script.replace("uv run steelyard", str(STEELYARD)).replace(":8080", f":{environment.get('PORT', '')}")
    if "8081" in script:
        script = script.replace("8081", free_port())
    ran = subprocess.run(
        ["bash"], input=script, cwd=paths.root(), env={**os.environ, **environment}, capture_output=True, text=True,
        timeout=SECONDS, check=False,
    )  # fmt: skip
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran


def rows(printed: str) -> list[dict[str, str]]:
    """Of the last command's table."""
    return list(csv.DictReader(StringIO(printed[printed.index("begin_ns,") :])))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("guide")
    ran = run(commands("Get the agent"), made)
    assert (made / "watched" / "steelyard-monitor-agent.jar").is_file(), ran.stdout + ran.stderr
    return made


def test_a_spring_boot_application_is_told_layer_by_layer(folder: Path) -> None:
    served = run(commands("A plain Spring Boot application"), folder)
    assert {"Solaris", "1"} <= set(served.stdout.splitlines()), served.stdout + served.stderr
    table, text, spans, outside = commands("Look")
    looked = run([table], folder)
    added, asked = rows(looked.stdout)
    assert "1 request left out" in looked.stderr, "it was answered asynchronously"
    assert (added["ws_name"], added["si_name"]) == ("add", "add") and (asked["ws_name"], asked["si_name"]) == (
        "titles",
        "titlesOf",
    )
    for row, database in ((added, "writes_t"), (asked, "reads_t")):
        # Spring begins and commits the service's transaction around it, so that Hibernate may have more than the service.
        for within in (("filter_t", "ws_t", "si_t"), ("ws_t", "hibernate_t", database)):
            layers = [float(row[name]) for name in within]
            assert layers == sorted(layers, reverse=True) and layers[-1] > 0, row
    assert run([text], folder).stdout.count("tag[filter]") == 1
    assert "2 requests, " in run([spans], folder).stdout
    lines = [json.loads(line) for line in (folder / "watched" / "boot.jsonl").read_text().splitlines()]
    (resource,) = (spans for line in lines for spans in line["resourceSpans"])
    told = {one["key"]: one["value"].get("stringValue") for one in resource["resource"]["attributes"]}
    assert told["steelyard.clock"] == "read", "the process said at its end how its clock stands to the time of day"
    assert {"filter", "ws titles", "si add"} <= {span["name"] for span in resource["scopeSpans"][0]["spans"]}
    counts = json.loads(run([outside], folder).stdout)
    assert counts["failed"] == 0 and counts["outside"]["si"] == 1, "what another thread did is in no request's record"


@pytest.fixture(scope="module")
def tomcat(folder: Path) -> Path:
    """A Tomcat as it comes, but for its ports: the name of its folder is that of its port."""
    words = ["mvn", "-B", "-q", f"{DEPENDENCY_PLUGIN}:unpack", f"-Dartifact={TOMCAT}", f"-DoutputDirectory={folder}"]
    subprocess.run(words, cwd=folder, check=True, timeout=SECONDS)  # Maven notes there what it unpacked
    (unpacked,) = folder.glob("apache-tomcat-*")
    home = unpacked.rename(folder / free_port())
    settings = home / "conf" / "server.xml"
    content = settings.read_text().replace('port="8005"', 'port="-1"')
    settings.write_text(content.replace('port="8080"', f'port="{home.name}" address="127.0.0.1"'))
    return home


def test_a_jakarta_application_on_tomcat_is_told_layer_by_layer(folder: Path, tomcat: Path) -> None:
    ran = run(commands("A plain Jakarta application"), folder, CATALINA_HOME=str(tomcat), PORT=tomcat.name)
    added, asked = rows(ran.stdout)
    assert (added["si_name"], asked["si_name"]) == ("add", "titlesOf"), ran.stderr
    for row, database in ((added, "writes_t"), (asked, "reads_t")):
        layers = [float(row[name]) for name in ("filter_t", "si_t", database)]
        assert layers == sorted(layers, reverse=True) and layers[-1] > 0, row

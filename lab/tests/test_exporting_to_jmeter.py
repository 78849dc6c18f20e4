"""JMeter runs the exported plan, and counts the requests that a shop with log-in counted, which finds no violation."""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path

import pytest
from command import steelyard
from paged_list import SERVICE, pages, written
from session_shop import service_folder, session_shop

SECONDS = 3_600  # to fetch JMeter on a slow network
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>own</groupId>
  <artifactId>exported</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <build><plugins><plugin>
    <groupId>com.lazerycode.jmeter</groupId>
    <artifactId>jmeter-maven-plugin</artifactId>
    <version>3.7.0</version>
    <executions>
      <execution><id>configuration</id><goals><goal>configure</goal></goals></execution>
      <execution><id>run</id><goals><goal>jmeter</goal></goals></execution>
    </executions>
    <configuration>
      <testFilesDirectory>${project.basedir}/plan</testFilesDirectory>
      <generateReports>false</generateReports>
      <testResultsTimestamp>false</testResultsTimestamp>
    </configuration>
  </plugin></plugins></build>
</project>
"""
pytestmark = pytest.mark.long


def run_jmeter(folder: Path) -> list[dict[str, str]]:
    """The samples of the plan in the folder `plan`; the test is skipped where JMeter cannot be had."""
    if shutil.which("mvn") is None:
        pytest.skip("Maven is not installed")
    (folder / "pom.xml").write_text(POM)
    made = subprocess.run(
        ["mvn", "-q", "-B", "verify"], cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    results = list((folder / "target" / "jmeter" / "results").glob("*.csv"))
    if not results:
        pytest.skip(f"JMeter cannot be had: {(made.stdout + made.stderr)[-300:]}")
    with results[0].open(newline="") as rows:
        samples = list(csv.DictReader(rows))
    assert [sample["label"] for sample in samples if sample["success"] != "true"] == []
    return samples


def test_jmeter_sends_the_sessions_to_a_shop_that_finds_no_violation(tmp_path: Path) -> None:
    with session_shop(expires=3_600) as shop:
        service_folder(tmp_path, shop.address)
        words = ("shop", "--users", "4", "--max-requests", "40", "--for", "60s")
        ran = steelyard("export", *words, "--jmeter", "--out", "plan", folder=tmp_path)
        assert ran.code == 0, ran.err
        samples = run_jmeter(tmp_path)
    counted = shop.counted
    assert counted["violations"] == [] and counted["completed"] == 40 and counted["logins"] == 4
    assert len(samples) == 4 + 3 * 40


def test_jmeter_reads_a_list_page_by_page_to_its_end(tmp_path: Path) -> None:
    with pages() as (port, counted):
        written(tmp_path, SERVICE, port)
        words = ("pages", "--users", "2", "--iterations", "5", "--for", "60s")
        ran = steelyard("export", *words, "--jmeter", "--out", "plan", folder=tmp_path)
        assert ran.code == 0, ran.err
        samples = run_jmeter(tmp_path)
    assert counted == {"/list": 10, "/page/2": 10, "/page/3": 10, "/news": 20}
    assert len(samples) == counted.total()

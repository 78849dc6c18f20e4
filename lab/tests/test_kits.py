"""Kits to take away: their content, the requirements in the README, and the journal."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from programs import program
from steelyard.catalogue import entries

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def kits() -> ModuleType:
    """tools/kits.py."""
    return program("kits")


def kit_of(kits: ModuleType, name: str, product: Path) -> object:
    server = entries.server(name)
    return kits.Kit(server, server.model.implementation, product)


def test_a_kit_holds_product_service_and_scripts_and_nothing_of_other_services(
    kits: ModuleType, tmp_path: Path
) -> None:
    product = tmp_path / "product"
    inside = ("npm/node_modules/soap/wstest/a.js", "npm/soakit/soakit/node/main.js", "bin/program")
    outside = ("npm/wstest/wstest/node/main.js", "wstest", "build-soakit.log", ".fetched", "target/release/soakit")
    for name in (*inside, *outside):
        (product / name).parent.mkdir(parents=True, exist_ok=True)
        (product / name).write_text(name)
    (product / "bin" / "program").chmod(0o755)
    place = kits.write(kit_of(kits, "node-soap", product), tmp_path)
    with zipfile.ZipFile(place) as archive:
        names = set(archive.namelist())
        assert archive.getinfo("node-soap/product/bin/program").external_attr >> 16 & 0o100
    assert {name for name in names if "/product/" in name} == {f"node-soap/product/{name}" for name in inside}
    wanted = (
        "README.md",
        "JOURNAL.md",
        "start.sh",
        "client.sh",
        "LICENSE",
        "client/soakit/Buffet/request.xml",
        "client/soakit/Text/answer.xml",
    )
    shared = (
        "servers/node-soap/start.sh",
        "servers/common/ready.sh",
        "services/common/node/busy.js",
        "services/soakit/node/main.js",
    )
    assert {f"node-soap/{name}" for name in (*wanted, *shared, "services/soakit/contract/soakit.wsdl")} <= names
    assert not [name for name in names if name.startswith(("node-soap/services/soakit/go/", "node-soap/servers/go/"))]


@pytest.mark.parametrize("name", ["go", "node-soap", "tomcat-metro", "aspnet-mono"])
def test_a_readme_names_what_running_needs_apart_from_what_building_needs(
    kits: ModuleType, name: str, tmp_path: Path
) -> None:
    text = kits.kit_texts.readme(kit_of(kits, name, tmp_path))
    needs, rebuild = (
        text.partition("## What it needs")[2].partition("## Run it")[0],
        text.partition("## Rebuild it")[2],
    )
    running, building = {
        "go": ([], ["`go`"]),
        "node-soap": (["`node`"], ["`npm`"]),
        "tomcat-metro": (["a JDK 25"], ["`mvn`"]),
        "aspnet-mono": (["`mono`", "mono-mcs"], ["`mcs`"]),
    }[name]
    assert all(word in needs for word in running) and not any(word in needs for word in building), needs
    assert all(word in rebuild for word in building), rebuild
    assert "{" not in text


@pytest.mark.parametrize("name", ["go", "node-soap", "tomcat-metro", "jetty-cxf", "wildfly", "liberty"])
def test_a_kits_start_is_shell_in_which_no_placeholder_is_left(kits: ModuleType, name: str, tmp_path: Path) -> None:
    script = tmp_path / "start.sh"
    script.write_text(kits.kit_texts.start(entries.server(name).model))
    assert subprocess.run(["sh", "-n", str(script)], check=False, capture_output=True, text=True).stderr == ""
    commands = [line for line in script.read_text().splitlines() if line.startswith(("sh ", "exec "))]
    assert len(commands) == len(entries.server(name).model.prepare) + 1
    assert not any(f"{{{place}}}" in line for line in commands for place in ("port", "scratch", "cache", "service"))


def test_a_word_with_blanks_and_a_placeholder_stays_one_word(kits: ModuleType) -> None:
    line = kits.kit_texts.shell(["sh", "a b.sh", "{cache}/it's"], {"cache": '"$cache"'})
    printed = subprocess.run(
        ["sh", "-c", f"cache='/x y'; printf '<%s>' {line}"], check=True, capture_output=True, text=True
    ).stdout
    assert printed == "<sh><a b.sh></x y/it's>"


def test_a_journal_gathers_what_is_known_of_the_server_and_its_implementation(kits: ModuleType, tmp_path: Path) -> None:
    text = kits.kit_texts.journal(kit_of(kits, "node-soap", tmp_path))
    server = entries.server("node-soap").model
    assert text.startswith(f"# Developer's journal: soakit on {server.title}")
    assert all(reason in text for reason in (*server.deviations.values(), *server.tuning.values()))
    assert (
        "- `STEELYARD_HEAP_MB`: `256`" in text and "`STEELYARD_STACK_VERSION`" not in text
    )  # which the kit holds one of
    assert "tellNamespaces" in text  # of the implementation's own words
    assert "- `unions`: texts, without a type" in text  # the column of its binding
    cells = [cell for cell in kits.interoperability.raw().cells if cell.server == "node-soap"]
    assert cells and all(f"- `{cell.client}, " in text for cell in cells)


@pytest.mark.parametrize("name", ["go", "node-soap", "tomcat-metro"])
def test_what_somebody_wrote_by_hand_opens_the_journal(kits: ModuleType, name: str, tmp_path: Path) -> None:
    own = (ROOT / "servers" / name / "JOURNAL.md").read_text().splitlines()
    lines = kits.kit_texts.journal(kit_of(kits, name, tmp_path)).splitlines()
    assert lines[2 : len(own)] == own[2:]

"""What the pet store needs of Open Liberty: Artemis by a resource adapter, with the broker in it, a driver and a data source."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries, factors
from steelyard.hosts.toolchain import jdk_home

PREPARE = Path(__file__).parents[1] / "java" / "src" / "main" / "liberty" / "prepare.sh"
CLASSES = ("broker/BrokerAdapter.class", "Settings.class", "Settings$Variant.class", "Part.class", "PetStore.class")
JAVA_HOME = jdk_home(25) or jdk_home(17)


def prepared(folder: Path, messaging: bool = True, **given: str) -> subprocess.CompletedProcess[str]:
    """The script's end on a fresh server in `folder`."""
    library, classes = (folder / "target" / "petstore" / "WEB-INF" / name for name in ("lib", "classes"))
    for place in (folder / "servers" / "steelyard", folder / "artemis", library):
        place.mkdir(parents=True)
    (library / "postgresql-1.jar").write_bytes(b"a driver")
    (folder / "artemis" / "artemis-server.jar").write_bytes(b"a broker")
    for name in CLASSES:
        file = classes / "steelyard" / "petstore" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"a class")
    (folder / "servers" / "steelyard" / "bootstrap.properties").write_text("command.port=-1\n")
    values = {"database": "postgresql", "port_database": "5", "password": "secret", **given}
    environment = {f"STEELYARD_{name.upper()}": value for name, value in values.items()}
    return subprocess.run(
        ["sh", str(PREPARE), str(folder), str(folder / "target"), str(folder / "artemis") if messaging else ""],
        env={**os.environ, **environment, "JAVA_HOME": str(JAVA_HOME)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """The folder of a server that was prepared."""
    ended = prepared(tmp_path)
    assert ended.returncode == 0, ended.stderr
    return tmp_path / "servers" / "steelyard"


def test_the_adapter_holds_the_broker_what_starts_it_and_the_driver(server: Path, tmp_path: Path) -> None:
    with ZipFile(server / "artemis.rar") as adapter:
        assert {name for name in adapter.namelist() if not name.endswith("/")} == {
            *("META-INF/ra.xml", "artemis-server.jar", "broker.jar", "driver.jar")
        }
        adapter.extract("broker.jar", tmp_path)
    with ZipFile(tmp_path / "broker.jar") as own:
        held = {name for name in own.namelist() if name.endswith(".class")}
    assert held == {f"steelyard/petstore/{name}" for name in CLASSES if name != "PetStore.class"}


def test_the_database_is_where_it_stands_and_its_password_in_no_file(server: Path) -> None:
    properties = (server / "bootstrap.properties").read_text().splitlines()
    assert properties == [
        "command.port=-1",
        "petstore.source=org.postgresql.xa.PGXADataSource",
        "petstore.url=jdbc:postgresql://127.0.0.1:5/steelyard",
    ]
    files = (path for path in server.rglob("*") if path.is_file())
    assert not [path for path in files if b"secret" in path.read_bytes()]


def test_a_link_before_the_database_is_what_is_asked(tmp_path: Path) -> None:
    assert prepared(tmp_path, port_link="7").returncode == 0
    assert ":7/steelyard" in (tmp_path / "servers" / "steelyard" / "bootstrap.properties").read_text()


def test_every_receiver_has_an_activation_under_the_name_by_which_it_is_bound(server: Path) -> None:
    tree = ElementTree.parse(server / "configDropins" / "defaults" / "petstore.xml")
    activations = {spec.attrib["id"] for spec in tree.findall("jmsActivationSpec")}
    bindings = ElementTree.parse(PREPARE.parents[1] / "webapp" / "WEB-INF" / "ibm-ejb-jar-bnd.xml")
    bound = {spec.attrib["activation-spec-binding-name"] for spec in bindings.findall(".//{*}jca-adapter")}
    beans = {path.stem for path in (PREPARE.parents[1] / "java").rglob("jakartaee/*Bean.java")}
    assert activations == bound == {f"petstore/{bean}" for bean in beans}


def test_a_server_without_messaging_is_refused_in_a_sentence(tmp_path: Path) -> None:
    ended = prepared(tmp_path, messaging=False)
    assert ended.returncode == 1
    assert ended.stderr == "the pet store needs messaging, which messaging=artemis has and messaging=none has not\n"


@pytest.mark.parametrize(("factor", "value"), [("variant", "ws-at"), ("part", "center"), ("part", "site")])
def test_what_wildfly_alone_can_have_is_refused_before_anything_starts(factor: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=f"factor {factor} is '{value}', which needs profile"):
        factors.factor_values(entries.server("liberty"), entries.service("petstore"), {factor: value})


def test_the_adapter_of_artemis_is_the_brokers_version_that_wildfly_has() -> None:
    liberty = Path(__file__).parents[3] / "servers" / "liberty" / "artemis"
    locked = {line.split()[1].removeprefix("*") for line in (liberty / "jars.sha256").read_text().splitlines()}
    poms = [ElementTree.parse(pom) for pom in (liberty / "pom.xml", PREPARE.parents[3] / "pom.xml")]
    versions = {
        dependency.findtext("{*}version")
        for pom in poms
        for dependency in pom.findall(".//{*}dependency")
        if (dependency.findtext("{*}artifactId") or "").startswith("artemis-")
    }
    (version,) = versions
    assert {f"artemis-jakarta-ra-{version}.jar", f"artemis-server-{version}.jar"} <= locked

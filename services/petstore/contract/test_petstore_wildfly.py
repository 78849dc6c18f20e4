"""What the pet store needs of WildFly: its full profile, a driver, data sources; and where the broker keeps its messages."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

PREPARE = Path(__file__).parents[1] / "java" / "src" / "main" / "wildfly" / "prepare.sh"
# The places of the product's own file that are looked for, as they stand there.
CONFIGURATION = """<server node="${jboss.tx.node.id:1}">
  <extensions>
    <extension module="org.jboss.as.webservices"/>
  </extensions>
  <profile>
    <subsystem xmlns="urn:jboss:domain:webservices:2.0" statistics-enabled="${wildfly.statistics-enabled:false}"/>
  </profile>
  <mdb>
    <bean-instance-pool-ref pool-name="mdb-strict-max-pool"/>
  </mdb>
  <datasources>
    <drivers>
      <driver name="h2"/>
    </drivers>
  </datasources>
  <server name="default">
    <statistics enabled="false"/>
    <security-setting name="#"/>
    <in-vm-connector name="in-vm" server-id="0"/>
    <connection-factory name="InVmConnectionFactory" connectors="in-vm"/>
    <pooled-connection-factory name="activemq-ra" connectors="in-vm" transaction="xa"/>
  </server>
  <outbound-socket-binding name="mail-smtp"><remote-destination/></outbound-socket-binding>
  <other><statistics enabled="false"/></other>
</server>
"""


def prepared(folder: Path, **factors: str) -> subprocess.CompletedProcess[str]:
    """The script's end on a fresh server in `folder`, with PostgreSQL on a port that nobody asks."""
    for name in ("deployments", "configuration", "target/petstore/WEB-INF/lib"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "target/petstore/WEB-INF/lib/postgresql-1.jar").write_bytes(b"a driver")
    (folder / "configuration" / "standalone.xml").write_text(CONFIGURATION)
    given = {
        "profile": "standalone-full",
        "database": "postgresql",
        "port_database": "5",
        "password": "secret",
        **factors,
    }
    environment = {**os.environ, **{f"STEELYARD_{name.upper()}": value for name, value in given.items()}}
    command = ["sh", str(PREPARE), str(folder), str(folder / "target")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_messages_are_in_the_journal_where_nobody_asks_otherwise(tmp_path: Path) -> None:
    assert prepared(tmp_path).returncode == 0
    written = (tmp_path / "configuration" / "standalone.xml").read_text()
    changed = (
        r"\n *<system-properties>\s*<property name=\"RecoveryEnvironmentBean.periodicRecoveryPeriod\" value=\"10\"/>"
        r"\s*</system-properties>",
        r"max-pool-size=\"200\" ",
        r"<delivery-groups>.*</delivery-groups>",
    )
    rest, changes = re.subn("|".join(changed), "", written, flags=re.DOTALL)
    assert (rest, changes) == (CONFIGURATION, len(changed)), "nothing else is changed"
    assert (tmp_path / "deployments" / "driver.jar").read_bytes() == b"a driver"


def test_messages_in_the_database_have_a_data_source_of_their_own_and_no_password_in_the_file(tmp_path: Path) -> None:
    assert prepared(tmp_path, persistence="jdbc").returncode == 0
    tree = ElementTree.parse(tmp_path / "configuration" / "standalone.xml")
    (source,) = tree.findall("./datasources/datasource")
    (journal,) = tree.findall(".//journal")
    (broker,) = tree.findall("./server")
    assert next(iter(broker)) is journal, "the schema has the journal before the statistics"
    assert journal.attrib == {"datasource": source.attrib["pool-name"], "database": "postgresql"}
    assert source.findtext("driver") == "driver.jar"
    assert "secret" not in (tmp_path / "configuration" / "standalone.xml").read_text()


def test_web_services_in_a_transaction_have_xts_which_counts_its_messages_and_a_log_that_can_be_read(
    tmp_path: Path,
) -> None:
    assert prepared(tmp_path, variant="ws-at").returncode == 0
    tree = ElementTree.parse(tmp_path / "configuration" / "standalone.xml")
    modules = [extension.attrib["module"] for extension in tree.findall("./extensions/extension")]
    assert "org.jboss.as.xts" in modules
    services, xts = tree.findall("./profile/{*}subsystem")
    assert services.attrib["statistics-enabled"] == "true"
    (propagation,) = xts.findall("{*}default-context-propagation")
    assert propagation.attrib == {"enabled": "true"}
    assert not xts.findall("{*}xts-environment"), "it would name a port that is not this server's"
    assert [child.tag for child in tree.getroot()][:2] == ["extensions", "system-properties"], "the schema has them so"
    (module,) = (tmp_path / "modules").rglob("module.xml")
    (seen,) = ElementTree.parse(module).findall("{*}dependencies/{*}module")
    assert seen.attrib == {"name": "org.jboss.xts", "export": "true"}


@pytest.mark.parametrize("profile", ["standalone", "standalone-ha"])
def test_a_profile_without_messaging_is_refused_in_a_sentence(tmp_path: Path, profile: str) -> None:
    ended = prepared(tmp_path, profile=profile)
    assert ended.returncode == 1
    assert (
        ended.stderr
        == f"the pet store needs messaging, which profile=standalone-full has and profile={profile} has not\n"
    )


@pytest.mark.parametrize(
    ("part", "center", "supplier"),
    [("all", "true", "true"), ("site", "false", "false"), ("center", "true", "false"), ("supplier", "false", "true")],
)
def test_receivers_are_at_work_where_their_part_is(tmp_path: Path, part: str, center: str, supplier: str) -> None:
    assert prepared(tmp_path, part=part, port_center="6", port_supplier="7").returncode == 0
    groups = ElementTree.parse(tmp_path / "configuration" / "standalone.xml").findall(".//mdb//delivery-group")
    assert {group.attrib["name"]: group.attrib["active"] for group in groups} == {
        "center": center,
        "supplier": supplier,
    }


@pytest.mark.parametrize("part", ["site", "supplier"])
def test_a_part_without_the_broker_asks_the_centers_as_a_user_and_keeps_no_password_in_the_file(
    tmp_path: Path, part: str
) -> None:
    assert prepared(tmp_path, part=part, port_center="6", port_supplier="7").returncode == 0
    tree = ElementTree.parse(tmp_path / "configuration" / "standalone.xml")
    assert {factory.attrib["connectors"] for factory in tree.iter() if "connectors" in factory.attrib} == {"center"}
    (pooled,) = tree.iter("pooled-connection-factory")
    assert pooled.attrib["user"] == "steelyard" and pooled.attrib["password"] == "${env.STEELYARD_PASSWORD}"
    (connector,) = tree.iter("http-connector")
    (binding,) = tree.findall(".//outbound-socket-binding[@name='center']")
    assert connector.attrib["socket-binding"] == binding.attrib["name"]
    assert tree.getroot().attrib["node"] == "${jboss.tx.node.id:" + part + "}"
    assert "secret" not in (tmp_path / "configuration" / "standalone.xml").read_text()


def test_the_centers_broker_knows_the_others_by_the_subjects_password_alone(tmp_path: Path) -> None:
    assert prepared(tmp_path, part="center", port_center="6", port_supplier="7").returncode == 0
    users = (tmp_path / "configuration" / "application-users.properties").read_text()
    hashed = hashlib.md5(b"steelyard:ApplicationRealm:secret", usedforsecurity=False).hexdigest()
    assert users == f"steelyard={hashed}\n"
    assert (tmp_path / "configuration" / "application-roles.properties").read_text() == "steelyard=guest\n"


def test_a_part_without_the_others_beside_it_is_refused_in_a_sentence(tmp_path: Path) -> None:
    ended = prepared(tmp_path, part="site")
    assert ended.returncode != 0
    assert "part=site needs a server with part=center beside it" in ended.stderr

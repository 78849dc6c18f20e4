"""The data sources of servers that have their own: pool, prepared statements and isolation are as the factors say."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

SCRIPTS = Path(__file__).parents[1] / "java" / "src" / "main"
JDBC = {"read-committed": "TRANSACTION_READ_COMMITTED", "repeatable-read": "TRANSACTION_REPEATABLE_READ"}
# The places of the products' own files that are looked for, as they stand there.
STANDALONE = '<server><default-bindings datasource="java:jboss/datasources/ExampleDS"/></server>\n'
DOMAIN = '<domain><resources><jdbc-resource jndi-name="jdbc/__default" pool-name="DerbyPool"/></resources></domain>'


def prepared(product: str, folder: Path, **factors: str) -> Path:
    """The folder of a server after the service's script, with PostgreSQL on port 5."""
    files = {
        "target/shop-api/WEB-INF/lib/postgresql-1.jar": "a driver",
        "deployments/none": "",
        "configuration/standalone.xml": STANDALONE,
        "config/domain.xml": DOMAIN,
        "config/logging.properties": "",
        "servers/steelyard/bootstrap.properties": "",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    given = {"port_database": "5", "password": "secret", **factors}
    environment = {**os.environ, **{f"STEELYARD_{name.upper()}": value for name, value in given.items()}}
    command = ["sh", str(SCRIPTS / product / "prepare.sh"), str(folder), str(folder / "target")]
    subprocess.run(command, env=environment, check=True, timeout=60)
    return folder


@pytest.mark.parametrize("isolation", JDBC)
def test_wildfly_has_the_factors(tmp_path: Path, isolation: str) -> None:
    folder = prepared("wildfly", tmp_path, pool="3", prepared="off", isolation=isolation)
    (source,) = ElementTree.parse(folder / "deployments" / "shop-ds.xml").findall("datasource")
    assert source.findtext("connection-url") == "jdbc:postgresql://127.0.0.1:5/steelyard?prepareThreshold=0"
    assert source.findtext("pool/min-pool-size") == source.findtext("pool/max-pool-size") == "3"
    assert source.findtext("transaction-isolation") == JDBC[isolation]
    assert 'datasource="java:jboss/datasources/shop"' in (folder / "configuration" / "standalone.xml").read_text()


@pytest.mark.parametrize("isolation", JDBC)
def test_liberty_has_the_factors(tmp_path: Path, isolation: str) -> None:
    folder = prepared("liberty", tmp_path, pool="3", isolation=isolation) / "servers" / "steelyard"
    given = dict(line.split("=", 1) for line in (folder / "bootstrap.properties").read_text().splitlines())
    assert given == {
        "shop.url": "jdbc:postgresql://127.0.0.1:5/steelyard",
        "shop.pool": "3",
        "shop.isolation": JDBC[isolation],
    }
    (source,) = ElementTree.parse(folder / "configDropins" / "defaults" / "shop.xml").findall("dataSource")
    assert source.attrib["isolationLevel"] == "${shop.isolation}"


@pytest.mark.parametrize("isolation", JDBC)
def test_glassfish_has_the_factors(tmp_path: Path, isolation: str) -> None:
    folder = prepared("glassfish", tmp_path, pool="3", isolation=isolation)
    resources = ElementTree.parse(folder / "config" / "domain.xml").find("resources")
    assert resources is not None
    pool, default = resources
    assert (pool.attrib["steady-pool-size"], pool.attrib["max-pool-size"]) == ("3", "3")
    assert pool.attrib["transaction-isolation-level"] == isolation
    assert default.attrib["pool-name"] == pool.attrib["name"]


def test_the_isolation_is_postgresqls_default_without_the_factor(tmp_path: Path) -> None:
    folder = prepared("wildfly", tmp_path)
    source = ElementTree.parse(folder / "deployments" / "shop-ds.xml").find("datasource")
    assert source is not None and source.findtext("transaction-isolation") == JDBC["read-committed"]

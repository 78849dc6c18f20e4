"""Makes a database the default data source of GlassFish or Payara: data_source.py DOMAIN_XML URL CONNECTIONS ISOLATION."""

import os
import sys
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

_POOL = "shop"


def set_default_source(resources: Element, url: str, connections: str, isolation: str, password: str) -> None:
    """Add a pool of so many connections, opened with the first, and give it the name of the default data source."""
    pool = Element(
        "jdbc-connection-pool",
        {
            "name": _POOL,
            "datasource-classname": "org.postgresql.ds.PGSimpleDataSource",
            "res-type": "javax.sql.DataSource",
            "steady-pool-size": connections,
            "max-pool-size": connections,
            "transaction-isolation-level": isolation,
        },
    )
    for name, value in {"URL": url, "user": "steelyard", "password": password}.items():
        SubElement(pool, "property", name=name, value=value)
    resources.insert(0, pool)
    resources.find("jdbc-resource[@jndi-name='jdbc/__default']").set("pool-name", _POOL)


if __name__ == "__main__":
    path, url, connections, isolation = sys.argv[1:]
    tree = ElementTree.parse(path)
    set_default_source(tree.find("resources"), url, connections, isolation, os.environ["STEELYARD_PASSWORD"])
    tree.write(path, encoding="utf-8", xml_declaration=True)

"""Edits a domain of GlassFish or Payara as it was shipped: domain.py DOMAIN PORT, with the factors in the environment.

One HTTP listener on the loopback address, its connections open for any number of requests and for 15 minutes without one.
Administration, which GlassFish does not start without, gets the same port of another loopback address and a password that nobody
is told. Every other listener is off: HTTPS, IIOP, JMX, JMS, the OSGi shell, clustering. Memory is for start.sh.
"""

import hashlib
import os
import secrets
import sys
from base64 import b64encode
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

OFF = ("iiop-listener", "jmx-connector", "hazelcast-config-specific-configuration")
REMOTE_SHELL = "org.apache.felix.shell.remote,"
MEMORY = ("-Xmx", "-XX:NewRatio")
DIGESTS = 100  # what the product's keyfile means by SSHA256: so many rounds of SHA-256 over password and salt


def edit(config: Element, port: str, threads: str, accept_queue: str) -> None:
    """Sets listeners, connections and workers of a configuration of a domain.xml."""
    listeners = {
        "http-listener-1": {"address": os.environ.get("STEELYARD_HOST", "127.0.0.1"), "port": port},
        "http-listener-2": {"enabled": "false"},
        "admin-listener": {"address": "127.0.0.2", "port": port},
    }
    for listener in config.iter("network-listener"):
        listener.attrib.update(listeners[listener.attrib["name"]])
    for name in OFF:
        for element in config.iter(name):
            element.set("enabled", "false")
    config.append(Element("jms-service", type="DISABLED"))
    for http in config.iter("http"):
        http.attrib.update({"max-connections": "-1", "timeout-seconds": "900"})
    config.find("thread-pools/thread-pool[@name='http-thread-pool']").set("max-thread-pool-size", threads)
    config.find("network-config/transports/transport[@name='tcp']").set("max-connections-count", accept_queue)
    java = config.find("java-config")
    for option in java.findall("jvm-options"):
        option.text = option.text.replace(REMOTE_SHELL, "")
        if option.text.startswith(MEMORY):
            java.remove(option)


def hashed(password: str) -> str:
    """A password as the product's keyfile keeps it."""
    salt = secrets.token_bytes(8)
    digest = password.encode() + salt
    for _ in range(DIGESTS):
        digest = hashlib.sha256(digest).digest()
    return b64encode(digest + salt).decode()


if __name__ == "__main__":
    folder, port = Path(sys.argv[1]) / "config", sys.argv[2]
    tree = ElementTree.parse(folder / "domain.xml")
    config = tree.find("configs/config[@name='server-config']")
    edit(config, port, os.environ.get("STEELYARD_THREADS", "200"), os.environ.get("STEELYARD_ACCEPT_QUEUE", "4096"))
    tree.write(folder / "domain.xml", encoding="utf-8", xml_declaration=True)
    keyfile = folder / "admin-keyfile"
    keyfile.write_text(f"admin;{{SSHA256}}{hashed(secrets.token_urlsafe())};asadmin\n")

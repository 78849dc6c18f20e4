"""Where servers listen is said in one place: code and scripts take {host} or STEELYARD_HOST, and 127.0.0.1 where nobody says."""

from __future__ import annotations

import os
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = {
    *(
        ".sh",
        ".py",
        ".go",
        ".rs",
        ".js",
        ".java",
        ".cs",
        ".cpp",
        ".h",
        ".php",
        ".toml",
        ".xml",
        ".ini",
        ".conf",
        ".html",
    ),
    *(".asmx", ".config", ".cfg", ".properties"),
}
ADDRESS = re.compile(r"\b127\.0\.0\.1\b|\blocalhost\b|\bLOCALHOST\b")
# How each language says: where STEELYARD_HOST says, else on 127.0.0.1.
OTHERWISE = re.compile(r"STEELYARD_HOST.*127\.0\.0\.1|STEELYARD_HOST.*LOCALHOST|\bhost \? host : \"127\.0\.0\.1\"")
NOT_OURS = {
    "lab/steelyard/base/paths.py": r"^HOST(_NAMES)? = ",
    "lab/steelyard/commands/import_.py": 'Examples: |^"steelyard import ',  # what a user may type
    "lab/steelyard/commands/load.py": r'^"steelyard load ',
    "lab/steelyard/commands/compare.py": r'^"steelyard compare ',
    "lab/steelyard/commands/find_limit.py": r'^"steelyard find-limit ',
    "lab/steelyard/workload/load_spec.py": 'hint="write shop.test:443:',  # what a user may type
    "lab/steelyard/workload/importing/other_tools/siege_urls.py": r"\|localhost\\b",  # how lines of another tool begin
    "lab/steelyard/base/certificate.py": "DNS:localhost",  # whom a certificate is for
    "servers/common/tomcat/server.xml": 'Host="localhost"|name="localhost"',  # of virtual hosts, not of sockets
    "services/petstore/java/src/main/java/steelyard/petstore/PetStore.java": "mail.smtp.localhost",  # a name, not an address
    "services/soakit/own-schema/describe.py": "soap:address",  # of a description, which the lab replaces by where it asks
    "services/wstest/null/src/main.rs": r"LOCALHOST, 0\)",  # a test's own
}


def code() -> Iterator[Path]:
    """Every tracked file of code in the rooms of servers and services, and the lab's own; no test, no contract."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "lab/steelyard", "servers", "services"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in CODE and "test" not in path.name.lower() and not {"test", "contract"} & set(path.parts):
            yield path


def addresses(path: Path) -> list[str]:
    """The lines of a file that name an address of their own, comments aside."""
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [line.strip() for line in lines if not line.lstrip().startswith(("#", "//", "*", "/*", "<!--", '"""'))]
    return [line for line in kept if ADDRESS.search(line) and not OTHERWISE.search(line)]


def test_no_code_and_no_script_has_an_address_of_its_own() -> None:
    files = list(code())
    assert len(files) > 200
    found = {str(path.relative_to(ROOT)): lines for path in files if (lines := addresses(path))}
    assert {name: lines for name, lines in found.items() if name not in NOT_OURS} == {}
    for name, own in NOT_OURS.items():
        assert all(re.search(own, line) for line in found[name]), found[name]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("  listen 127.0.0.1:$port backlog=512;", True),
        ("server.listen(port, '127.0.0.1');", True),
        ("TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;", True),
        ("  listen ${STEELYARD_HOST:-127.0.0.1}:$port;", False),
        ("# Listens on 127.0.0.1 only.", False),
    ],
)
def test_an_address_of_its_own_is_seen(tmp_path: Path, line: str, named: bool) -> None:
    (tmp_path / "start.sh").write_text(f"{line}\n")
    assert bool(addresses(tmp_path / "start.sh")) == named


@pytest.mark.parametrize("host", [None, "127.0.0.1", "127.0.0.9"])
def test_a_server_is_ready_where_it_listens_and_nowhere_else(host: str | None) -> None:
    def ready(asked: str | None, port: int) -> bool:
        environment = {name: value for name, value in os.environ.items() if name != "STEELYARD_HOST"}
        environment |= {} if asked is None else {"STEELYARD_HOST": asked}
        argv = ["sh", str(ROOT / "servers/common/ready.sh"), str(port)]
        return subprocess.run(argv, env=environment, timeout=30, check=False).returncode == 0

    with socket.create_server((host or "127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert ready(host, port)
        assert not ready("127.0.0.7", port)
    assert not ready(host, port)

"""What can be known of the weblogic server without a licence: its messages, and what it asks WebLogic's tools to do."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def run(script: str, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], **variables}
    argv = ["sh", script, *map(str, arguments)]
    return subprocess.run(argv, cwd=HERE, env=environment, capture_output=True, text=True, check=False)


def installation(folder: Path) -> str:
    """An ORACLE_HOME whose scripting tool makes an empty domain and keeps its arguments."""
    tool = folder / "oracle_common" / "common" / "bin" / "wlst.sh"
    tool.parent.mkdir(parents=True)
    tool.write_text('mkdir -p "$(dirname "$2")/domain/bin"\necho "$@" >"$(dirname "$2")/asked"\n')
    jar = folder / "wlserver" / "server" / "lib" / "weblogic.jar"
    jar.parent.mkdir(parents=True)
    jar.touch()
    return str(folder)


def test_without_oracle_home_the_message_says_what_to_set() -> None:
    done = run("check.sh")
    assert done.returncode == 1
    assert done.stderr.startswith("weblogic: ORACLE_HOME is not set. This server needs WebLogic Server 15.1.1")


def test_a_folder_that_is_no_installation_is_named_with_what_it_lacks(tmp_path: Path) -> None:
    done = run("check.sh", ORACLE_HOME=str(tmp_path))
    assert done.returncode == 1
    assert f"ORACLE_HOME is {tmp_path}, but oracle_common/common/bin/wlst.sh is not there" in done.stderr


def test_an_installation_is_accepted(tmp_path: Path) -> None:
    assert run("check.sh", ORACLE_HOME=installation(tmp_path)).returncode == 0


def test_the_domain_is_asked_for_with_all_that_it_needs(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    home = installation(tmp_path / "home")
    done = run("prepare.sh", 7001, scratch, "/services/echo", "java", ORACLE_HOME=home, STEELYARD_THREADS="16")
    assert done.returncode == 0, done.stderr
    asked = dict(line.split("=", 1) for line in (scratch / "domain.properties").read_text().splitlines())
    password = asked.pop("password")
    assert asked == {
        "domain": f"{scratch}/domain",
        "address": "127.0.0.1",
        "port": "7001",
        "threads": "16",
        "application": "echo",
        "war": "/services/echo/java/target/echo.war",
    }
    identity = scratch / "domain" / "servers" / "AdminServer" / "security" / "boot.properties"
    assert identity.read_text() == f"username=weblogic\npassword={password}\n"
    assert identity.stat().st_mode & 0o077 == 0
    assert (scratch / "asked").read_text() == f"domain.py {scratch}/domain.properties\n"


def test_the_server_gets_the_factors_of_the_jvm(tmp_path: Path) -> None:
    script = tmp_path / "domain" / "bin" / "startWebLogic.sh"
    script.parent.mkdir(parents=True)
    script.write_text('echo "$USER_MEM_ARGS"\necho "$JDK_JAVA_OPTIONS"\n')
    done = run(
        "start.sh",
        tmp_path,
        STEELYARD_HEAP="1g",
        STEELYARD_GC="Parallel",
        STEELYARD_CPUS="3",
        STEELYARD_JVM="-Da=b",
        STEELYARD_THREADS="7",
    )
    memory, further = done.stdout.splitlines()
    assert memory.split() == [
        *("-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch", "-XX:+UseParallelGC", "-XX:ActiveProcessorCount=3"),
        *("-XX:+ExitOnOutOfMemoryError", "-Dhttp.maxConnections=7"),
    ]
    assert further == f'"-Djava.io.tmpdir={tmp_path}/tmp" -Da=b'

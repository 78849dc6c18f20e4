"""No factor's value is ever run: every script of every server gets values made to be evaluated, and hands them on as they are."""

from __future__ import annotations

import os
import re
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries, factors
from steelyard.hosts import build
from steelyard.models.server import NEVER_READY

SERVERS = Path(__file__).parent.parent
SCRIPTS = sorted(SERVERS.rglob("*.sh"))
NAMES = sorted(entries.server_files())
BY_COMMANDS = {repr((each.prepare, each.start)): each.name for each in (entries.server(name).model for name in NAMES)}

# What would make a file: by a shell that evaluates the value, or by a sed whose program it ends.
HOSTILE = [
    "$(touch {mark})",
    "`touch {mark}`",
    ";touch {mark};",
    "'>{mark}'",
    '">{mark}"',
    "\n>{mark}\n",
    "|w {mark}",
]
RECORDER = '#!/bin/sh\nprintf "%s\\n" "$@" >>"$RECORDED"\n'
EVALUATES = re.compile(
    r"\beval\b|\b(ba)?sh\s+-c\b|\bawk\b|catalina\.sh|standalone\.sh|jboss-cli\.sh|bin/server\b|\bsed\b(.* -e)? \"[^\"]*\$"
)


def code(script: Path) -> str:
    """A script without its comments, continued lines joined."""
    lines = script.read_text().replace("\\\n", " ").splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(SERVERS)))
def test_a_script_evaluates_nothing_and_runs_no_script_that_would(script: Path) -> None:
    assert EVALUATES.findall(code(script)) == []


@pytest.mark.parametrize(
    "line",
    [
        'eval "$x"',
        'sh -c "$x"',
        'sed "s|a|$x|" file',
        'sed -e "s|a|b|" -e "s|c|${x}|" file',
        "exec sh $home/bin/catalina.sh run",
    ],
)
def test_a_line_that_evaluates_is_seen(line: str) -> None:
    assert EVALUATES.search(line)


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_value_is_refused_by_every_factor_but_the_options_of_a_jvm(name: str) -> None:
    server = entries.server(name)
    for factor in server.model.all_factors():
        for value in [*HOSTILE, "&x", ">x", "<x>", "a b", "\t"]:
            if factor != "jvm" or not value.isprintable():
                with pytest.raises(ConfigurationError, match=f"factor {factor} "):
                    factors.factor_values(server, None, {factor: value})


def test_a_value_of_several_lines_is_refused_in_a_sentence() -> None:
    with pytest.raises(ConfigurationError) as caught:
        factors.factor_values(entries.server("tomcat-metro"), None, {"jvm": "-Da=b\n-Dc=d"})
    assert caught.value.message == (
        "tomcat-metro: factor jvm is '-Da=b\\n-Dc=d', but a value is one line without tabs and other control characters"
    )


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Programs that only record their arguments, and of every product the files that the scripts read."""
    programs = [
        *(
            f"bin/{name}"
            for name in ("java", "node", "mono", "dotnet", "nginx", "php-fpm8.2", "exim4", "haproxy", "go")
        ),
        *("bin/mariadbd", "bin/mariadb-install-db"),
        *("cache/echo", "cache/link", "cache/wstest-null", "cache/python/bin/python"),
        "cache/python/lib/python3.11/site-packages/dnv/net/runtime/.net/dotnet",
        *("cache/product/bin/initdb", "cache/product/bin/postgres", "oracle/wlserver/server/lib/weblogic.jar"),
    ]
    files = {
        "cache/tomcat/conf/web.xml": "<web-app>\n</web-app>\n",
        "cache/tomcat/conf/catalina.properties": "",
        "cache/tomcat/conf/tomee.xml": "",
        "cache/tomcat/conf/system.properties": "",
        "cache/wildfly/standalone/deployments/README.txt": "",
        "cache/wildfly/standalone/configuration/standalone.xml": '<worker name="default"/>\n',
        "cache/glassfish/bin/asadmin": "printf 'java\\n-jar\\nglassfish.jar\\n'\n",
        "cache/glassfish/glassfish/domains/domain1/config/domain.xml": (
            '<domain><configs><config name="server-config"><java-config/><thread-pools><thread-pool name="http-thread-pool"/>'
            '</thread-pools><network-config><transports><transport name="tcp"/></transports></network-config></config></configs>'
            "</domain>"
        ),
        "oracle/oracle_common/common/bin/wlst.sh": 'mkdir -p "$(dirname "$2")/domain/bin"\n'
        'printf \'exec java $USER_MEM_ARGS "$JDK_JAVA_OPTIONS"\\n\' >"$(dirname "$2")/domain/bin/startWebLogic.sh"\n',
        "service/echo/java/target/echo.war": "",
        "service/echo/java-springws/target/echo.war": "",
        "service/echo/java-jersey/target/echo.war": "",
    }
    folder = tmp_path / 'a "house" of one\'s own'
    for name in programs:
        files[name] = RECORDER
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    for name in ("metro", "cxf", "adapter", "axis2"):
        (folder / "cache" / name).mkdir()
        (folder / "cache" / name / f"{name}.jar").touch()
    return folder


def commands(name: str, house: Path, scratch: Path) -> Iterator[list[str]]:
    """What prepares and starts a server, in turn."""
    model = entries.server(name).model
    values = {
        "port": "8080",
        "port.mail.api": "0",  # of those that listen for themselves: any that is free
        "port.database": "8081",
        "scratch": str(scratch),
        "cache": str(house / "cache"),
        "service": str(house / "service" / "echo"),
    }
    for argv in [*model.prepare, model.start]:
        yield build.placeholders(argv, values)


def run(name: str, house: Path, **variables: str) -> tuple[list[str], str]:
    """Prepares and starts a server; what its programs were given, and what was said."""
    scratch = house / f"scratch of {name}"
    scratch.mkdir()
    recorded = scratch / "recorded"
    environment = {
        "PATH": f"{house / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "RECORDED": str(recorded),
        "JAVA_HOME": str(house),
        "ORACLE_HOME": str(house / "oracle"),
        "STEELYARD_CPUS": "2",
        "STEELYARD_PASSWORD": "0123456789abcdef",
        "STEELYARD_PORT_INSTANCE1": "8082",
        **variables,
    }
    said = ""
    for argv in commands(name, house, scratch):
        done = subprocess.run(
            argv, cwd=SERVERS / name, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        said += done.stderr
    return recorded.read_text().splitlines() if recorded.exists() else [], said


@pytest.mark.parametrize("name", NAMES)
def test_a_server_is_prepared_and_started_below_a_path_with_blanks_and_quotes(name: str, house: Path) -> None:
    given, said = run(name, house)
    assert given or name == "null", said
    assert said == ""


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("name", sorted(BY_COMMANDS.values()))
def test_a_script_run_by_hand_with_hostile_values_runs_nothing_of_them(name: str, house: Path, value: str) -> None:
    mark = house.parent / "mark"
    hostile = value.format(mark=mark)
    own = entries.server(name).model.factors
    given, said = run(name, house, **{factors.variable(factor): hostile for factor in own})
    assert not mark.exists()
    if "jvm" in own and name != "weblogic":
        assert set(hostile.split()) <= set(given), said


@pytest.mark.parametrize("name", ["tomcat-metro", "weblogic"])
@pytest.mark.parametrize(
    "option",
    ["-XX:OnError=touch", "-XX:OnOutOfMemoryError=touch", "-XX:VMOptionsFile=x", "-XX:Flags=x", "-Da=b @x", "@x"],
)
def test_an_option_that_makes_the_jvm_run_commands_is_refused(name: str, house: Path, option: str) -> None:
    given, said = run(name, house, STEELYARD_JVM=option)
    assert f"factor jvm is '{option}'" in said
    assert not any(option.split()[-1] in word for word in given)


@pytest.mark.parametrize("asked", [True, False])
def test_a_jvm_logs_its_collector_where_somebody_asks_and_nowhere_else(tmp_path: Path, asked: bool) -> None:
    java = tmp_path / "home" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(RECORDER)
    java.chmod(0o755)
    log = tmp_path / "a folder" / "a@heap=1g.server.gc.log"
    environment = {
        "PATH": os.environ["PATH"],
        "JAVA_HOME": str(tmp_path / "home"),
        "RECORDED": str(tmp_path / "words"),
        "scratch": str(tmp_path / "scratch"),
        **({"STEELYARD_GC_LOG": str(log)} if asked else {}),
    }
    script = tmp_path / "start.sh"
    script.write_text(f'. "{SERVERS}/common/jvm.sh"\nrun_java Main\n')
    subprocess.run(["sh", str(script)], env=environment, check=True)
    said = [word for word in (tmp_path / "words").read_text().splitlines() if word.startswith("-Xlog")]
    assert said == ([f'-Xlog:gc*:file="{log}":timenanos,tags:filecount=0'] if asked else [])


def test_wildfly_says_why_it_could_not_deploy_a_service_and_that_it_never_will(tmp_path: Path) -> None:
    deployments, log = tmp_path / "deployments", tmp_path / "log" / "server.log"
    deployments.mkdir()
    log.parent.mkdir()
    log.write_text("21:09:20 ERROR [broker]\n")

    def ready() -> subprocess.CompletedProcess[str]:
        command = ["sh", SERVERS / "wildfly" / "ready.sh", "1", tmp_path]
        return subprocess.run(command, cwd=SERVERS / "wildfly", capture_output=True, text=True, timeout=60, check=False)

    assert ready().returncode not in (0, NEVER_READY), "nobody listens on port 1"
    (deployments / "shop.war.failed").write_text('"WFLYCTL0288: One or more services\n  were unable to start"')
    ended = ready()
    said = 'it could not deploy shop.war: "WFLYCTL0288: One or more services were unable to start"'
    assert (ended.returncode, ended.stdout.strip()) == (NEVER_READY, said)
    (deployments / "driver.jar.failed").write_text("it is a deployment, too")
    log.write_text("ERROR\n  at x\nCaused by: PSQLException: The connection attempt failed.\nCaused by: EOFException\n")
    assert ready().stdout == "it could not deploy driver.jar, shop.war: PSQLException: The connection attempt failed.\n"

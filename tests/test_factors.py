"""Factors take effect: shown by the JVM itself, by its open files and by the server's log, not by our own scripts."""

from __future__ import annotations

import random
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from conftest import MARK
from rich.console import Console
from steelyard.base.errors import ConfigurationError, ToolchainError
from steelyard.base.http_client import Access, Answer, HttpClient
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import cpus, launch, subject
from steelyard.hosts.running import RunningPart, RunningSubject
from steelyard.hosts.toolchain import jdk_home
from steelyard.models.study import PartSpec, SubjectSpec
from steelyard.workload import contract, exchanges
from steelyard.workload.body_formats import meaning_of
from steelyard.workload.contract import request_headers

VARIED = {
    "version": "11.0.18",
    "stack_version": "4.0.4",
    "heap": "128m",
    "gc": "Serial",
    "threads": "7",
    "accept_queue": "10",
    "max_connections": "9",
    "parser": "jdk",
    "compression": "on",
    "jdk": "17",
    "jvm": "-Dsaid=so -Dplain=$(exit);`exit`&|<'\"*",  # nothing of it means anything to a shell
}
PROGRESS = Progress(Console(quiet=True))


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSubject]:
    """A Tomcat with every factor varied, and one as it is by default, up at once; each has answered the contract."""
    folder = tmp_path_factory.mktemp("both")
    service = entries.service("wstest")
    spec = SubjectSpec(
        label="both",
        parts=[PartSpec(server="tomcat-metro", factors=VARIED), PartSpec(server="tomcat-metro", role="second")],
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MARK, str(folder))
        ready = subject.provide_subject(spec, service, PROGRESS)
        with launch.running_subject(ready, folder, cpus.share(), random.Random(), PROGRESS) as running:
            for part in running.parts:
                url = f"http://127.0.0.1:{part.port}{running.subject.path()}"
                headers = running.subject.headers
                assert contract.verify(service, url, seed=1, all_spellings=False, access=Access(headers)) > 30
            yield running


def java(part: RunningPart) -> int:
    """The process id of the part's JVM."""
    return next(process.pid for process in part.keeper.use() if process.name == "java")


def asked(part: RunningPart, *command: str) -> str:
    """What the part's JVM answers to a command of jcmd."""
    home = jdk_home(25)
    assert home is not None
    argv = [str(home / "bin" / "jcmd"), str(java(part)), *command]
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True).stdout


def open_jars(part: RunningPart) -> set[str]:
    """The names of the jars that the part's JVM holds open."""
    files = [link.resolve() for link in Path(f"/proc/{java(part)}/fd").iterdir()]
    return {file.name for file in files if file.suffix == ".jar"}


def test_the_jvm_has_the_heap_the_collector_and_the_processors(both: RunningSubject) -> None:
    varied, default = (asked(part, "VM.flags") for part in both.parts)
    for flags, heap, collector in ((varied, 128, "UseSerialGC"), (default, 256, "UseG1GC")):
        assert {f"-XX:InitialHeapSize={heap << 20}", f"-XX:MaxHeapSize={heap << 20}", f"-XX:+{collector}"} <= set(
            flags.split()
        )
        assert "-XX:+AlwaysPreTouch" in flags
        assert f"-XX:ActiveProcessorCount={len(cpus.share().server)}" in flags


def test_it_runs_on_the_jdk_with_the_further_options(both: RunningSubject) -> None:
    varied, default = (asked(part, "VM.system_properties") for part in both.parts)
    assert re.search(r"^java\.specification\.version=17$", varied, re.M)
    assert re.search(r"^said=so$", varied, re.M)
    assert "\nplain=$(exit);`exit`&|<'\"*\n" in varied
    assert re.search(r"^java\.specification\.version=25$", default, re.M)
    assert "said=so" not in default


def test_two_versions_of_a_server_and_of_its_stack_are_up_at_once(both: RunningSubject) -> None:
    varied, default = both.parts
    assert "[Apache Tomcat/11.0.18]" in varied.log.read_text()
    assert "[Apache Tomcat/11.0.24]" in default.log.read_text()
    assert "jaxws-rt-4.0.4.jar" in open_jars(varied)
    assert "jaxws-rt-4.0.5.jar" in open_jars(default)
    assert not open_jars(varied) & {"jaxws-rt-4.0.5.jar"}


def test_a_server_calls_itself_what_it_runs(both: RunningSubject) -> None:
    varied, default = (part.part.server.model for part in both.parts)
    assert (varied.version, varied.stack) == ("11.0.18", "Metro 4.0.4")
    assert (default.version, default.stack) == ("11.0.24", "Metro 4.0.5")


def test_the_worker_threads_are_as_many(both: RunningSubject) -> None:
    varied, default = (
        len(re.findall(r'^"http-nio-\S+-exec-\d+"', asked(part, "Thread.print"), re.M)) for part in both.parts
    )
    assert varied == 7
    assert default > 7


def test_the_server_takes_as_many_connections_and_the_kernel_keeps_as_many_more(both: RunningSubject) -> None:
    varied, default = both.parts
    kept_by_linux = int(VARIED["accept_queue"]) + 1
    assert connected(varied, most=40) == int(VARIED["max_connections"]) + kept_by_linux
    assert connected(default, most=150) == 150


def connected(part: RunningPart, most: int) -> int:
    """How many connections to a part are open at once, up to `most`, before one is not taken.

    A full queue drops an attempt, which Linux repeats after one second and after three: only then is it full for good.
    """
    with ExitStack() as stack:
        for number in range(most):
            try:
                stack.enter_context(socket.create_connection(("127.0.0.1", part.port), timeout=4))
            except TimeoutError:
                return number
    return most


def test_large_answers_come_packed_to_a_client_that_takes_them(both: RunningSubject) -> None:
    service = entries.service("wstest")
    sized = exchanges.generate_exchanges(service, "echoList", seed=1, count=1, parameters={"ListSize": 100})
    request = meaning_of(service).body(next(iter(sized)).request)
    assert both.subject.headers == {"Accept-Encoding": "gzip"}
    varied, default = both.parts
    packed, plain = (_answer(both, varied, request, headers) for headers in (both.subject.headers, {}))
    assert packed.values_of("Content-Encoding") == ["gzip"] and plain.values_of("Content-Encoding") == []
    assert 4 * len(packed.body) < len(plain.body) and packed.unpack() == plain.body
    assert _answer(both, default, request, both.subject.headers).values_of("Content-Encoding") == []


def _answer(both: RunningSubject, part: RunningPart, request: bytes, headers: dict[str, str]) -> Answer:
    own = request_headers(both.subject.service.model, "echoList", headers)
    conversation = HttpClient(f"http://127.0.0.1:{part.port}{both.subject.path()}")
    try:
        return conversation.post(request, own)
    finally:
        conversation.close()


def test_messages_are_read_by_the_parser(both: RunningSubject) -> None:
    varied, default = (asked(part, "GC.class_histogram", "-all") for part in both.parts)
    assert "com.ctc.wstx.sr.ValidatingStreamReader" in default
    assert "com.ctc.wstx.sr.ValidatingStreamReader" not in varied
    assert "com.sun.org.apache.xerces.internal.impl.XMLStreamReaderImpl" in varied


@pytest.mark.parametrize(
    ("factors", "said"),
    [
        ({"heep": "1g"}, "tomcat-metro has no factor 'heep'; did you mean 'heap'?"),
        ({"version": "11"}, "tomcat-metro: factor version may be 11.0.24, 11.0.18, not '11'"),
        ({"jdk": "new"}, "tomcat-metro: factor jdk may be such as 25, not 'new'"),
    ],
)
def test_what_is_no_value_of_a_factor_is_refused(factors: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        provided(factors)
    assert caught.value.message == said


def test_an_unknown_vendor_is_answered_with_those_that_are_here() -> None:
    with pytest.raises(ToolchainError) as caught:
        provided({"jdk_vendor": "acme"})
    assert re.fullmatch(
        r"tomcat-metro needs a JDK 25 of 'acme'; this machine has those of: [a-z0-9, -]+", caught.value.message
    )


def provided(factors: dict[str, str]) -> None:
    spec = SubjectSpec(label="one", parts=[PartSpec(server="tomcat-metro", factors=factors)])
    subject.provide_subject(spec, entries.service("wstest"), PROGRESS)

"""The services on which agents are compared, each started unwatched, with the monitor's agent, or with OpenTelemetry's."""

from __future__ import annotations

import random
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from asking import Asked, flight_requests, judged_cpu_ns
from overhead import java
from steelyard.base import paths
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.catalogue.companions import with_companions
from steelyard.hosts import agent, launch, subject
from steelyard.hosts.cpus import Shares
from steelyard.hosts.fetch import DEPENDENCY_PLUGIN, sha256_of
from steelyard.hosts.keeper import Keeper
from steelyard.measure.load.starting import port_takes_connections
from steelyard.models.study import Observed, PartSpec, SubjectSpec
from steelyard.results.layer_records import read_records, records_of

WAYS = ("none", "agent", "opentelemetry")
HEAP = "256m"
READY_SECONDS = 120.0
END_SECONDS = 30.0
BOOKS = 40  # authors that are asked for, and given books, in turn


@dataclass(frozen=True)
class PinnedJar:
    """An artifact of Maven Central with the SHA-256 of its jar."""

    group: str
    name: str
    version: str
    sha256: str

    def fetched(self, folder: Path) -> Path:
        """The jar in a folder; raises RuntimeError where it is another."""
        words = ["mvn", "-B", "-q", "--strict-checksums", f"{DEPENDENCY_PLUGIN}:copy"]
        words += [f"-Dartifact={self.group}:{self.name}:{self.version}", f"-DoutputDirectory={folder}"]
        subprocess.run(words, check=True)
        jar = folder / f"{self.name}-{self.version}.jar"
        if sha256_of(jar) != self.sha256:
            raise RuntimeError(f"{jar.name} is not the one that was pinned: its SHA-256 is {sha256_of(jar)}")
        return jar


OPENTELEMETRY = PinnedJar(
    "io.opentelemetry.javaagent",
    "opentelemetry-javaagent",
    "2.31.1",
    "bbf83c151b6400709e2f225bdd07a04f839d9d13b8b93464241333fd25d3e3ba",
)


@dataclass(frozen=True)
class Served:
    """A server that runs: where it is asked what, what it used, how it is asked to end, and where its records lie, if any."""

    address: tuple[str, int]
    requests: Sequence[Asked]
    cpu_ns: Callable[[], int]
    end: Callable[[], object]
    records: Path

    def crossings(self) -> float:
        """Mean number of times that a request entered a layer; raises RuntimeError where records are missing."""
        read = read_records(self.records)
        if read.lost or read.violations or not read.whole or not read.requests:
            raise RuntimeError("the agent lost records, or has some in violation, or none")
        return fmean(sum(layer.entries for layer in one.layers.values()) for one in read.requests)


@dataclass(frozen=True)
class Ground:
    """What servers are started on: jars by name, where OpenTelemetry's spans go, the processors, and who shows how far it is."""

    jars: Mapping[str, Path]
    sink_port: int
    shares: Shares
    progress: Progress


class Application(ABC):
    """A service that agents are compared on."""

    title: str

    @abstractmethod
    def place(self, way: str, folder: Path, ground: Ground) -> AbstractContextManager[Served]:
        """It, watched in a way, on a port of its own; what it writes lies in `folder`."""


class Flight(Application):
    """Searches and reservations on Tomcat with Metro and H2, of the domain without a root, in which nothing collides."""

    title = "flight on Tomcat with Metro"

    @contextmanager
    def place(self, way: str, folder: Path, ground: Ground) -> Iterator[Served]:
        service = entries.service("flight")
        factors = {"domain": "plain", "heap": HEAP}
        factors |= {"monitor": "agent"} if way == "agent" else {}
        factors |= {"jvm": " ".join(opentelemetry(ground, "flight"))} if way == "opentelemetry" else {}
        spec = SubjectSpec(label=way, parts=[PartSpec(server="tomcat-metro", factors=factors)])
        ready = subject.provide_subject(with_companions(spec, service), service, ground.progress)
        observed: Sequence[Observed] = ("layers",) if way == "agent" else ()
        draw = random.Random(time.time_ns())
        with launch.running_subject(ready, folder, ground.shares, draw, ground.progress, observed) as running:
            running.pin(ground.shares)
            yield Served(
                (running.host, running.front.port),
                flight_requests("", 0),
                lambda: judged_cpu_ns(running),
                lambda: running.end_judged_processes(END_SECONDS),
                records_of(folder, way, running.front.part.place),
            )


class Books(Application):
    """The example on Spring Boot (monitor/examples): Spring MVC, Spring Data and Hibernate, H2 in its own memory."""

    title = "books on Spring Boot"

    @contextmanager
    def place(self, way: str, folder: Path, ground: Ground) -> Iterator[Served]:
        records = folder / "records"
        options = {
            "none": [],
            "agent": [f"-javaagent:{ground.jars['agent']}=records={records}"],
            "opentelemetry": opentelemetry(ground, "books"),
        }[way]
        (port,) = launch.free_ports(random.Random(time.time_ns()), 1)
        heap = [f"-Xms{HEAP}", f"-Xmx{HEAP}", "-XX:+UseG1GC", f"-XX:ActiveProcessorCount={len(ground.shares.server)}"]
        argv = [java(), *heap, *options, "-jar", str(ground.jars["books"]), f"--server.port={port}"]
        with Keeper(argv, log=folder / "books.log", cwd=folder, cpus=ground.shares.server) as kept:
            _await(kept, port)
            yield Served(
                (paths.HOST, port),
                [one for author in range(BOOKS) for one in _of(f"author-{author}")],
                lambda: sum(process.cpu_ns - process.jit_ns for process in kept.use()),
                lambda: kept.stop(END_SECONDS),
                records,
            )


def _of(author: str) -> list[Asked]:
    """A search of each author's books, five times, and then another book."""
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    return [
        *[Asked("GET", f"/books?author={author}")] * 5,
        Asked("POST", "/books", f"author={author}&title=another".encode(), form),
    ]


def _await(kept: Keeper, port: int) -> None:
    """Raises RuntimeError where it does not come up."""
    deadline = time.monotonic() + READY_SECONDS
    while not port_takes_connections(paths.HOST, port):
        if kept.exit is not None or time.monotonic() > deadline:
            raise RuntimeError(f"books did not come up: {kept.log_tail()}")
        kept.wait(0.1)


APPLICATIONS: Mapping[str, Application] = {"flight": Flight(), "books": Books()}


def opentelemetry(ground: Ground, service: str) -> list[str]:
    """Options of a JVM with OpenTelemetry's agent as it comes, told where spans go; metrics and logs would be further work."""
    said = {
        "service.name": service,
        "exporter.otlp.endpoint": f"http://{paths.HOST}:{ground.sink_port}",
        "metrics.exporter": "none",
        "logs.exporter": "none",
    }
    return [f"-javaagent:{ground.jars['opentelemetry']}", *(f"-Dotel.{key}={value}" for key, value in said.items())]


def agents(folder: Path, progress: Progress) -> dict[str, Path]:
    """The jars that servers are started with: both agents', the other one's in a folder, and the example's own."""
    example = paths.root() / "monitor" / "examples" / "spring-boot"
    subprocess.run(
        ["mvn", "-B", "-q", "--strict-checksums", "-f", str(example / "pom.xml"), "-Dspotless.check.skip", "package"],
        check=True,
    )
    return {
        "agent": agent.provide(progress),
        "opentelemetry": OPENTELEMETRY.fetched(folder),
        "books": example / "target" / "books.jar",
    }

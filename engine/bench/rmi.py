"""The driver of Java RMI beside the engine: what a request costs each, and how exact its times are, under the same closed load."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import engine_run
from exactness import MOST_SAMPLES, quantile
from processes import SERVER_CPU, BenchError, test_server
from quiet import Quiet

DRIVER = Path(__file__).resolve().parent.parent / "rmi"
JDK = 25
CASES = [(0, 1), (0, 8), (2_000, 8)]  # the server's delay in µs, users
WARM_UPS = 3  # slices before the one that is told of: both sides are compiled meanwhile
COLUMNS = [
    "repeat", "delay_us", "users", "driver", "seconds", "requests", "rate_per_s", "user_us_per_request", "system_us_per_request",
    "samples", "difference_p50_us", "difference_p99_us", "difference_min_us", "lateness_p99_us", "valid", "others_cpu",
]  # fmt: skip
STAMP = re.compile(rb'"writeNs":(\d+)')


@dataclass(frozen=True)
class Asked:
    """The load of a driver: the server's delay, users, and the length of each slice."""

    delay_us: int
    users: int
    seconds: int

    def slices(self) -> list[dict[str, Any]]:
        return [engine_run.closed_slice(number, self.users, self.seconds) for number in range(WARM_UPS + 1)]


def measure(engine: str, server: str, quiet: Quiet, repeats: int, seconds: int) -> Iterator[dict[str, object]]:
    """One row a repeat, case and driver."""
    java = java_of(JDK)
    if java is None:
        print(f"  the RMI driver is left out: no JDK {JDK} is here", file=sys.stderr)
        return
    build(java)
    for repeat in range(repeats):
        for delay, users in CASES:
            asked = Asked(delay, users, seconds)
            by_driver = {
                "steelyard-engine": partial(by_http, engine, server, asked),
                "steelyard-rmi": partial(by_rmi, java, asked),
            }
            for name, once in by_driver.items():
                (row,) = quiet.measure(lambda: [once()])  # noqa: B023
                yield {"repeat": repeat, "delay_us": delay, "users": users, "driver": name, "seconds": seconds, **row}


def java_of(major: int) -> Path | None:
    """The home of a JDK of that major version: the one that JAVA_HOME names, or one in the usual place."""
    named = [os.environ.get(f"STEELYARD_JDK_{major}", ""), os.environ.get("JAVA_HOME", "")]
    for home in (*(Path(name) for name in named if name), *sorted(Path("/usr/lib/jvm").glob("*"))):
        release = home / "release"
        if release.is_file() and f'JAVA_VERSION="{major}' in release.read_text(errors="replace"):
            return home
    return None


def build(java: Path) -> None:
    argv = [
        "mvn",
        "--quiet",
        "--batch-mode",
        "-DskipTests",
        "-Dspotless.check.skip",
        "--file",
        str(DRIVER / "pom.xml"),
        "package",
    ]
    built = subprocess.run(
        argv, env={**os.environ, "JAVA_HOME": str(java)}, capture_output=True, text=True, check=False
    )
    if built.returncode != 0:
        raise BenchError(f"the RMI driver cannot be built: {built.stdout[-300:]}")


def by_http(engine: str, program: str, asked: Asked) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as name:
        folder = Path(name)
        with test_server(program, "delay", "--microseconds", str(asked.delay_us)) as server:
            engine_run.run(engine, folder, server.url, asked.slices(), samples=MOST_SAMPLES, one_in=10)
        stamps = [
            (it.due_ns, it.last_byte_ns, it.write_ns or 0)
            for it in engine_run.exchanges(folder)
            if it.slice == WARM_UPS
        ]
        return told(folder, stamps, asked.seconds)


def by_rmi(java: Path, asked: Asked) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as name:
        folder = Path(name)
        corpus = folder / "corpus"
        corpus.mkdir()
        (corpus / "corpus.bin").write_bytes(b"{}")
        (corpus / "corpus.csv").write_text("entry,operation,offset,length,rule,safe\n0,echo,0,2,right,1\n")
        classes = DRIVER / "target" / "test-classes"
        jar = folder / "contract.jar"
        subprocess.run(
            [str(java / "bin" / "jar"), "cf", str(jar), "-C", str(classes), "steelyard/rmi/stamped"], check=True
        )
        argv = [
            str(java / "bin" / "java"),
            "-Xmx256m",
            "-cp",
            str(classes),
            "steelyard.rmi.stamped.Server",
            str(asked.delay_us),
        ]
        server = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, {SERVER_CPU}),
        )
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline() or 0)
            engine_run.drive(driver(java), folder, job(port, jar, asked))
        finally:
            server.kill()
            server.wait()
        return told(folder, list(stamps_of(folder)), asked.seconds)


def driver(java: Path) -> list[str]:
    """As the lab runs it."""
    options = ["-XX:+UseSerialGC", "-Xms512m", "-Xmx512m"]
    return [str(java / "bin" / "java"), *options, "-jar", str(DRIVER / "target" / "steelyard-rmi.jar")]


def job(port: int, jar: Path, asked: Asked) -> dict[str, Any]:
    calls = {"interface": "steelyard.rmi.stamped.Stamped", "classes": [str(jar)]}
    return {
        "seed": 1,
        "corpus": "corpus",
        "rules": {"right": {"contains": "right"}},
        "targets": [{"subject": "server", "host": "127.0.0.1", "port": port, "path": "/Stamped/stamp", "rmi": calls}],
        "slices": asked.slices(),
        "samples": {"one_in": 10, "most_right": MOST_SAMPLES, "most_failed": 100},
    }


def stamps_of(folder: Path) -> Iterator[tuple[int, int, int]]:
    """Of each sampled right answer of the last slice when it was due, when it came, and when the server says that it answered."""
    samples = folder / "out" / "samples"
    with (samples / "index.csv").open(newline="") as file:
        for each in csv.DictReader(file):
            stamp = STAMP.search((samples / f"{each['sample']}.answer").read_bytes())
            if each["outcome"] == "right" and int(each["slice"]) == WARM_UPS and stamp is not None:
                yield int(each["due_ns"]), int(each["last_byte_ns"]), int(stamp[1])


def told(folder: Path, stamps: list[tuple[int, int, int]], seconds: int) -> dict[str, object]:
    """The last slice: what it cost the driver, and recorded response time minus (write - due)."""
    last = engine_run.slice_rows(folder)[-1]
    requests = int(last["completed"])
    if not stamps or not requests:
        raise BenchError("a driver measured nothing")
    differences = [(came - write) / 1e3 for _, came, write in stamps]
    return {
        "requests": requests,
        "rate_per_s": round(requests / seconds, 1),
        "user_us_per_request": round(int(last["engine_user_ns"]) / 1e3 / requests, 3),
        "system_us_per_request": round(int(last["engine_system_ns"]) / 1e3 / requests, 3),
        "samples": len(stamps),
        "difference_p50_us": round(median(differences), 2),
        "difference_p99_us": round(quantile(differences, 0.99), 2),
        "difference_min_us": round(min(differences), 2),
        "lateness_p99_us": round(int(last["lateness_p99_ns"]) / 1e3, 2),
        "valid": last["valid"],
    }

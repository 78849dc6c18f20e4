"""Imports: descriptions and other tools' files that are damaged, and servers of descriptions that are silent, while the import
is stopped.

A service's folder appears whole or not at all, and what is imported can be read again. What a killed import left, the next one
removes.
"""

from __future__ import annotations

import random
import shutil
import signal
import socket
import time
import tomllib
from itertools import product
from pathlib import Path

from .. import oracle
from ..ground import HERE, Ground
from ..oracle import Verdict
from .disk import DAMAGES, damage, full_disk

SHARE = 40
SAMPLES = HERE.parent.parent / "lab" / "tests"
FORMATS = {
    "WSDL": "wsdl/types.wsdl",
    "OpenAPI": "openapi/modern.json",
    "OpenAPI in YAML": "openapi/shop.yaml",
    "Swagger": "openapi/old-shop.yaml",
    "HAR": "foreign/shop.har",
    "JMeter": "foreign/plan.jmx",
    "Postman": "foreign/shop.postman.json",
    "SoapUI": "foreign/soapui-project.xml",
    "curl": "foreign/commands.txt",
}
SCATTERED = "scattered"  # some bytes are others
STOPS = {"killed": signal.SIGKILL, "interrupted": signal.SIGINT, "terminated": signal.SIGTERM}
# What the server of a description sends before it is silent.
SILENCES = {
    "says nothing": b"",
    "sends half a head": b"HTTP/1.1 200 OK\r\nCont",
    "sends half a document": b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n<definitions xmlns=",
}
PLACES = ("is a file", "is not empty", "is below a file", "is full at 4 KiB", "is read-only")
VARIANTS = (
    *(f"{name}, {kind}" for name, kind in product(FORMATS, ("whole", *DAMAGES, SCATTERED))),
    *(f"a server that {silence}, and the lab is {stop}" for silence, stop in product(SILENCES, STOPS)),
    *(f"{name}, and the folder {place}" for name, place in product(("WSDL", "HAR"), PLACES)),
    *(f"{name}, and the lab is {stop} while it imports" for name, stop in product(FORMATS, STOPS)),
)
MOST_SECONDS = 1.5
MOST_WAITING_SECONDS = 60.0  # for the request


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Import what the variant says, and look at the folder that should be made."""
    made = ground.folder / "made"
    made.mkdir()
    stop = next((STOPS[name] for name in STOPS if f"the lab is {name}" in variant), None)
    if variant.startswith("a server"):
        assert stop is not None
        return _from_a_silent_server(variant, stop, draw, ground)
    name, _, what = variant.partition(", ")
    file = Path(shutil.copy(SAMPLES / FORMATS[name], ground.user))
    if what in DAMAGES:
        damage(file, what)
    elif what == SCATTERED:
        _scatter(file, draw)
    elif what.startswith("and the folder"):
        return _into(what.removeprefix("and the folder "), file, ground)
    ground.protect()
    lab = ground.start("import", f"../user/{file.name}", "--out", str(made / "service"))
    sent = []
    if stop is not None:
        time.sleep(draw.uniform(0.3, MOST_SECONDS))  # before that, Python itself starts
        sent = [int(stop)] if lab.send(stop) else []
    ended = lab.end()
    return _verdict(ground, ended, sent)


def _from_a_silent_server(variant: str, stop: signal.Signals, draw: random.Random, ground: Ground) -> Verdict:
    ground.protect()
    begins = next(begins for name, begins in SILENCES.items() if name in variant)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(MOST_WAITING_SECONDS)
        place = f"http://127.0.0.1:{listener.getsockname()[1]}/shop?wsdl"
        lab = ground.start("import", place, "--out", str(ground.folder / "made" / "service"))
        connection, _ = listener.accept()
        with connection:  # it stays open: a process that waits for the rest is left running
            connection.sendall(begins)
            time.sleep(draw.uniform(0, MOST_SECONDS))
            sent = [int(stop)] if lab.send(stop) else []
            return _verdict(ground, lab.end(), sent)


def _into(place: str, file: Path, ground: Ground) -> Verdict:
    made = ground.folder / "made"
    out = made / "service"
    if place == "is a file":
        out.touch()
    elif place == "is not empty":
        out.mkdir()
        (out / "mine.txt").write_text("a file of the user's\n")
    elif place == "is below a file":
        (made / "file").touch()
        out = made / "file" / "service"
    elif place == "is read-only":
        ground.become()
        made.chmod(0o555)
    ground.protect(made)
    words = ["import", str(file), "--out", str(out)]
    if place.startswith("is full"):
        with full_disk(made, 4):
            ended = ground.run(*words)
            return oracle.verdict(ended, [*ground.wrong(ended), *_went_well(ended, place)])
    ended = ground.run(*words)
    wrong = ground.wrong(ended)
    made.chmod(0o755)
    return oracle.verdict(ended, [*wrong, *_went_well(ended, place)])


def _went_well(ended: oracle.Ended, place: str) -> list[str]:
    return [f"it ended well, although the folder {place}"] if ended.code == 0 else []


def _verdict(ground: Ground, ended: oracle.Ended, sent: list[int]) -> Verdict:
    """The outcome: the folder is there and whole after exit code 0, and nothing is there after any other; an interrupt may have
    come when it was whole."""
    killed = signal.SIGKILL in sent
    wrong = ground.wrong(ended, sent, killed=killed)
    made = ground.folder / "made"
    left = sorted(path.name for path in made.iterdir())
    if ended.code == 0 or (ended.code == 130 and left == ["service"]):
        wrong += [] if left == ["service"] else [f"it made {left}"]
        wrong += _unreadable(made / "service") if (made / "service").is_dir() else []
    elif killed:
        wrong += _left_after_the_next(ground, made)
    else:
        wrong += [f"it failed, and left {name}" for name in left]
    return oracle.verdict(ended, wrong)


def _left_after_the_next(ground: Ground, made: Path) -> list[str]:
    """What of a killed import is there after the next import into the same folder; it may have been whole before it was killed."""
    ended = ground.run("import", str(SAMPLES / FORMATS["WSDL"]), "--out", str(made / "next"))
    if ended.code != 0:
        return [f"the next import failed: {ended.last_line}"]
    left = sorted(path.name for path in made.iterdir() if path.name != "next")
    whole = left == ["service"] and not _unreadable(made / "service")
    return [] if whole else [f"the next import left {name}" for name in left]


def _unreadable(service: Path) -> list[str]:
    """What of an imported folder cannot be read: its file, or a sample that the file names."""
    try:
        described = tomllib.loads((service / "service.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return [f"service.toml cannot be read: {error}"]
    samples = [operation.get("sample") for operation in described.get("operations", {}).values()]
    return [f"the sample {sample} is missing" for sample in samples if sample and not (service / sample).is_file()]


def _scatter(file: Path, draw: random.Random) -> None:
    """Replace some bytes of a file by others."""
    content = bytearray(file.read_bytes())
    for _ in range(draw.randint(1, 6)):
        content[draw.randrange(len(content))] = draw.randrange(256)
    file.write_bytes(content)

"""Readers of files from outside survive mutations of good ones: each is read, or refused in a sentence, within bounded time.

`make fuzz` gives each reader FUZZ_SECONDS. An input that breaks one is kept in `fuzz/READER`, and replayed ever after.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from result_files import WRITERS, requests
from steelyard.analyse.analysis import full_analysis
from steelyard.base.errors import SteelyardError
from steelyard.base.paths import root
from steelyard.catalogue import entries
from steelyard.judging.judged import judged_file
from steelyard.models.service import Expect
from steelyard.workload.importing.convert import convert_description
from steelyard.workload.load_target import of_service
from synthetic import Planted, write_run

HERE = Path(__file__).parent
KEPT = HERE / "fuzz"
SECONDS = os.environ.get("STEELYARD_FUZZ_SECONDS", "")
USUAL_SECONDS = 0.4  # for each reader, where nothing else is asked for
MOST_SECONDS = 30.0  # for one input
MOST_CHANGES = 6
TOKENS = (
    *(
        b"\r\n",
        b"\n",
        b"0",
        b"-1",
        b"1e400",
        b"NaN",
        b"18446744073709551616",
        b"null",
        b"true",
        b'""',
        b"\x00",
        b"\xff\xfe",
    ),
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"'",
        b'"',
        b"\\",
        b"&amp;",
        b"&x;",
        b"<a>",
        b"</a>",
        b"<!--",
        b"<![CDATA[",
        b"${x}",
    ),
    *(
        b"{{x}}",
        b"$ref",
        b"#/",
        b"../",
        b"http://",
        b"://",
        b"%00",
        b"xs:anyType",
        b'maxOccurs="unbounded"',
        b"  - ",
        b"&a *a",
    ),
)


@dataclass(frozen=True)
class Reader:
    """A reader, with good inputs by their file names. `read` gets the path of a file."""

    inputs: Callable[[], dict[str, bytes]]
    read: Callable[[Path], object]


def files(*names: str) -> Callable[[], dict[str, bytes]]:
    """The content of files of the tests, by their names."""
    return lambda: {Path(name).name: (HERE / name).read_bytes() for name in names}


def written() -> dict[str, bytes]:
    """Results of requests as other load tools write them."""
    return {write.__name__: write(requests(2, 5)).encode() for write in WRITERS}


def read_import(path: Path) -> None:
    """Import a file; the folder must be one that a load can read, and a refused one must leave nothing."""
    made = path.parent / "mine"
    try:
        convert_description(str(path), made, ())
    except SteelyardError:
        assert not made.exists(), "it was refused, and a folder was made"
        raise
    entries.service_at(str(made))


def read_service(path: Path) -> None:
    """Read a service folder of a user's own, with sessions."""
    shutil.copy(root() / "docs" / "guides" / "sessions" / "users.csv", path.parent)
    of_service(entries.service_at(str(path.parent)), 1, Expect())


@cache
def stored() -> dict[str, bytes]:
    """The files of a small stored run by their paths, `/` as `+`."""
    with TemporaryDirectory() as folder:
        run = write_run(Path(folder) / "run", Planted(forks=2, pairs=3))
        found = (path for path in sorted(run.rglob("*")) if path.is_file())
        return {str(path.relative_to(run)).replace("/", "+"): path.read_bytes() for path in found}


def read_stored(path: Path) -> None:
    """Analyse the stored run with one file replaced."""
    run = path.parent / "run"
    for name, content in stored().items():
        place = run / name.replace("+", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes() if name == path.name else content)
    full_analysis(run)


READERS = {
    "wsdl": Reader(
        files(*(f"wsdl/{name}.wsdl" for name in ("types", "rpc-encoded", "unmet", "attachments"))), read_import
    ),
    "openapi": Reader(files("openapi/modern.json", "openapi/shop.yaml", "openapi/old-shop.yaml"), read_import),
    "har": Reader(files("foreign/shop.har"), read_import),
    "jmeter": Reader(files("foreign/plan.jmx"), read_import),
    "postman": Reader(files("foreign/shop.postman.json"), read_import),
    "soapui": Reader(files("foreign/soapui-project.xml"), read_import),
    "curl": Reader(files("foreign/commands.txt"), read_import),
    "siege": Reader(files("foreign/siege-urls.txt"), read_import),
    "http": Reader(lambda: {"plain.http": (KEPT / "http" / "plain").read_bytes()}, read_import),
    "fetch": Reader(lambda: {"plain.js": (KEPT / "fetch" / "plain").read_bytes()}, read_import),
    "graphql": Reader(lambda: {"plain.graphql": (KEPT / "graphql" / "plain").read_bytes()}, read_import),
    "proto": Reader(lambda: {"plain.proto": (KEPT / "proto" / "plain").read_bytes()}, read_import),
    "results": Reader(written, judged_file),
    "totals": Reader(
        files(*(f"judged_totals/{path.name}" for path in sorted((HERE / "judged_totals").iterdir()))), judged_file
    ),
    "service": Reader(
        lambda: {"service.toml": (root() / "docs/guides/sessions/service.toml").read_bytes()}, read_service
    ),
    "stored": Reader(stored, read_stored),
}


def mutation(kept: Sequence[bytes], draw: random.Random) -> bytes:
    """One of the inputs, with a few changes."""
    changed = bytearray(draw.choice(kept))
    for _ in range(draw.randint(1, MOST_CHANGES)):
        at = draw.randint(0, len(changed))
        end = min(at + draw.randint(0, 16), len(changed))
        what = draw.randrange(6)
        if what == 0:
            del changed[at:end]
        elif what == 1:
            changed[at:at] = draw.choice(TOKENS)
        elif what == 2:
            changed[at:end] = draw.randbytes(end - at)
        elif what == 3:
            changed[at:at] = changed[at:end] * draw.choice((1, 1, 1, 200))
        elif what == 4:
            other = draw.choice(kept)
            changed[at:] = other[draw.randint(0, len(other)) :]
        elif at < len(changed):
            changed[at] ^= 1 << draw.randrange(8)
    return bytes(changed)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises TimeoutError in the body after so many seconds."""

    def end(_number: int, _frame: object) -> None:
        raise TimeoutError(f"it was not read within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def fault_of(reader: Reader, name: str, content: bytes) -> str:
    """What is wrong with how a reader takes an input; empty where it was read, or refused in a sentence."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            with limited(MOST_SECONDS):
                reader.read(path)
        except SteelyardError as error:
            words = error.message.strip()
            return "" if words and "Traceback" not in words else f"its message is {words!r}"
        except (Exception, RecursionError) as error:
            return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize("name", READERS)
def test_a_reader_takes_any_input_or_refuses_it_in_a_sentence(name: str) -> None:
    reader, folder = READERS[name], KEPT / name
    inputs = reader.inputs()
    for kept in sorted(folder.glob("broke-*")):
        known = kept.name.partition(".")[2]
        assert fault_of(reader, known, kept.read_bytes()) == "", kept
    draw = random.Random(None if SECONDS else 1)
    end = time.monotonic() + float(SECONDS or USUAL_SECONDS)
    while time.monotonic() < end:
        file = draw.choice(sorted(inputs))
        others = [content for other, content in inputs.items() if Path(other).suffix == Path(file).suffix]
        content = mutation([inputs[file], *others] if draw.random() < 0.3 else [inputs[file]], draw)
        fault = fault_of(reader, file, content)
        if fault and SECONDS:
            folder.mkdir(exist_ok=True)
            (folder / f"broke-{sha256(content).hexdigest()[:16]}.{file}").write_bytes(content)
        assert fault == "", (file, content)


@pytest.mark.parametrize(
    ("read", "fault"),
    [
        (lambda path: path.read_bytes(), ""),
        (lambda _: {}["unforeseen"], "KeyError: 'unforeseen'"),
        (lambda _: time.sleep(5), "TimeoutError: it was not read within 0.05 s"),
    ],
)
def test_an_input_that_breaks_a_reader_is_named(
    read: Callable[[Path], object], fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("test_fuzzed_readers.MOST_SECONDS", 0.05)
    assert fault_of(Reader(dict, read), "any", b"") == fault

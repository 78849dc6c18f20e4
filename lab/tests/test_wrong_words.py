"""A walk through the command line with wrong words: each row of wrong_words.txt is answered by a sentence and a next step.

Nothing is started, asked of a network, written or measured on the way: what can be known is checked first.
"""

from __future__ import annotations

import re
import shlex
import shutil
import socket
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest
from command import steelyard
from steelyard.base.errors import EXIT_CODES

HERE = Path(__file__).parent
DEMO = HERE.parents[1] / "docs" / "results" / "demo"
CODES = {int(code) for code in re.findall(r"\d+", EXIT_CODES)}
LOOPBACK = {"127.0.0.1", "::1", "localhost"}
SECRET = "hunter2"  # as somebody writes down what should not be
LONGEST = 700  # characters of a complaint with its hint
# Words of libraries, which mean nothing to who typed the line.
FOREIGN = re.compile(
    r"Traceback|defect of Steelyard|pydantic|validation error|Input should|\[type=|Errno|<class|object at 0x"
)


@dataclass(frozen=True)
class Row:
    """What is typed after `steelyard`, how it must end, and what the complaint must hold."""

    code: int
    words: str
    said: str


def rows() -> list[Row]:
    lines = (HERE / "wrong_words.txt").read_text(encoding="utf-8").splitlines()
    parted = [line.split(" | ") for line in lines if line.strip() and not line.startswith("#")]
    return [Row(int(code), words.strip(), said.strip()) for code, words, said in parted]


ROWS = rows()


READER = "steelyard.workload.importing.bounded"  # the one program that may be started: it reads what may be hostile, within bounds
popen = subprocess.Popen.__init__


def started(self: subprocess.Popen[str], command: list[str], *words: object, **named: object) -> None:
    assert command[-1] == READER, f"{command} was started"
    popen(self, command, *words, **named)  # type: ignore[arg-type]


def refused(*_: object) -> NoReturn:
    raise AssertionError("something listens")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the rows name, none of which is what it should be but `kept`, `shop.wsdl` and `good.*`."""
    folder = tmp_path_factory.mktemp("walk")
    (folder / "folder").mkdir()
    (folder / "folder.toml").mkdir()
    (folder / "folder" / "thing").write_text("1")
    texts = {
        "file": "x\n",
        "empty": "",
        "empty.toml": "",
        "cut.toml": 'name = "x',
        "bad.ini": "Agents 3\n",
        "twice.ini": "Agents = 3\nAgents = 4\n",
        "bad.json": "{",
        "empty.har": '{"log": {"entries": []}}',
        "swagger.json": '{"swagger": "2.0"}',
        "good.jtl": "timeStamp,elapsed,label,responseCode,success\n1700000000000,5,a,200,true\n",
        "two-days.jtl": "timeStamp,elapsed,success\n1700000000000,5,true\n1700086400000,5,true\n",
        "no-success.jtl": "timeStamp,elapsed,label\n1700000000000,5,a\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "binary.toml").write_bytes(bytes(range(256)))
    shutil.copyfile(HERE / "wsdl" / "ports.wsdl", folder / "shop.wsdl")
    with zipfile.ZipFile(folder / "good.war", "w") as archive:
        archive.writestr("WEB-INF/classes/shop/Orders.class", b"")
    for name, schedule in (("kept", None), ("cut-run", '{"study":'), ("odd-run", '{"study": 3}')):
        shutil.copytree(DEMO, folder / name)
        if schedule is not None:
            (folder / name / "schedule.json").write_text(schedule)
    return folder


@pytest.fixture(scope="module")
def before(place: Path) -> set[Path]:
    """What is in the folder before anything is said."""
    return contents(place)


def contents(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.name not in ("lock", "state")}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.words)
def test_wrong_words_are_answered_by_a_sentence_and_nothing_is_begun(
    place: Path, before: set[Path], row: Row, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = socket.socket.connect

    def at_home(self: socket.socket, address: tuple[str, int]) -> None:
        assert address[0] in LOOPBACK, f"{address} was asked"
        connect(self, address)

    monkeypatch.setattr(subprocess.Popen, "__init__", started)
    monkeypatch.setattr(socket.socket, "listen", refused)
    monkeypatch.setattr(socket.socket, "connect", at_home)
    ran = steelyard(*shlex.split(row.words), folder=place, environment={"STEELYARD_CACHE": str(place.parent / "cache")})
    assert (ran.code, row.said in ran.err) == (row.code, True), (ran.code, ran.err)
    assert ran.out == "" and not FOREIGN.search(ran.err), ran.err
    assert SECRET not in ran.err, "what may be a secret is repeated"
    complaint, *more = ran.err.strip().splitlines()
    assert complaint.startswith("error: ") and len(ran.err) < LONGEST, ran.err
    assert all(line.startswith("hint: ") for line in more) and len(more) <= 1, ran.err
    assert contents(place) == before
    assert not (place.parent / "cache").exists(), "something was fetched or built"


def test_the_walk_goes_over_every_verb_and_ends_in_documented_codes(tmp_path: Path) -> None:
    said = steelyard("--help", folder=tmp_path).out
    verbs = set(re.findall(r"^  ([a-z][a-z-]+)  ", said.partition("Commands:")[2], re.MULTILINE))
    assert len(verbs) > 20 and verbs - {row.words.split()[0] for row in ROWS} == set()
    assert {row.code for row in ROWS} <= CODES - {0}
    assert len(ROWS) >= 150 and len({row.words for row in ROWS}) == len(ROWS)

"""The start and end of a trial: each process in its role, companions in a verified state, the load reconciled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from played import PLAIN, Run, records, study
from steelyard.base.csvfiles import read_table
from steelyard.hosts import cpus
from steelyard.plan.kinds.block import Block

RECONCILED = """
[[reconciliations]]
name = "rows"
command = {command}
expect = "{expect}"
"""


def kept_study(
    folder: Path, *, forks: int = 1, first: str = "", second: str = "", command: str, expect: str = ""
) -> str:
    """The study's file; `first` and `second` are further keys of the two subjects' companions."""
    a, b = (f'{PLAIN}, companions = [{{ server = "ledger"{keys} }}]' for keys in (first, second))
    return study(folder, forks=forks, a=a, b=b, more=RECONCILED.format(command=command, expect=expect))


REQUESTS = '["python3", "{server.database}/count.py", "{host}", "{port.server}"]'


def failures(folder: Path) -> list[tuple[str, str]]:
    return [(one["failure"]["kind"], one["failure"]["message"]) for one in records(folder) if one["failure"]]


def test_each_process_has_its_role_its_processors_and_its_proof_and_the_load_is_reconciled(
    run: Run, tmp_path: Path
) -> None:
    ran = run("run", kept_study(tmp_path, forks=2, command=REQUESTS, expect="{requests}"))
    found, shares = records(tmp_path), cpus.share(companions=True)
    assert [one["failure"] for one in found] == [None, None], ran.err
    for record in found:
        for subject in record["subjects"]:
            database, server = subject["processes"]
            assert (database["role"], database["server"], database["judged"]) == ("database", "ledger", False)
            assert (server["role"], server["server"], server["judged"]) == ("server", "plain", True)
            assert database["state"].startswith("2 rows, ") and server["state"] == ""
            assert (server["processors"], database["processors"]) == (shares.server, shares.of(None))
        assert {one["subject"] for one in record["reconciled"]} == {"a", "b"}
        assert all(one["name"] == "rows" and int(one["found"]) > 0 for one in record["reconciled"])
    for path in tmp_path.glob("runs/*/trials/*/observations.csv"):
        seen = {(row.text("part"), row.whole("judged")) for row in read_table(path, ("part", "judged"))}
        assert seen == {("database", 0), ("server", 1)}
    assert len(list(tmp_path.glob("runs/*/trials/01/?.database.log"))) == 2


def test_a_companion_that_begins_otherwise_than_before_ends_the_trial(run: Run, tmp_path: Path) -> None:
    run("run", kept_study(tmp_path, second=', factors = { mode = "grows" }', command=REQUESTS, expect="{requests}"))
    kind, message = failures(tmp_path)[0]
    assert kind == "state"
    assert "the starting state of b's database is '1 rows, " in message and "but was '2 rows, " in message


BLOCKS = """
restore = "test"
[[tests]]
name = "cold"
cold = true
title = "Before any load"
source = "a test"
operation = "echoStruct"
profile = {{ kind = "big-bang", users = 2, seconds = 5 }}
[[tests]]
name = "warm"
title = "After the warm-up"
source = "a test"
operation = "echoStruct"
profile = {{ kind = "big-bang", users = 2, seconds = 5 }}
"""


def before_each_test(folder: Path, **words: str) -> str:
    """The study, of two tests, with what is to be restored before each of them."""
    name = kept_study(folder, command=REQUESTS, expect="{requests}", **words)
    (folder / name).write_text((folder / name).read_text().replace("[[reconc", BLOCKS.format() + "[[reconc"))
    return name


def test_companions_are_brought_back_before_each_test_and_one_that_is_cold_is_measured_first(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Block, "rest_seconds", 0.0)
    ran = run("run", before_each_test(tmp_path))
    assert records(tmp_path), ran.err
    (record,) = records(tmp_path)
    assert record["failure"] is None, ran.err
    measured = [one for one in record["slices"] if one["phase"] == "measure"]
    assert sorted((one["cell"], one["subject"]) for one in measured) == [(c, s) for c in ("cold", "warm") for s in "ab"]
    order = [one["cell"] if one["phase"] == "measure" else "load" for one in record["slices"]]
    assert order[:2] == ["cold", "cold"] and order[-2:] == ["warm", "warm"] and "load" in order[2:-2]
    states = {one["role"]: one["state"] for subject in record["subjects"] for one in subject["processes"]}
    assert [one["slice"] for one in record["restored"]] == [one["number"] for one in measured]
    assert {(one["role"], one["state"]) for one in record["restored"]} == {("database", states["database"])}
    (log,) = tmp_path.glob("runs/*/trials/01/a.database.state.log")
    assert re.findall(r"restored for time (\d)", log.read_text()) == ["0", "1", "2"]


def test_faces_of_the_same_processes_restore_them_one_after_the_other(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is restored knows for which time, so that no two states have the same ids."""
    monkeypatch.setattr(Block, "rest_seconds", 0.0)
    name = before_each_test(tmp_path)
    lines = (tmp_path / name).read_text().splitlines()
    face = '  { label = "b", same_as = "a" },'
    (tmp_path / name).write_text("\n".join(face if line.startswith('  { label = "b"') else line for line in lines))
    ran = run("run", name)
    logs = list(tmp_path.glob("runs/*/trials/01/a.database.state.log"))
    assert logs, ran.err
    assert re.findall(r"restored for time (\d)", logs[0].read_text()) == ["0", "1", "2", "3", "4"]


def test_a_companion_that_is_not_what_it_was_before_a_test_ends_the_trial(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Block, "rest_seconds", 0.0)
    words = ("--only", "a")
    run("run", before_each_test(tmp_path, first=', factors = { mode = "grows" }'), *words)
    kind, message = failures(tmp_path)[0]
    assert kind == "state" and message.startswith("before cold the state of its database is '1 rows, "), message


def test_a_companion_that_cannot_be_restored_is_named_with_its_log(run: Run, tmp_path: Path) -> None:
    run(
        "run",
        kept_study(tmp_path, first=', factors = { mode = "unrestorable" }', command=REQUESTS, expect="{requests}"),
    )
    kind, message = failures(tmp_path)[0]
    assert kind == "not-ready"
    assert "ledger could not be restored to its starting state" in message and "there is no room for rows" in message


def test_a_server_that_says_that_it_will_never_be_ready_is_not_waited_for(run: Run, tmp_path: Path) -> None:
    name = kept_study(tmp_path, command=REQUESTS, expect="{requests}")
    (tmp_path / name).write_text((tmp_path / name).read_text().replace("plain", "sulks"))
    ran = run("run", name)
    assert failures(tmp_path)[0] == ("not-ready", "sulks will not be ready: its broker found no room for its messages")
    assert ran.code == 1 and "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("command", "expect", "message"),
    [
        ('["echo", "4711"]', "{requests}", "a is not reconciled with its load: rows is '4711', and should be '"),
        ('["false"]', "{requests}", "a cannot be reconciled with its load (rows): 'false' failed"),
    ],
)
def test_a_trial_that_cannot_be_reconciled_is_void_with_the_reason(
    run: Run, tmp_path: Path, command: str, expect: str, message: str
) -> None:
    ran = run("run", kept_study(tmp_path, command=command, expect=expect))
    kind, said = failures(tmp_path)[0]
    assert kind == "reconciliation" and said.startswith(message), said
    assert ran.code == 1 and "No verdict" in ran.err + ran.out


def test_a_role_that_a_reconciliation_asks_and_the_subject_has_not_is_named_before_anything_runs(
    run: Run, tmp_path: Path
) -> None:
    ran = run("run", kept_study(tmp_path, command='["echo", "{port.mail}"]'))
    assert ran.code != 0 and "a has no mail, which the reconciliation rows of wstest needs" in ran.err
    assert records(tmp_path) == []


def test_a_reconciliation_that_counts_requests_needs_a_service_with_a_counter(run: Run, tmp_path: Path) -> None:
    name = kept_study(tmp_path, command='["true"]', expect="{requests} rows")
    text = (tmp_path / name).read_text().replace("wstest", "prices").replace("plain", "prices")
    (tmp_path / name).write_text(text.replace("echoStruct", "quote"))
    ran = run("run", name)
    assert ran.code != 0 and "rows expects a count of requests, but prices has no counter" in ran.err
    assert records(tmp_path) == []


def test_two_processes_in_one_role_are_named(run: Run, tmp_path: Path) -> None:
    ran = run("run", kept_study(tmp_path, second=', role = "server"', command='["true"]'))
    assert ran.code != 0 and "b has 2 processes in the role of server" in ran.err
    assert records(tmp_path) == []


def test_a_companion_on_processors_of_its_own_where_there_are_none_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {0})
    run("run", kept_study(tmp_path, first=', processors = "own"', command='["true"]'))
    kind, message = failures(tmp_path)[0]
    assert kind == "not-ready" and "its own processors" in message

"""Impossible arguments, files and machines: each error names the problem and the next step, and nothing is started."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command import Ran, steelyard
from steelyard.catalogue import entries

ROOT = Path(__file__).parents[2]
HOUSE = ROOT / "tests" / "house"
DOCUMENTS = [
    *(
        "README.md",
        "METHODOLOGY.md",
        "CONTRIBUTING.md",
        "ARCHITECTURE.md",
        "docs/studies.md",
        "docs/reference/what-works.md",
    ),
    *sorted(f"docs/guides/{page.name}" for page in (ROOT / "docs" / "guides").glob("*.md")),
    *sorted(f"docs/method/{page.name}" for page in (ROOT / "docs" / "method").glob("*.md")),
]
COMMAND = re.compile(r"(?:uv run |`)steelyard ((?:[a-z]|--)[^`\n|#]*)")
STUDY = """
name = "small"
title = "A test's own study"
question = "Does it do what it says?"
service = "wstest"
reference = "a"
operations = ["echoStruct"]
primary = "echoStruct"
forks = 2
subjects = [{ label = "a", parts = [{ server = "odd" }] }]
"""


def commands() -> list[str]:
    found = {match.strip().rstrip(".;,") for name in DOCUMENTS for match in COMMAND.findall((ROOT / name).read_text())}
    return sorted(found)


@pytest.mark.parametrize("command", commands())
def test_a_documented_command_and_its_flags_exist(tmp_path: Path, command: str) -> None:
    words = command.split()
    names = [word for word in words[:2] if re.fullmatch(r"[a-z]+", word) and words[0] in ("servers", word)]
    verb = names[:2] if words[0] == "servers" and names[1:] == ["check"] else names[:1]
    ran = steelyard(*verb, "--help", folder=tmp_path)
    assert ran.code == 0, ran.err
    for flag in (word for word in words if word.startswith("--")):
        assert flag.split("=")[0] in ran.out, f"{command}: {flag} is not an option"


def test_the_documents_show_commands_at_all() -> None:
    assert len(commands()) >= 8


def test_a_folder_of_the_users_own_that_is_not_there_is_named(tmp_path: Path) -> None:
    ran = steelyard("studies", folder=tmp_path, environment={"STEELYARD_PATH": str(tmp_path / "gone")})
    assert ran.code == 64
    assert "STEELYARD_PATH" in ran.err and "gone" in ran.err


def test_no_words_at_all_show_what_can_be_said(tmp_path: Path) -> None:
    ran = steelyard(folder=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert "demo" in ran.out and "Exit codes" in ran.out


def run_study(folder: Path, text: str, *words: str) -> Ran:
    (folder / "small.toml").write_text(text)
    return steelyard("run", "small.toml", *words, folder=folder, environment={"STEELYARD_PATH": str(HOUSE)})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("forkz = 3", "unknown key 'forkz'; did you mean 'forks'?"),
        ("forks = ", "not valid TOML"),
        ("forks = 0", "key 'forks'"),
    ],
)
def test_a_broken_study_file_is_named_with_the_key(tmp_path: Path, line: str, said: str) -> None:
    ran = run_study(tmp_path, STUDY.replace("forks = 2", line))
    assert (ran.code, said in ran.err) == (64, True), ran.err


def test_an_unwritable_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = run_study(tmp_path, STUDY, "--out", str(tmp_path / "file" / "deeper"))
    assert ran.code == 1
    assert "cannot create the folder" in ran.err and "--out" in ran.err


def test_a_slow_down_without_a_measured_size_is_refused(tmp_path: Path) -> None:
    slowed = STUDY.replace("}] }]", '}] }, { label = "b", parts = [{ server = "odd" }], slowed = 0.05 }]')
    ran = run_study(tmp_path, slowed)
    assert ran.code == 1
    assert "must be measured first" in ran.err and "steelyard calibrate" in ran.err


def test_a_dry_run_of_a_subject_alone_speaks_of_no_pairs(tmp_path: Path) -> None:
    alone = steelyard("run", "wstest", "--only", "go", "--dry-run", folder=tmp_path).out
    two = steelyard("run", "wstest", "--only", "go,tomcat-metro", "--dry-run", folder=tmp_path).out
    assert "pairs" not in alone and " slices of 2 s an operation" in alone and " pairs of slices of 2 s" in two


def test_a_dry_run_prints_the_schedule_and_starts_nothing(tmp_path: Path) -> None:
    ran = steelyard("run", "wstest", "--only", "tomcat-metro,go", "--dry-run", folder=tmp_path)
    assert ran.code == 0
    assert "tomcat-metro, go" in ran.out and "8 users" in ran.out and "echoStruct (judged)" in ran.out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["compare", "check"])
def test_a_dry_run_of_a_comparison_prints_its_schedule_and_starts_nothing(tmp_path: Path, command: str) -> None:
    words = (command, "go", "tomcat-metro", "--operation", "echoStruct", "--budget", "10m", "--dry-run")
    ran = steelyard(*words, folder=tmp_path)
    assert ran.code == 0, ran.err
    assert "8 users" in ran.out and "echoStruct (judged)" in ran.out and "about 10 minutes in all" in ran.out
    assert list(tmp_path.iterdir()) == []
    schedule = json.loads(steelyard(*words, "--json", folder=tmp_path).out)
    assert schedule["budget_seconds"] == 600.0 and set(schedule["subjects"]) == {"go", "tomcat-metro"}


def test_a_comparison_of_own_servers_records_the_layers_that_the_agent_knows(tmp_path: Path) -> None:
    """Its service names no layers: an implementation in Java may know nothing of the monitor."""
    subjects = ("spring-boot", "quarkus@threads=virtual")
    words = ("compare", *subjects, "--service", "shop-api", "--rate", "100", "--layers", "--dry-run", "--json")
    ran = steelyard(*words, folder=tmp_path)
    assert ran.code == 0, ran.err
    schedule = json.loads(ran.out)
    assert schedule["observe"] == ["layers"] and schedule["subjects"] == list(subjects)
    assert {"filter", "ws", "si", "hibernate", "reads"} <= {
        tag for layer in schedule["layers"] for tag in layer["tags"]
    }


def test_a_study_without_the_agent_observes_no_layers_of_a_service_that_names_none(tmp_path: Path) -> None:
    text = (
        (ROOT / "studies" / "frameworks.toml")
        .read_text()
        .replace('observe = ["start", "collector"]', 'observe = ["layers"]')
    )
    (tmp_path / "layered.toml").write_text(text)
    ran = steelyard("run", "layered.toml", "--only", "go@pool=4,spring-boot", "--dry-run", folder=tmp_path)
    assert ran.code == 64
    assert "observes layers, but shop-api has none, and go@pool=4 has no agent" in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("compare", "go", "weblogic"), "weblogic needs ORACLE_HOME, which is not set"),
        (("compare", "go", "go", "--sessions", "2"), "--sessions and --dry-run cannot be combined"),
        (("compare", "go", "go", "--hosts", "hosts.toml"), "--hosts and --dry-run cannot be combined"),
        (("compare", "http://127.0.0.1:9/a", "http://127.0.0.1:9/b"), "--dry-run is for servers that Steelyard starts"),
        (("check", "--git", "main..HEAD", "./shop"), "--dry-run builds nothing, and --git builds two revisions"),
        (("check", "go", "go", "--budget", "5s"), "a budget of 5 s is too small"),
    ],
)
def test_a_dry_run_of_a_comparison_refuses_what_cannot_be_planned(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    ran = steelyard(*words, "--dry-run", folder=tmp_path, environment={"ORACLE_HOME": ""})
    assert ran.code != 0 and ran.out == "" and said in ran.err, ran.err


@pytest.mark.parametrize(("server", "said"), [("go", "'go'"), ("future", "JDK 99")])
def test_a_missing_toolchain_is_named_with_the_command_that_installs_it(tmp_path: Path, server: str, said: str) -> None:
    bare = tmp_path / "bin"
    bare.mkdir()
    for name in ("sh", "env"):
        (bare / name).symlink_to(f"/usr/bin/{name}")
    # With an empty cache the server must be fetched and built.
    environment = {"PATH": str(bare), "STEELYARD_PATH": str(HOUSE), "STEELYARD_CACHE": str(tmp_path / "cache")}
    ran = steelyard("servers", "check", server, folder=tmp_path, environment=environment)
    assert ran.code == 1
    assert said in ran.out + ran.err
    for platform in ("apt install", "dnf install", "brew install"):
        assert platform in ran.out + ran.err


def test_a_dry_run_names_a_server_that_cannot_run_here(tmp_path: Path) -> None:
    words = ("run", "wstest", "--only", "go,weblogic", "--dry-run")
    ran = steelyard(*words, folder=tmp_path, environment={"ORACLE_HOME": ""})
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("error: weblogic needs ORACLE_HOME, which is not set")


def test_what_cannot_run_here_is_not_offered_for_fetching(tmp_path: Path) -> None:
    ran = steelyard("servers", folder=tmp_path, environment={"ORACLE_HOME": ""})
    assert re.search(r"^weblogic .* cannot run here *$", ran.out, re.MULTILINE)
    ran = steelyard("servers", "weblogic", folder=tmp_path, environment={"ORACLE_HOME": ""})
    assert "to fetch  weblogic needs ORACLE_HOME, which is not set" in ran.out


def test_a_server_that_cannot_be_had_here_is_no_failure_of_all(tmp_path: Path) -> None:
    ran = steelyard("servers", "check", "weblogic", "--json", folder=tmp_path, environment={"ORACLE_HOME": ""})
    assert '"contract":null' in ran.out and '"started":null' in ran.out and "ORACLE_HOME" in ran.out


@pytest.mark.parametrize(
    "words",
    [
        ("run", "wstest", "--only", "go,weblogic"),
        ("compare", "go", "weblogic"),
        ("check", "go", "weblogic"),
    ],
)
def test_a_server_that_cannot_run_here_is_refused_before_another_is_built(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    cache = tmp_path / "cache"
    ran = steelyard(*words, folder=tmp_path, environment={"ORACLE_HOME": "", "STEELYARD_CACHE": str(cache)})
    assert ran.code != 0 and "weblogic needs ORACLE_HOME, which is not set" in ran.err
    assert not (cache / "servers").exists(), "nothing was fetched or built"
    assert not (tmp_path / "runs").exists()


def test_a_folder_without_the_licensed_product_is_named_with_what_it_lacks(tmp_path: Path) -> None:
    words = ("run", "wstest", "--only", "go,weblogic", "--dry-run")
    ran = steelyard(*words, folder=tmp_path, environment={"ORACLE_HOME": str(tmp_path)})
    assert ran.code == 1
    assert f"ORACLE_HOME, which is {tmp_path}, but oracle_common/common/bin/wlst.sh is not there" in ran.err


def test_what_the_authors_never_ran_is_listed_as_such(tmp_path: Path) -> None:
    ran = steelyard("servers", folder=tmp_path, environment={"ORACLE_HOME": ""})
    listed = " ".join(ran.out.split())
    assert listed.count("never run by us") == len([name for name in entries.server_files() if never_run(name)]) > 0
    shown = steelyard("servers", "weblogic", folder=tmp_path, environment={"ORACLE_HOME": ""})
    assert "tested    never run by us" in shown.out


def never_run(name: str) -> bool:
    return entries.server(name).model.never_run

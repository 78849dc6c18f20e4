"""Shell completion of commands, studies and servers; manual pages equal --help; a dry run fits its budget."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command import steelyard
from steelyard.commands import completing

ROOT = Path(__file__).parents[2]
STEELYARD = Path(sys.executable).with_name("steelyard")


def asked(words: str) -> list[str]:
    """What bash is told for the last of these words."""
    environment = {
        "_STEELYARD_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    ran = subprocess.run([STEELYARD], env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("steelyard rep", ["report"]),
        ("steelyard run wst", ["wstest", "wstest-sizes"]),
        ("steelyard run wstest --only go,gso", ["go,gsoap"]),
        ("steelyard compare tomcat-met", ["tomcat-metro"]),
        ("steelyard report --mark", ["--markdown"]),
        ("steelyard try pets", ["petstore"]),
        ("steelyard try go fli", ["flight"]),
    ],
)
def test_bash_is_told_what_may_follow(words: str, said: list[str]) -> None:
    assert asked(words) == said


def test_a_server_that_is_in_a_list_already_is_not_offered_again() -> None:
    assert "go,go" not in completing.server_lists("go,g") and "go,gsoap" in completing.server_lists("go,g")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_that_asks_the_command_line(tmp_path: Path, shell: str) -> None:
    ran = steelyard("completion", shell, folder=tmp_path)
    assert ran.code == 0 and f"complete_{shell}" in ran.out and "steelyard" in ran.out


def test_bash_reads_its_script(tmp_path: Path) -> None:
    script = steelyard("completion", "bash", folder=tmp_path).out
    ran = subprocess.run(
        ["bash", "-c", f"{script}\ncomplete -p steelyard"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0 and "_steelyard_completion" in ran.stdout, ran.stderr


def test_every_command_has_a_manual_page_with_its_options_and_examples(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "tools" / "man.py", tmp_path], check=True)
    pages = {path.name: path.read_text() for path in tmp_path.iterdir()}
    help_of = steelyard("--help", folder=tmp_path).out
    commands = [name.split(".")[0].removeprefix("steelyard-") for name in pages if name.count("-") == 1]
    assert {"run", "report", "completion"} <= set(commands) and all(name in help_of for name in commands)
    report = pages["steelyard-report.1"]
    assert "\\fB\\-\\-markdown\\fR" in report and ".SH EXAMPLES" in report
    assert not any(line.startswith("'") for page in pages.values() for line in page.splitlines())


def test_a_wheels_share_has_every_page_and_the_completions_where_shells_look(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "tools" / "man.py", "--share", tmp_path], check=True)
    assert (tmp_path / "man" / "man1" / "steelyard-compare.1").is_file()
    for shell, place in (
        ("bash", "bash-completion/completions/steelyard"),
        ("zsh", "zsh/site-functions/_steelyard"),
        ("fish", "fish/vendor_completions.d/steelyard.fish"),
    ):
        assert (tmp_path / place).read_text() == steelyard("completion", shell, folder=tmp_path).out


def test_a_dry_run_shows_what_its_budget_holds(tmp_path: Path) -> None:
    words = ("run", "wstest", "--only", "tomcat-metro,go", "--dry-run", "--json")
    whole = json.loads(steelyard(*words, folder=tmp_path).out)
    ran = steelyard(*words, "--budget", "12m", folder=tmp_path)
    short = json.loads(ran.out)
    assert (short["budget_seconds"], whole["budget_seconds"]) == (720.0, None)
    assert short["pairs_per_cell"] < whole["pairs_per_cell"] and "to keep to 12 min 00 s" in ran.err
    text = steelyard(*words[:-1], "--budget", "12m", folder=tmp_path).out
    assert "about 12 minutes in all\n" in text, "no more: a budget bounds it"
    free = steelyard(*words[:-1], folder=tmp_path).out
    span = r"[0-9.]+ (?:minutes|hours)"
    assert re.search(rf"about {span} in all, up to {span} where nothing ends early", free), free


def test_a_dry_run_says_that_a_search_for_the_number_of_users_comes_beside(tmp_path: Path) -> None:
    words = ("run", "wstest", "--only", "go,null", "--dry-run")
    assert "first finds" in steelyard(*words, "--set", "Agents=auto", folder=tmp_path).err
    assert "first finds" not in steelyard(*words, folder=tmp_path).err

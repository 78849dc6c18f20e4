"""Terminal lists: no name is cut at any width, and a server's name alone shows its details."""

from __future__ import annotations

import io
import json
from pathlib import Path

import jsonschema
import pytest
from command import steelyard
from rich.console import Console
from steelyard.analyse import analysis
from steelyard.base.text import ratio_text
from steelyard.commands import printing
from steelyard.commands.tables import show
from steelyard.measure.outcome import Outcome
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

CONTRACTS = Path(__file__).parents[2] / "contracts"
ROWS = [("a-server-of-a-long-name", "what it is, in [so] many words that fold", "1.25"), ("go", "short", "")]


def printed(width: int) -> list[str]:
    out = io.StringIO()
    show(Console(file=out, width=width), ("name", "about", "figure"), ROWS, prose=("about",))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_a_table_that_fits_has_a_line_a_row() -> None:
    lines = printed(100)
    assert len(lines) == 3
    assert lines[1] == "a-server-of-a-long-name  what it is, in [so] many words that fold  1.25"


def test_prose_is_folded_where_the_width_asks_for_it_and_names_are_not() -> None:
    lines = printed(60)
    assert len(lines) == 4
    assert lines[1].startswith("a-server-of-a-long-name  ") and lines[1].endswith("1.25")


@pytest.mark.parametrize("width", [20, 40, 50])
def test_where_even_that_does_not_fit_a_row_is_a_few_lines(width: int) -> None:
    lines = printed(width)
    assert "a-server-of-a-long-name" in "".join(lines)
    assert [line.split()[1] for line in lines if line.split()[0] == "figure"] == ["1.25"]
    assert all("name" not in line.split() for line in lines)


@pytest.mark.parametrize("width", [60, 80, 99])
def test_a_run_of_many_is_a_table_first_that_cuts_no_name_and_no_interval(tmp_path: Path, width: int) -> None:
    names = [f"a-server-with-a-long-name-{place}" for place in range(6)]
    rates = {name: 4000.0 + 900 * place for place, name in enumerate(names)}
    run = write_run(tmp_path / "run", Planted(rates=rates, reference=names[0], forks=4, pairs=4))
    verdicts = analysis.analyse_run(read_run(run)).verdicts
    out = io.StringIO()
    printing.show_outcome(Outcome(run, verdicts, run / "report.html", []), Console(file=out, width=width))
    said = out.getvalue()
    assert "\u2026" not in said
    for comparison in verdicts.comparisons:
        if comparison.primary and comparison.b == names[0] and comparison.interval is not None:
            low, high = (ratio_text(bound, comparison.interval) for bound in comparison.interval)
            assert f"{low} to {high}" in said
    assert all(f"echoStruct, {name}\n" in said for name in names)
    assert said.index(f"echoStruct, {names[5]}") < said.index("Places, as far as decided: ")
    assert "times the throughput" not in said  # no wall of sentences


@pytest.mark.parametrize(
    ("words", "schema"),
    [
        (["servers", "go"], "server-output"),
        (["servers"], "servers-output"),
        (["studies"], "studies-output"),
        (["services"], "services-output"),
    ],
)
def test_machines_read_the_same_lists_as_json(tmp_path: Path, words: list[str], schema: str) -> None:
    ran = steelyard(*words, "--json", folder=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    jsonschema.validate(json.loads(ran.out), json.loads((CONTRACTS / f"{schema}.schema.json").read_text()))
    assert len(ran.out.splitlines()) == 1


def test_a_machine_s_state_is_json_too_and_its_exit_code_says_whether_it_is_good(tmp_path: Path) -> None:
    ran = steelyard("doctor", "--json", folder=tmp_path)
    found = json.loads(ran.out)
    jsonschema.validate(found, json.loads((CONTRACTS / "doctor-output.schema.json").read_text()))
    assert ran.code == (0 if all(check["good"] for check in found["checks"]) else 1)


def test_a_server_s_name_alone_shows_all_that_is_known_of_it(tmp_path: Path) -> None:
    ran = steelyard("servers", "tomcat-metro", folder=tmp_path)
    assert ran.code == 0
    assert all(word in ran.out for word in ("[1-9][0-9]*[kmgKMG]", "woodstox", "wrong-types", "young-generation"))
    assert steelyard("servers", "tomcat-metr", folder=tmp_path).code == 64


def test_what_only_stands_beside_a_server_is_listed_apart_from_what_can_be_weighed(tmp_path: Path) -> None:
    weighed, companions = steelyard("servers", folder=tmp_path).out.split("\ncompanions, ")
    first_words = [{line.split()[0] for line in part.splitlines() if line.strip()} for part in (weighed, companions)]
    assert {"go", "tomcat-metro"} <= first_words[0] and {"h2", "toxiproxy"} <= first_words[1]
    assert not first_words[0] & {"h2", "toxiproxy"}

"""The campaign's items are valid and fit; runs are kept by their gates, pooled by question, and begun anew on another revision."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from command import steelyard
from programs import program
from steelyard import __version__
from steelyard.analyse.analysis import full_analysis
from steelyard.base import paths
from steelyard.base.errors import ConfigurationError
from synthetic import Planted, write_run

TOOL = program("campaign")
PIECES = {piece.item.name: piece for piece in TOOL.pieces_of(TOOL.ITEMS, Path("campaign"))}
UNITS = {"seconds": 1 / 3600, "second": 1 / 3600, "minutes": 1 / 60, "minute": 1 / 60, "hours": 1.0, "hour": 1.0}
ITEM = """
[[items]]
name = "small"
question = "small"
command = "steelyard run demo"
hours = 1
why = "a test"
"""


@pytest.fixture
def tool() -> ModuleType:
    """tools/campaign.py."""
    return TOOL


def pieces(tool: ModuleType, folder: Path, text: str) -> list[Any]:
    (folder / "items.toml").write_text(text)
    return list(tool.pieces_of(folder / "items.toml", folder / "campaign"))


@pytest.mark.parametrize("name", [name for name, piece in PIECES.items() if piece.item.is_run])
def test_an_item_is_a_run_that_fits_into_its_hours(name: str, tmp_path: Path) -> None:
    words = PIECES[name].words({"saturation": 600})[1:]
    words = words[: words.index("--out")]
    if "--hosts" in words:  # the schedule is the same wherever servers run
        place = words.index("--hosts")
        assert (paths.root() / words[place + 1]).is_file()
        words = words[:place] + words[place + 2 :]
    ran = steelyard(*words, "--dry-run", folder=tmp_path)
    if ran.code == 1 and "hint: " in ran.err:
        pytest.skip(ran.err)  # a toolchain of one of its servers is not installed
    assert ran.code == 0, ran.err
    about = re.search(r"about ([\d.]+) (\w+) in all", ran.out)
    assert about is not None, ran.out
    assert float(about[1]) * UNITS[about[2]] <= PIECES[name].item.hours <= TOOL.MOST_HOURS, about[0]


@pytest.mark.parametrize("name", [name for name, piece in PIECES.items() if not piece.item.is_run])
def test_an_item_that_is_no_run_calls_a_program_of_this_repository(name: str) -> None:
    first, second, *_ = PIECES[name].words({})[1:]
    assert (paths.root() / first).is_file() if first != "-m" else second == "steelyard.calibration"


def test_the_items_are_those_of_every_study_that_lacks_a_kept_run_at_scale() -> None:
    studies = {shlex.split(piece.item.command)[2] for piece in PIECES.values() if piece.item.is_run}
    expected = {"wstest", "envelope", "petstore", "soakit", "flight", "soaservers", "balanced", "frameworks"}
    assert studies == expected
    assert sum(piece.item.hours * piece.item.sessions for piece in PIECES.values()) > 40


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (ITEM.replace("hours = 1", "hours = 3"), "hours"),
        (ITEM.replace("run demo", "run demo --out here"), "has --out, which the campaign sets"),
        (ITEM.replace("run demo", "run demo --resume=x"), "has --resume=x, which the campaign sets"),
        (ITEM.replace("hours = 1", "hours = 1\nsessions = 2").replace("demo", "demo --seed 3"), "has --seed"),
        (ITEM.replace("steelyard run demo", "rm -rf x"), "must begin with `steelyard run` or `python`"),
        (ITEM.replace("run demo", 'run \\"demo'), "quotation"),
        (ITEM + "reason = 1\n", "unknown key 'items.0.reason'"),
        (ITEM + ITEM, "two pieces have the name 'small'"),
        ("", "items"),
    ],
)
def test_a_wrong_item_is_an_error_that_names_it(tool: ModuleType, tmp_path: Path, wrong: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        pieces(tool, tmp_path, wrong)


def test_a_value_that_an_earlier_item_finds_is_asked_for_and_filled_in(tool: ModuleType, tmp_path: Path) -> None:
    (piece,) = pieces(tool, tmp_path, ITEM.replace("run demo", "run demo --set Saturation={saturation}"))
    with pytest.raises(ConfigurationError, match="needs the value saturation") as asked:
        piece.words({})
    assert str(tmp_path / "campaign" / "values.toml") in asked.value.hint
    assert piece.words({"saturation": 620})[3:5] == ["--set", "Saturation=620"]


def test_each_session_is_a_piece_with_a_seed_of_its_own(tool: ModuleType, tmp_path: Path) -> None:
    both = pieces(tool, tmp_path, ITEM.replace("hours = 1", "hours = 1\nsessions = 2"))
    assert [piece.name for piece in both] == ["small-1", "small-2"]
    seeds = [words[words.index("--seed") + 1] for words in (piece.words({}) for piece in both)]
    assert seeds == ["1", "2"]


def test_pieces_are_chosen_by_name_in_the_order_of_the_file(tool: ModuleType, tmp_path: Path) -> None:
    others = [ITEM.replace('name = "small"', f'name = "{name}"') for name in ("second", "third")]
    known = pieces(tool, tmp_path, ITEM + "".join(others))
    assert [piece.name for piece in tool.chosen_of(known, "third, small")] == ["small", "third"]
    assert tool.chosen_of(known, None) == known
    with pytest.raises(ConfigurationError, match="there is no piece 'fourth'") as raised:
        tool.chosen_of(known, "small,fourth")
    assert raised.value.hint == "choose from small, second, third"


def test_a_valid_run_is_kept_and_an_invalid_one_is_not_with_the_reason(tool: ModuleType, tmp_path: Path) -> None:
    good, bad = pieces(tool, tmp_path, ITEM + ITEM.replace('name = "small"', 'name = "wrong"'))
    outcome = tool.finish(good, write_run(good.folder / "demo-1", Planted(forks=4, pairs=5)))
    assert (outcome.word, (good.kept / "raw.zip").is_file()) == ("kept", True), outcome.why
    broken = write_run(bad.folder / "demo-1", Planted(forks=4, pairs=5, response_factor=3.0))
    refused = tool.finish(bad, broken)
    assert refused.word == "not kept" and refused.why and not bad.kept.exists()
    assert json.loads((bad.folder / "outcome.json").read_text())["why"] == refused.why
    assert tool.position_of(bad).text() == f"not kept: {refused.why}"
    assert tool.finish(good, good.folder / "demo-1").word == "kept", "after a kill it is kept already"


def test_a_run_without_any_verdict_is_not_kept_and_single_refusals_are_remarked(
    tool: ModuleType, tmp_path: Path
) -> None:
    verdicts = full_analysis(write_run(tmp_path / "run", Planted(forks=4, pairs=5))).verdicts
    refused = [
        each.model_copy(update={"verdict": None, "why_not": ["the clock jumped"]}) for each in verdicts.comparisons
    ]
    assert tool.refusal(verdicts) == "" and tool.remark(verdicts) == ""
    assert tool.refusal(verdicts.model_copy(update={"comparisons": refused})) == "the clock jumped"
    mixed = verdicts.model_copy(update={"comparisons": [*verdicts.comparisons, *refused]})
    assert tool.refusal(mixed) == "" and "without a verdict: the clock jumped" in tool.remark(mixed)


def test_the_kept_runs_of_a_question_are_pooled_and_those_of_another_are_not(tool: ModuleType, tmp_path: Path) -> None:
    text = ITEM.replace("hours = 1", "hours = 1\nsessions = 3") + ITEM.replace('"small"', '"other"')
    every = pieces(tool, tmp_path, text)
    assert tool.pool("small", every) is None
    for seed, piece in enumerate(every, 1):
        write_run(piece.kept, Planted(forks=2, pairs=3, seed=seed))
    page = tool.pool("small", every).read_text()
    assert "Between 3 campaigns the ratio varies by" in page and ">small-3<" in page and ">other<" not in page
    assert tool.pool("other", every) is None


def test_a_run_of_another_revision_is_put_aside_and_what_it_measured_stays(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (piece,) = pieces(tool, tmp_path, ITEM)
    environment = {"steelyard": __version__, "git": {"revision": "0" * 40, "changes": ""}}
    run = write_run(piece.folder / "demo-1", Planted(forks=2, pairs=3, environment=environment))
    assert tool.position_of(piece).run == run
    assert tool.Sitting([piece], [piece], 1.0, 0)._with_same_setup(piece, run) is None
    assert f"git.revision was {'0' * 40}" in capsys.readouterr().err
    assert len(list((tmp_path / "campaign" / "set-aside" / "small" / "demo-1" / "trials").iterdir())) == 2
    assert tool.position_of(piece).text() == "not begun"


def test_a_run_that_was_killed_while_it_was_set_up_is_removed_and_no_other(tool: ModuleType, tmp_path: Path) -> None:
    (piece,) = pieces(tool, tmp_path, ITEM)
    (piece.folder / "demo-2" / "trials").mkdir(parents=True)
    run = write_run(piece.folder / "demo-1", Planted(forks=2, pairs=3))
    (run / "trials" / "02").rename(run / "trials" / "02.stopped-1")
    assert tool.position_of(piece).text() == "1 of 2 trials"
    assert tool.position_of(piece).hours_left(piece.item) == 0.5
    tool.make_room(piece.folder)
    assert [path.name for path in piece.folder.iterdir()] == ["demo-1"]


@pytest.mark.parametrize("hours", ["0", "-1", "nan", "inf", "many"])
def test_hours_that_are_none_are_refused(tool: ModuleType, hours: str) -> None:
    with pytest.raises(ValueError):
        tool.hours_of(hours)

"""`Agents = auto` takes the number of users that serves all subjects best."""

from dataclasses import fields
from pathlib import Path

from steelyard.measure.trial import agents
from steelyard.results.tables import SliceRow


def test_the_number_with_the_highest_throughput_is_found() -> None:
    assert agents.most_productive([{1: 100.0, 2: 180.0, 4: 210.0, 8: 205.0}]) == 4


def test_each_subject_counts_by_its_share_of_its_own_best_not_by_its_speed() -> None:
    fast = {4: 100_000.0, 8: 101_000.0}
    slow = {4: 100.0, 8: 60.0}
    assert agents.most_productive([fast, slow]) == 4


def test_the_fewest_users_win_a_tie() -> None:
    assert agents.most_productive([{8: 50.0, 2: 50.0, 4: 40.0}]) == 2


def test_a_level_without_a_single_answer_is_no_crash() -> None:
    assert agents.most_productive([{1: 0.0, 2: 5.0}]) == 2


def test_medians_leave_the_warm_up_out(tmp_path: Path) -> None:
    levels = [64] * agents.WARM_UP_SLICES + [1, 2, 1, 2, 1, 2]
    columns = [column.name for column in fields(SliceRow)]
    rows = [",".join(columns)]
    for number, users in enumerate(levels):
        known = {"slice": number, "end_ns": 2_000_000_000, "measured_ns": 2_000_000_000, "valid": 1}
        known["completed"] = 1000 if users == 64 else 20 * users + number
        rows.append(",".join(str(known.get(column, 0)) for column in columns))
    (tmp_path / "slices.csv").write_text("\n".join(rows) + "\n")
    assert agents._medians(tmp_path / "slices.csv", levels) == {1: 16.0, 2: 26.5}

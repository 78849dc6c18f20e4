"""The recorded setup says what was run, not where its user keeps things."""

import pytest
from steelyard import environment


@pytest.mark.parametrize(
    "command",
    [
        ["steelyard", "run", "wstest", "--out", "/home/somebody/secret"],
        ["steelyard", "run", "--out=/home/somebody/secret", "wstest"],
        ["steelyard", "run", "wstest", "--out"],
    ],
)
def test_the_folder_of_a_run_is_not_recorded(command: list[str]) -> None:
    assert environment._without_place(command) == ["steelyard", "run", "wstest"]

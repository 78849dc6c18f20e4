"""The recorded setup describes the run, without the user's private paths."""

import pytest
from steelyard.hosts import environment


@pytest.mark.parametrize(
    "command",
    [
        ["steelyard", "run", "wstest", "--out", "/home/somebody/secret"],
        ["steelyard", "run", "--out=/home/somebody/secret", "wstest"],
        ["steelyard", "run", "wstest", "--out"],
    ],
)
def test_the_folder_of_a_run_is_not_recorded(command: list[str]) -> None:
    assert environment._without_paths(command) == ["steelyard", "run", "wstest"]


def test_a_toolchain_is_recorded_by_the_first_line_that_it_says_of_itself() -> None:
    assert environment.first_line(["sh", "-c", "echo 1.2; echo more"]) == "sh: 1.2"
    assert environment.first_line(["sh", "-c", "echo 3.4 >&2"]) == "sh: 3.4"
    assert environment.first_line(["sh", "-c", "true"]) == "sh: printed nothing"
    assert environment.first_line(["/no/such/tool"]) == "tool: cannot be run"

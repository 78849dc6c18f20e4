"""The fits and pages of tools/sessions.py: planted deviations, few sessions, and the generated pages."""

from __future__ import annotations

import math
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from programs import program

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tool() -> ModuleType:
    """tools/sessions.py."""
    return program("sessions")


def answers(tool: ModuleType, *, machines: int, sessions: int, like: float, any_one: float) -> list[Any]:
    """Sessions on each machine; the log ratio has the deviation `like` between sessions, and `any_one` between machines."""
    draw, found = random.Random(1), []
    for machine in range(machines):
        of_machine = draw.gauss(-0.3, any_one)
        for session in range(sessions):
            estimate, half = draw.gauss(of_machine, like), 3.182446 * 0.002  # Student's t, 3 degrees
            low, ratio, high = (math.exp(estimate + sign * half) for sign in (-1, 0, 1))
            found.append(
                tool.Answer(
                    *(
                        "run",
                        f"2026-11-{session + 1:02d}T{machine:02d}:00",
                        "0" * 10,
                        "turns of 150 ms",
                        f"P{machine}, 2 processors",
                    ),
                    *("two-runtimes", "wstest", "go", "tomcat-metro", "echoStruct", "throughput", 8),
                    *(ratio, low, high, 0.95, 4),
                )
            )
    return found


def test_many_sessions_replace_the_assumed_deviations_by_those_that_were_planted(tool: ModuleType) -> None:
    known = tool.fit(answers(tool, machines=60, sessions=4, like=0.02, any_one=0.08))
    (kind,) = [kind for kind in known.kinds if kind.name == "two-runtimes"]
    assert (kind.like_machines.assumed, kind.like_machines.freedom) == (False, 180)
    assert kind.like_machines.used == pytest.approx(0.02, rel=0.12)
    assert (kind.any_machines.assumed, kind.any_machines.freedom) == (False, 239)
    assert kind.any_machines.used == pytest.approx(math.hypot(0.02, 0.08), rel=0.15)
    assert all(kind.like_machines.used == 0.03 and kind.like_machines.assumed for kind in known.kinds[:2])


def test_the_methodology_says_what_is_assumed_and_until_when(tool: ModuleType) -> None:
    said = " ".join((ROOT / "docs" / "method" / "another-day-or-machine.md").read_text(encoding="utf-8").split())
    assert f"from {tool.ENOUGH} degrees of freedom on, and no kind has as many yet" in said
    like, any_machine = tool.ASSUMED["like_machines"], tool.ASSUMED["any_machines"]
    assert f"d is assumed, {like:.0%} on machines of one kind and {any_machine:.0%} on any" in said
    known = tool.fit(tool.kept()).kinds
    assert all(one.assumed for kind in known for one in (kind.like_machines, kind.any_machines))


def test_few_sessions_leave_the_deviations_assumed_and_say_what_they_would_be(tool: ModuleType) -> None:
    known = tool.fit(answers(tool, machines=2, sessions=2, like=0.02, any_one=0.08))
    (kind,) = [kind for kind in known.kinds if kind.name == "two-runtimes"]
    assert (kind.like_machines.used, kind.like_machines.assumed, kind.like_machines.freedom) == (0.03, True, 2)
    assert (kind.any_machines.used, kind.any_machines.assumed, kind.any_machines.freedom) == (0.09, True, 3)
    assert kind.like_machines.fitted is not None


def test_the_error_of_a_session_is_read_off_its_interval(tool: ModuleType) -> None:
    (answer,) = answers(tool, machines=1, sessions=1, like=0.02, any_one=0.08)
    assert answer.found.error == pytest.approx(0.002, rel=1e-5)


def test_the_demonstrations_question_has_every_session_on_the_page_and_in_the_plot(tool: ModuleType) -> None:
    kept = tool.demonstration(tool.kept())
    assert len(kept) >= 7 and len({answer.session for answer in kept}) == len(kept)
    page, plot = tool.PAGE.read_text(encoding="utf-8"), tool.CHART.read_text(encoding="utf-8")
    for answer in kept:
        begun = answer.begun.replace("T", " ")
        assert f"| {begun} | {answer.run} |" in page and begun in plot
    assert plot.startswith("<svg ") and "var(--" not in plot and "the next session" in plot


def test_the_readmes_sample_names_its_machine_and_both_intervals() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    sample = page[page.index("<!-- demo: ") : page.index("<!-- /demo -->")]
    assert "(95% interval 0." in sample and "expected on another day or machine of this kind: 0." in sample
    assert " processors\n" in sample[sample.index("machine: ") :]

"""Two designs, one answer: servers with a known ratio, loaded in turns and at once, each on its own half of the processors."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from conftest import Lab
from steelyard.hosts.halves import LEAST_PROCESSORS

SPENT_US = {"a": 2_000, "b": 2_500}  # of one processor for each request
TRUE_RATIO = SPENT_US["a"] / SPENT_US["b"]


def compared(lab: Lab, name: str, *options: str) -> dict[str, Any]:
    """The throughput comparison of b against a."""
    subjects = [{"label": label, "server": "odd", "spend": str(spent)} for label, spent in SPENT_US.items()]
    study = lab.study(subjects, name=name, forks=4, pairs=6, slice_seconds=1, warm_up=8)
    ran = lab.run_undisturbed("run", study, "--users", "8", "--json", *options)
    assert ran.code == 0, ran.err
    found: dict[str, Any] = next(one for one in ran.json()["comparisons"] if one["primary"])
    assert (found["a"], found["b"], found["measure"]) == ("b", "a", "throughput")
    return found


@pytest.mark.long
@pytest.mark.alone
def test_both_designs_find_the_true_ratio(lab: Lab) -> None:
    if len(os.sched_getaffinity(0)) < LEAST_PROCESSORS:
        pytest.skip(f"--apart needs {LEAST_PROCESSORS} processors")
    for name, options in (("turns", ()), ("apart", ("--apart",))):
        found = compared(lab, name, *options)
        assert found["verdict"] == "slower" and found["ratio"] == pytest.approx(TRUE_RATIO, rel=0.03), name
    record = json.loads((lab.runs()[-1] / "trials" / "01" / "trial.json").read_text())
    first, second = (subject["processes"][0]["processors"] for subject in record["subjects"])
    assert len(first) == len(second) and set(first).isdisjoint(second)

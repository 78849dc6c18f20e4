"""Two designs, one answer: servers with a known ratio, loaded in turns and at once, each on its own half of the processors."""

from __future__ import annotations

import json
import os

import pytest
from conftest import Lab
from steelyard.hosts.halves import LEAST_PROCESSORS

SPENT_US = {"a": 2_000, "b": 2_500}  # of one processor for each request
TRUE_RATIO = SPENT_US["a"] / SPENT_US["b"]


@pytest.mark.long
@pytest.mark.alone
def test_both_designs_find_the_true_ratio(lab: Lab) -> None:
    if len(os.sched_getaffinity(0)) < LEAST_PROCESSORS:
        pytest.skip(f"--apart needs {LEAST_PROCESSORS} processors")
    for name, options in (("turns", ()), ("apart", ("--apart",))):
        found = lab.compare_two("spend", SPENT_US, "--users", "8", *options, name=name, pairs=6, slice_seconds=1)
        assert found["verdict"] == "slower" and found["ratio"] == pytest.approx(TRUE_RATIO, rel=0.03), name
    record = json.loads((lab.runs()[-1] / "trials" / "01" / "trial.json").read_text())
    first, second = (subject["processes"][0]["processors"] for subject in record["subjects"])
    assert len(first) == len(second) and set(first).isdisjoint(second)

"""A run reports earlier runs of the same comparison that contradict it, and no others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from steelyard.analyse.analysis import analyse
from steelyard.base.errors import StoreError
from steelyard.base.text import ratio_text
from steelyard.hosts.machine import fingerprint
from steelyard.models.verdict import Verdicts
from steelyard.results import earlier
from steelyard.results.setup import setup_differences
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

A, B = "tomcat-metro", "go"
LOWER, HIGHER = {A: 7_500.0, B: 10_000.0}, {A: 8_600.0, B: 10_000.0}


def setup(boot: str = "one", **factors: str) -> dict[str, Any]:
    parts = {
        label: [{"place": "server", "server": label, "version": "1", "factors": dict(factors)}] for label in (A, B)
    }
    return {"machine": {"processor": "P", "processors": 2, "family": "25", "boot": boot}, "subjects": parts}


def begun(folder: Path, rates: Mapping[str, float], environment: Mapping[str, Any], **planted: Any) -> Path:
    """A run that noted at its begin what stood beside it."""
    run = write_run(folder, Planted(rates=rates, environment=environment, **planted))
    earlier.note(run, read_run(run).schedule, environment)
    return run


def judged(folder: Path, rates: Mapping[str, float], environment: Mapping[str, Any], **planted: Any) -> Verdicts:
    return analyse(begun(folder, rates, environment, **planted))


def test_a_run_that_contradicts_an_earlier_one_says_so_with_both_intervals(tmp_path: Path) -> None:
    before = judged(tmp_path / "run-1", LOWER, setup())
    after = judged(tmp_path / "run-2", HIGHER, setup(), seed=2)
    assert before.contradictions == [] and "contradicts" not in before.sentence
    (found,) = after.contradictions
    assert (found.earlier, found.same_boot, found.earlier_machine) == ("run-1", True, "P, family 25, 2 processors")
    assert found.earlier_interval[1] < found.interval[0]
    for ratio, interval in ((found.ratio, found.interval), (found.earlier_ratio, found.earlier_interval)):
        assert (
            f": {ratio_text(ratio, interval)} times" in after.sentence
            or f": {ratio_text(ratio, interval)} (" in after.sentence
            or f", {ratio_text(ratio, interval)} (" in after.sentence
        )
    assert (
        "This contradicts the earlier run run-1 of the same question on this machine since it was started"
        in after.sentence
    )
    (judged_pair,) = [one for one in after.comparisons if one.primary]
    assert judged_pair.elsewhere is not None and judged_pair.holds_elsewhere is False
    assert ", on this machine, at this hour (" in after.sentence and after.machine == "P, family 25, 2 processors"


def test_a_run_that_agrees_says_nothing(tmp_path: Path) -> None:
    judged(tmp_path / "run-1", LOWER, setup())
    after = judged(tmp_path / "run-2", LOWER, setup(), seed=2)
    assert after.contradictions == [] and "contradicts" not in after.sentence
    assert (tmp_path / "run-2" / earlier.EARLIER).exists()


@pytest.mark.parametrize(
    ("environment", "planted"),
    [
        (setup(heap="1g"), {}),
        (setup(), {"users": 16}),
        (setup(), {"cells": {"echoVoid": 1.0}}),
        (setup(), {"judged_by": "cpu_per_request"}),
    ],
    ids=["factors", "users", "operation", "measure"],
)
def test_another_question_is_not_contradicted(
    tmp_path: Path, environment: dict[str, Any], planted: dict[str, Any]
) -> None:
    judged(tmp_path / "run-1", LOWER, setup())
    assert judged(tmp_path / "run-2", HIGHER, environment, **planted).contradictions == []


def test_the_same_question_asked_the_other_way_round_is_the_same(tmp_path: Path) -> None:
    judged(tmp_path / "run-1", LOWER, setup(), reference=A)
    (found,) = judged(tmp_path / "run-2", HIGHER, setup("two"), seed=2).contradictions
    assert found.earlier_ratio == pytest.approx(0.75, rel=0.05) and found.same_boot is False
    alike = judged(tmp_path / "run-3", LOWER, setup("two"), seed=3, reference=A)
    assert [one.earlier for one in alike.contradictions] == ["run-2"]


def test_a_run_that_is_damaged_or_no_run_at_all_answers_nothing(tmp_path: Path) -> None:
    judged(tmp_path / "run-1", LOWER, setup())
    (tmp_path / "run-1" / "environment.json").write_text("{")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "verdicts.json").write_text(json.dumps({"comparisons": 3}))
    assert judged(tmp_path / "run-2", HIGHER, setup(), seed=2).contradictions == []


def test_a_note_that_is_nonsense_is_named(tmp_path: Path) -> None:
    run = begun(tmp_path / "run", LOWER, setup())
    (run / earlier.EARLIER).write_text('[{"run": "x"}]')
    with pytest.raises(StoreError, match=r"earlier\.json"):
        read_run(run)


def test_a_machine_is_told_apart_by_more_than_its_name(tmp_path: Path) -> None:
    lines = ("vendor_id : V", "cpu family : 25", "model : 1", "model name : EPYC", "stepping : 1", "microcode : 0xa0")
    cpu = "\n".join(("processor : 0", *lines, "flags : a hypervisor", ""))
    for name, text in {
        "proc/cpuinfo": f"{cpu}\n{cpu.replace('0xa0', '0xff')}",
        "proc/sys/kernel/random/boot_id": "an-identity\n",
        "sys/devices/system/cpu/cpu0/cache/index0/level": "1\n",
        "sys/devices/system/cpu/cpu0/cache/index0/type": "Data\n",
        "sys/devices/system/cpu/cpu0/cache/index0/size": "32K\n",
        **{f"sys/devices/system/cpu/cpu{n}/topology/physical_package_id": "0\n" for n in (0, 1)},
        **{f"sys/devices/system/cpu/cpu{n}/topology/core_id": "0\n" for n in (0, 1)},
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = fingerprint('{"least_us": 1400.5, "median_us": 1500.5, "rounds": 3}', tmp_path)
    assert {name: found[name] for name in ("processor", "family", "model", "stepping", "microcode", "virtual")} == {
        "processor": "EPYC", "family": "25", "model": "1", "stepping": "1", "microcode": "0xa0", "virtual": True,
    }  # fmt: skip
    assert found["caches"] == {"L1 data": "32K"} and found["topology"] == "1 socket, 1 core, 2 threads"
    assert found["reference_spin_us"] == {"least": 1400.5, "median": 1500.5}
    assert "identity" not in json.dumps(found) and len(found["boot"]) == 12
    assert "boot" not in fingerprint("", tmp_path / "nowhere")


def test_a_run_goes_on_after_a_restart_but_not_on_another_processor() -> None:
    then = {"machine": {"processor": "P", "stepping": "1", "boot": "a", "reference_spin_us": {"least": 1.0}}}
    now = {"machine": {"processor": "P", "stepping": "1", "boot": "b", "reference_spin_us": {"least": 2.0}}}
    assert list(setup_differences(then, now)) == []
    now["machine"]["stepping"] = "2"
    assert list(setup_differences(then, now)) == ["machine.stepping was 1 and is 2"]

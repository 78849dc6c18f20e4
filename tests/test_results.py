"""Kept runs are stable: their figures and verdicts are rebuilt from their raw files, to the byte."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest
from conftest import Lab
from steelyard.models.verdict import Verdicts

ROOT = Path(__file__).parent.parent
CONTRACTS = ROOT / "contracts"
PLACES = ("docs/results/*/raw.zip", "papers/*/results/*/raw.zip")
RUNS = {path.parent.name: path.parent for place in PLACES for path in sorted(ROOT.glob(place))}
SHORT = "demo"


def changed(lab: Lab, name: str, **environment: str) -> list[str]:
    """The files that a kept run's report makes otherwise than they are kept."""
    run = lab.folder / name
    shutil.copytree(RUNS[name], run)
    before = {path.name: path.read_bytes() for path in run.iterdir() if path.suffix in (".csv", ".json")}
    for file in before:
        (run / file).unlink()
    ran = lab.run("report", str(run), **environment)
    assert ran.code == 0, ran.err
    assert before.keys() >= {"results.csv", "verdicts.json"} and (run / "report.html").is_file()
    return [file for file, content in before.items() if (run / file).read_bytes() != content]


@pytest.mark.parametrize(
    "name", [SHORT, *(pytest.param(name, marks=pytest.mark.long) for name in RUNS if name != SHORT)]
)
def test_a_kept_run_is_rebuilt_to_the_byte(lab: Lab, name: str) -> None:
    assert changed(lab, name) == []


@pytest.mark.long
@pytest.mark.parametrize("kernel", ["Prescott", "Sandybridge", "Haswell", "SkylakeX"])
def test_a_kept_run_is_rebuilt_to_the_byte_as_on_other_processors(lab: Lab, kernel: str) -> None:
    # The libraries choose their kernels by the processor; these are other ones, which add in another order.
    features = numpy_features()
    older = features[:1] if kernel == "SkylakeX" else features
    assert changed(lab, "soaservers", OPENBLAS_CORETYPE=kernel, NPY_DISABLE_CPU_FEATURES=" ".join(older)) == []


def numpy_features() -> list[str]:
    """What numpy would use of this processor beyond what every processor has, the newest first."""
    from numpy._core import _multiarray_umath as kernels  # where numpy itself keeps them

    return [name for name in reversed(kernels.__cpu_dispatch__) if kernels.__cpu_features__.get(name)]


def test_there_is_a_kept_run() -> None:
    assert SHORT in RUNS


@pytest.mark.long
def test_two_kept_runs_stand_side_by_side_and_are_not_judged(lab: Lab) -> None:
    both = (str(RUNS["demo"]), str(RUNS["wstest"]))
    said = lab.run("report", *both)
    assert said.code == 0, said.err
    assert "what differs" in said.out and "not paired: " in said.out
    found = lab.run("report", *both, "--json").json()
    jsonschema.validate(found, json.loads((CONTRACTS / "beside-output.schema.json").read_text()))
    assert {one["subject"] for one in found["figures"]} == {"tomcat-metro", "go"}


@pytest.fixture(scope="module")
def page_maker() -> ModuleType:
    """tools/results.py."""
    tools = ROOT / "tools"
    sys.path.insert(0, str(tools))
    try:
        return importlib.import_module("results")
    finally:
        sys.path.remove(str(tools))


def turned_round(verdicts: Verdicts, a: str, b: str) -> Verdicts:
    """The same with the verdict on a against b the other way round."""
    other = {"faster": "slower", "slower": "faster"}
    comparisons = [
        one.model_copy(update={"verdict": other[str(one.verdict)]})
        if (one.a, one.b) == (a, b) and one.is_decided
        else one
        for one in verdicts.comparisons
    ]
    return verdicts.model_copy(update={"comparisons": comparisons})


def test_a_sentence_that_a_kept_run_does_not_bear_out_is_not_written_on_the_page_of_kept_runs(
    page_maker: ModuleType,
) -> None:
    kept = page_maker.Kept(RUNS["wstest"])
    assert "CXF, which is WildFly's stack too" in page_maker.MADE["wstest"](kept)
    both = kept.between("tomcat-cxf", "wildfly")
    kept.__dict__["verdicts"] = turned_round(kept.verdicts, both.a, both.b)
    del kept.__dict__["primaries"]
    with pytest.raises(page_maker.NoLongerTrueError, match="CXF, which is WildFly's stack too"):
        page_maker.MADE["wstest"](kept)

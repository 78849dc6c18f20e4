"""The drivers of one trial write tables with equal columns: those of contracts/engine-output.md."""

import re
from pathlib import Path

import fake_engine

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "engine" / "src" / "record" / "tables.rs"
RMI = ROOT / "engine" / "rmi" / "src" / "main" / "java" / "steelyard" / "rmi" / "Output.java"


def columns_of_constant(source: Path, name: str) -> list[str]:
    """The columns in a constant of a Rust or Java source: its string literals, joined."""
    declared = re.search(rf"\b{name}\b[^=]*=(.*?);", source.read_text(encoding="utf-8"), re.DOTALL)
    assert declared, f"{source.name} declares no {name}"
    literals = "".join(re.findall(r'"([^"]*)"', declared[1]))
    return "".join(literals.replace("\\", "").split()).split(",")


def documented_slice_columns() -> list[str]:
    """The columns of slices.csv that the contract names."""
    contract = (ROOT / "contracts" / "engine-output.md").read_text(encoding="utf-8")
    block = re.search(r"^    slice,subject.*?\n\n", contract, re.DOTALL | re.MULTILINE)
    assert block
    return "".join(block[0].split()).split(",")


def test_every_driver_writes_the_slice_columns_of_the_contract() -> None:
    documented = documented_slice_columns()
    assert len(documented) > 50
    assert columns_of_constant(ENGINE, "SLICE_COLUMNS") == documented
    assert columns_of_constant(RMI, "SLICE_COLUMNS") == documented
    assert fake_engine.SLICES.split(",") == documented


def test_both_drivers_write_the_same_tick_columns() -> None:
    assert columns_of_constant(RMI, "TICK_COLUMNS") == columns_of_constant(ENGINE, "TICK_COLUMNS")

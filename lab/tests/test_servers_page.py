"""The page of the servers has every server with its results."""

from __future__ import annotations

import json
import random
from pathlib import Path
from types import ModuleType

import pytest
from programs import program
from steelyard.base.errors import StoreError
from steelyard.catalogue import entries
from steelyard.measure.conformance import rows
from steelyard.models.outputs.catalogue import ServersOutput

ROOT = Path(__file__).parents[2]


@pytest.fixture
def page() -> ModuleType:
    """tools/servers_page.py."""
    return program("servers_page")


def test_the_page_must_hold_every_server_and_what_was_found_of_it(page: ModuleType) -> None:
    names = sorted(entries.server_files())
    listed = [rows.row(entries.server(name)) for name in names]
    listed[names.index("go")] = listed[names.index("go")].model_copy(
        update={"contract": False, "reason": "it | sleeps"}
    )
    whole = ServersOutput(servers=listed)
    assert page.complaints(whole, page.written(whole)) == []
    assert "it \\| sleeps" in page.written(whole)
    assert all(page._cell(why) in page.written(whole) for row in listed for why in row.deviations.values())

    assert page.complaints(whole, page.written(whole) + "!") != []
    lost = random.Random(1).choice(names)
    short = whole.model_copy(update={"servers": [row for row in listed if row.name != lost]})
    assert any(lost in complaint for complaint in page.complaints(short, page.written(short)))


def test_what_is_kept_is_what_the_schema_says() -> None:
    kept = ROOT / "docs" / "reference" / "servers.json"
    listed = ServersOutput.model_validate(json.loads(kept.read_text())).servers
    assert all(row.checked is not None for row in listed if row.contract is not None)


def test_what_is_kept_of_other_servers_stays(tmp_path: Path) -> None:
    path = tmp_path / "servers.json"
    go, null = (rows.row(entries.server(name)) for name in ("go", "null"))
    rows.keep(path, [null, go])
    rows.keep(path, [go.model_copy(update={"contract": True})])
    kept = ServersOutput.model_validate_json(path.read_text()).servers
    assert [(row.name, row.contract) for row in kept] == [("go", True), ("null", None)]
    path.write_text("[]")
    with pytest.raises(StoreError, match="contains no results of"):
        rows.keep(path, [go])

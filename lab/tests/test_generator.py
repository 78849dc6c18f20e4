"""A service's generator is an untrusted program: every fault of its output ends in one sentence."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from steelyard.base.errors import ContractError
from steelyard.catalogue import entries
from steelyard.workload.exchanges import generate_exchanges


@pytest.mark.parametrize("line", ["oops", "[" * 100_000])
def test_a_line_that_is_no_exchange_is_refused_by_a_sentence(tmp_path: Path, line: str) -> None:
    service = entries.service("wstest")
    (tmp_path / "generate.py").write_text(f"print({line!r})\n", encoding="utf-8")
    model = service.model.model_copy(
        update={"generate": [sys.executable, str(tmp_path / "generate.py")], "generate_with": []}
    )
    with pytest.raises(ContractError, match="printed a line that is not JSON"):
        list(generate_exchanges(replace(service, model=model), "echoStruct", seed=1, count=1, parameters={}))

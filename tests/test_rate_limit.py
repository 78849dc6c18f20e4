"""A server behind a limiter that delays its requests: turns would let twice its rate through, so it is driven in stretches."""

from __future__ import annotations

import pytest
from conftest import Lab
from steelyard.base.paths import root

pytestmark = [pytest.mark.alone, pytest.mark.long]
PROGRAM = root() / "engine" / "target" / "debug" / "steelyard-testserver"
LIMIT = 800  # requests per second, about a quarter of what the server could answer
START = "#!/bin/sh\nsleep 1000 | exec {program} defer --port $1 {words}\n"  # it ends with its standard input


def script(lab: Lab, name: str, words: str) -> str:
    """The command line of a server that is started by a script of this name."""
    file = lab.folder / name
    file.write_text(START.format(program=PROGRAM, words=words))
    file.chmod(0o755)
    return f"./{name} {{port}}"


def test_a_limiter_that_delays_is_named_and_its_true_rate_is_measured(lab: Lab) -> None:
    if not PROGRAM.is_file():
        pytest.skip("the test servers are not built: `make build-rust-tests` does that")
    limited = script(lab, "limited", f"--limit-per-s {LIMIT} --burst {LIMIT} --excess wait")
    honest = script(lab, "honest", "")
    ran = lab.run_undisturbed("compare", limited, honest, "--request", "POST /", "--budget", "10m", "--json")
    assert ran.err.count("turns distort a subject") == 1
    outcome = ran.json()
    primary = next(each for each in outcome["comparisons"] if each["primary"])
    assert primary["verdict"] == "slower" and primary["forks"] >= 2
    rates = {figure["subject"]: figure["value"] for figure in outcome["figures"] if figure["measure"] == "throughput"}
    assert rates["limited"] == pytest.approx(LIMIT, rel=0.03)
    assert primary["ratio"] == pytest.approx(LIMIT / rates["honest"], rel=0.05)

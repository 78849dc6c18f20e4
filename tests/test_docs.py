"""Every command that the documents show exists, with every flag that they give it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Lab

ROOT = Path(__file__).parent.parent
DOCUMENTS = ["README.md", "METHODOLOGY.md", "CONTRIBUTING.md", "ARCHITECTURE.md"]
COMMAND = re.compile(r"(?:uv run |`)steelyard ((?:[a-z]|--)[^`\n|#]*)")


def commands() -> list[str]:
    found = {match.strip().rstrip(".;,") for name in DOCUMENTS for match in COMMAND.findall((ROOT / name).read_text())}
    return sorted(found)


@pytest.mark.parametrize("command", commands())
def test_a_documented_command_and_its_flags_exist(lab: Lab, command: str) -> None:
    words = command.split()
    names = [word for word in words[:2] if re.fullmatch(r"[a-z]+", word) and words[0] in ("servers", word)]
    ran = lab.run(*(names[:2] if words[0] == "servers" and names[1:] == ["check"] else names[:1]), "--help")
    assert ran.code == 0, ran.err
    for flag in (word for word in words if word.startswith("--")):
        assert flag.split("=")[0] in ran.out, f"{command}: {flag} is not an option"


def test_the_documents_show_commands_at_all() -> None:
    assert len(commands()) >= 8

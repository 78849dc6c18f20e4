"""A function of the lab is named by a verb or by what it returns: no name is a past participle alone."""

import ast
import re
from pathlib import Path

import pytest
import steelyard

LAB = Path(steelyard.__file__).parent
IRREGULAR = {
    *("asked", "begun", "borne", "bought", "broken", "brought", "built", "caught", "chosen", "cut"),
    *("dealt", "died", "done", "drawn", "driven", "felt", "found", "frozen", "given", "gone", "got"),
    *("grown", "had", "heard", "held", "hidden", "hung", "kept", "known", "laid", "left", "lost", "made"),
    *("meant", "met", "paid", "put", "ran", "said", "saw", "seen", "sent", "shown", "spent", "spoken"),
    *("spun", "stood", "taken", "thought", "told", "understood", "written"),
}
# Verbs and nouns that end as a participle does.
ALLOWED = {"cut", "put", "read", "run", "set", "split", "spread", "seed", "need", "speed", "feed", "embed"}


def is_participle(name: str) -> bool:
    """Whether a name is one word and a past participle, without a noun or a verb beside it."""
    word = name.strip("_")
    return word not in ALLOWED and (word in IRREGULAR or re.fullmatch(r"[a-z]+ed", word) is not None)


def names_of_functions() -> list[tuple[str, str]]:
    """Each function, method and property of the lab: its file with the line, and its name."""
    return [
        (f"{path.relative_to(LAB)}:{node.lineno}", node.name)
        for path in sorted(LAB.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


@pytest.mark.parametrize("name", ["said", "_told", "asked", "judged", "settled", "_left", "saw"])
def test_a_participle_is_recognized(name: str) -> None:
    assert is_participle(name)


@pytest.mark.parametrize("name", ["read", "_run", "put", "is_decided", "counted_pairs", "spread", "describe"])
def test_a_verb_and_a_noun_are_no_participle(name: str) -> None:
    assert not is_participle(name)


def test_no_function_is_named_by_a_participle_alone() -> None:
    names = names_of_functions()
    assert len(names) > 1_000
    assert [f"{place}: {name}" for place, name in names if is_participle(name)] == []

"""A subject's places are those of all orders that contradict no decided pair; checked by trying every order."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations

import pytest
from steelyard.analyse.analysis import analyse_run
from steelyard.analyse.verdicts import Judgement, ranked_subjects
from steelyard.results.stored_run import Run, read_run
from steelyard.statistics.verdict_words import Word
from synthetic import Planted, write_run

NAMES = ("go", "tomcat-metro", "tomcat-cxf", "wildfly", "liberty")


@pytest.fixture(scope="module")
def weighed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, list[Judgement]]:
    rates = {name: 1000.0 + 100 * place for place, name in enumerate(NAMES)}
    run = read_run(write_run(tmp_path_factory.mktemp("places") / "run", Planted(rates=rates)))
    return run, [one for one in analyse_run(run).judgements if one.compared.primary]


def with_words(judgements: list[Judgement], better: set[tuple[str, str]]) -> list[Judgement]:
    """The judgements with words such that of each pair (x, y) of `better` x is shown to be faster, and no other is decided."""

    def word(a: str, b: str) -> Word:
        return Word.FASTER if (a, b) in better else Word.SLOWER if (b, a) in better else Word.UNDECIDED

    return [replace(one, word=word(one.compared.a, one.compared.b)) for one in judgements]


def places(run: Run, judgements: list[Judgement]) -> dict[str, tuple[int, int]]:
    return {one.subject: (one.best, one.worst) for one in ranked_subjects(run, judgements)}


@pytest.mark.parametrize("seed", range(20))
def test_places_are_those_of_every_order_that_contradicts_no_decided_pair(
    weighed: tuple[Run, list[Judgement]], seed: int
) -> None:
    draw = random.Random(seed)
    truth = draw.sample(NAMES, len(NAMES))
    better = {(x, y) for place, x in enumerate(truth) for y in truth[place + 1 :] if draw.random() < 0.4}
    orders = [one for one in permutations(NAMES) if all(one.index(x) < one.index(y) for x, y in better)]
    wanted = {
        name: (1 + min(one.index(name) for one in orders), 1 + max(one.index(name) for one in orders)) for name in NAMES
    }
    assert places(weighed[0], with_words(weighed[1], better)) == wanted


def test_a_decided_pair_is_never_ranked_the_other_way_round(weighed: tuple[Run, list[Judgement]]) -> None:
    """One that is undecided against the reference stood above another that it had been shown slower than."""
    found = places(*(weighed[0], with_words(weighed[1], {("go", "tomcat-cxf"), ("tomcat-cxf", "liberty")})))
    assert found["go"][0] < found["tomcat-cxf"][0] < found["liberty"][0]
    assert found["go"][1] < found["tomcat-cxf"][1] < found["liberty"][1]


def test_pairs_that_contradict_each_other_take_no_place_away(weighed: tuple[Run, list[Judgement]]) -> None:
    circle = {("go", "wildfly"), ("wildfly", "liberty"), ("liberty", "go")}
    found = places(weighed[0], with_words(weighed[1], circle))
    assert set(found.values()) == {(1, len(NAMES))}


def test_subjects_stand_by_their_ratio_whatever_their_places(weighed: tuple[Run, list[Judgement]]) -> None:
    order = [one.subject for one in ranked_subjects(weighed[0], with_words(weighed[1], {("go", "liberty")}))]
    assert order == sorted(NAMES, key=NAMES.index, reverse=True)

"""`steelyard why`: a difference in response time split by layer, against delays that were planted and against none."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from command import steelyard
from layered import LAYERS, observed
from steelyard.analyse.instrument import Finding, Level
from steelyard.analyse.layer_checks import RECORDS
from steelyard.analyse.layer_split import OUTSIDE, split
from steelyard.models.outputs.run import LayerSplit, WhyOutput
from steelyard.results.layer_table import TimedRequests
from steelyard.results.request_columns import LayerTime, RequestRecord, columns_of
from steelyard.results.stored_run import Run, Trial, read_run
from steelyard.statistics.interval import student_interval
from steelyard.statistics.split import Differences, intervals
from synthetic import Planted, write_run

SEEDS = range(1, 21)  # fixed before any of them was drawn
FORKS, PAIRS, REQUESTS = 5, 4, 20
USUAL_MS = {"web": 0.1, "service": 0.5, "engine": 0.3, "reads": 0.1, OUTSIDE.name: 0.2}
DELAY_MS = 0.5


@dataclass(frozen=True)
class Times:
    """How long requests take: `delays` in ms, by place, are of subject a alone, as are those of one fork only (`in_fork`).

    `scatter` is the sigma of single requests' lognormal times by subject, `fork_scatter` that of forks and of pairs.
    """

    seed: int
    delays: Mapping[str, float] = field(default_factory=dict)
    in_fork: Mapping[str, float] = field(default_factory=dict)
    scatter: Mapping[str, float] = field(default_factory=lambda: {"a": 0.3, "b": 0.3})
    fork_scatter: Mapping[str, float] = field(default_factory=lambda: {"a": 0.03, "b": 0.03})
    requests: int = REQUESTS


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of two subjects that asked for layers, as yet without records."""
    folder = tmp_path_factory.mktemp("why") / "run"
    planted = Planted(rates={"a": 20.0, "b": 20.0}, reference="b", cells={"search": 1.0}, forks=FORKS, pairs=PAIRS)
    write_run(folder, planted)
    return asking(read_run(folder))


def asking(run: Run) -> Run:
    asked = {"observe": ["layers"], "layers": LAYERS, "nesting": ["filter", "si", "hibernate", "reads"]}
    return replace(run, schedule=run.schedule.model_copy(update=asked))


def timed(run: Run, times: Times) -> Run:
    """The run with requests that take as long as `times` says, in every slice that was measured."""
    return replace(run, trials=[_timed(trial, times) for trial in run.trials])


def _timed(trial: Trial, times: Times) -> Trial:
    slices, layers = dict(trial.slices), {}
    of_fork = {who: math.exp(_draw(times, trial, who).gauss(0, times.fork_scatter[who])) for who in "ab"}
    for number, plan in trial.plans.items():
        if plan.phase == "measure":
            draw = _draw(times, trial, str(number))
            pace = of_fork[plan.subject] * math.exp(draw.gauss(0, times.fork_scatter[plan.subject]))
            more = dict(times.delays) if plan.subject == "a" else {}
            if plan.subject == "a" and trial.number == 2:
                more |= times.in_fork
            requests = [_request(draw, times.scatter[plan.subject], pace, more) for _ in range(times.requests)]
            row = slices[number]
            slices[number] = replace(
                row,
                completed=len(requests),
                started=len(requests),
                lead_in_completed=0,
                response_ns_sum=round(sum(sum(own.values()) for own in requests) * 1e6),
            )
            records = columns_of(record_of(row.begin_ns + place, own) for place, own in enumerate(requests))
            layers[number] = TimedRequests(plan.subject, number, np.ones(len(records), dtype=bool), records)
    return replace(trial, slices=slices, layers=layers)


def _draw(times: Times, trial: Trial, what: str) -> random.Random:
    return random.Random(f"{times.seed} {trial.number} {what}")


def _request(draw: random.Random, sigma: float, pace: float, more: Mapping[str, float]) -> dict[str, float]:
    """Its own time in each place, in ms: lognormal with the usual mean."""
    return {
        place: usual * pace * math.exp(draw.gauss(0, sigma) - sigma**2 / 2) + more.get(place, 0.0)
        for place, usual in USUAL_MS.items()
    }


def record_of(begin_ns: int, own_ms: Mapping[str, float]) -> RequestRecord:
    """A record of layers within each other."""
    inside = [(layer.tags[0], round(own_ms[layer.name] * 1e6)) for layer in LAYERS]
    layers = {
        tag: LayerTime(1, sum(ns for _, ns in inside[place:]), own_ns, place)
        for place, (tag, own_ns) in enumerate(inside)
    }
    return RequestRecord(7, begin_ns, 0, layers, {})


def splits(run: Run, all_times: Sequence[Times]) -> list[LayerSplit]:
    found = [split(timed(run, times), run.schedule.cells[0], "a", "b", ()) for times in all_times]
    return [of_run for of_run in found if of_run is not None]


def named(found: LayerSplit) -> set[str]:
    """The parts that are told apart."""
    return {part.layer for part in found.parts if part.told_apart}


def test_a_delay_is_found_in_its_layer_and_explained(whole: Run) -> None:
    places = [
        list(USUAL_MS)[seed % len(USUAL_MS)] for seed in SEEDS
    ]  # each layer four times, and outside of all as often
    found = splits(whole, [Times(seed, delays={place: DELAY_MS}) for seed, place in zip(SEEDS, places, strict=True)])
    right = [of_run.whole.told_apart and named(of_run) == {place} for of_run, place in zip(found, places, strict=True)]
    assert len(right) == len(SEEDS) and sum(right) >= 19
    parts = [
        next(part for part in of_run.parts if part.layer == place) for of_run, place in zip(found, places, strict=True)
    ]
    explained = [part.ms / of_run.whole.ms for part, of_run in zip(parts, found, strict=True)]
    assert sum(share >= 0.9 for share in explained) >= 19
    assert fmean(part.ms for part in parts) == pytest.approx(DELAY_MS, rel=0.03)


def test_where_nothing_was_planted_nothing_is_told_apart(whole: Run) -> None:
    found = splits(whole, [Times(seed) for seed in SEEDS])
    assert sum(not named(of_run) and not of_run.whole.told_apart for of_run in found) >= 19


def test_parts_sum_up_to_the_whole(whole: Run) -> None:
    for found in splits(whole, [Times(seed, delays={"engine": 0.2, "web": -0.05}) for seed in (1, 2, 3)]):
        for side in ("a_ms", "b_ms", "ms"):
            parts = sum(getattr(part, side) for part in found.parts)
            assert parts == pytest.approx(getattr(found.whole, side), abs=1e-4)


def test_noise_of_one_subject_alone_is_no_difference(whole: Run) -> None:
    noisy = {"scatter": {"a": 1.2, "b": 0.3}, "fork_scatter": {"a": 0.2, "b": 0.01}}
    found = splits(whole, [Times(seed, **noisy) for seed in SEEDS])
    assert sum(not named(of_run) and not of_run.whole.told_apart for of_run in found) >= 19


def test_one_fork_that_is_an_outlier_names_no_layer(whole: Run) -> None:
    found = splits(whole, [Times(seed, in_fork={"engine": 10.0}) for seed in SEEDS])
    assert sum(not named(of_run) and not of_run.whole.told_apart for of_run in found) >= 19


def test_an_outlier_in_one_layer_does_not_hide_a_delay_in_another(whole: Run) -> None:
    found = splits(whole, [Times(seed, delays={"web": DELAY_MS}, in_fork={"engine": 10.0}) for seed in SEEDS])
    assert sum(named(of_run) == {"web"} for of_run in found) >= 19


@pytest.mark.parametrize("delay_ms", [0.0, DELAY_MS])
def test_few_records_name_no_wrong_layer(whole: Run, delay_ms: float) -> None:
    few = replace(whole, trials=whole.trials[:3])
    found = splits(few, [Times(seed, delays={"service": delay_ms}, requests=2) for seed in SEEDS])
    allowed = {"service"} if delay_ms else set()
    assert sum(named(of_run) <= allowed for of_run in found) >= 19


def test_two_layers_that_cancel_out_are_both_named(whole: Run) -> None:
    found = splits(whole, [Times(seed, delays={"service": -0.3, "engine": 0.3}) for seed in SEEDS])
    assert sum(named(of_run) == {"service", "engine"} and not of_run.whole.told_apart for of_run in found) >= 19


def test_intervals_that_hold_together_raise_no_more_alarms_than_they_promise() -> None:
    draw = random.Random(4)
    runs, alarms, alone = 300, 0, 0
    for _ in range(runs):
        parts = [Differences(tuple((draw.gauss(0, 1),) for _ in range(5))) for _ in range(7)]
        alarms += any(not bound.low <= 0 <= bound.high for bound in intervals(parts))
        alone += any(not bound.low <= 0 <= bound.high for bound in (student_interval(part.by_fork) for part in parts))
    assert alarms / runs <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)
    assert alone / runs > 0.2  # what looking at each alone would cost


def test_forks_that_agree_by_luck_are_as_unsure_as_their_pairs() -> None:
    lucky = Differences(((-1.0, 1.1), (-2.0, 2.1), (1.5, -1.4)))
    (bound,) = intervals([lucky])
    assert bound.low < -1 < 1 < bound.high
    agreed = student_interval(lucky.by_fork)
    assert agreed.high < 0.1


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder with records, in which the service layer of a is 5 ms slower."""
    folder = tmp_path_factory.mktemp("stored") / "run"
    planted = Planted(
        rates={"a": 20.0, "b": 30.0}, reference="b", cells={"search": 1.0}, forks=3, pairs=3, slice_seconds=1.0, users=2
    )
    return observed(folder, planted, {"a": 5.0})


def test_the_command_says_it_in_sentences_in_a_table_and_as_one_object(stored: Path, tmp_path: Path) -> None:
    ran = steelyard("why", str(stored), "--html", "why.html", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert "5.00 ms more in Service (" in ran.out and "No difference detected: Web, Engine" in ran.out
    assert [line.split()[0] for line in ran.out.split("\n\n")[1].splitlines()[1:-1]] == [
        *("Web", "Service", "Engine", "Reads", "Outside", "Response"),
    ]
    page = (tmp_path / "why.html").read_text(encoding="utf-8")
    assert "5.00 ms more in Service (" in page and page.count("<svg") == 2
    ran = steelyard("why", str(stored), "--json", "--subjects", "b", "a", "--test", "search", folder=tmp_path)
    said = WhyOutput.model_validate(json.loads(ran.out))
    service = next(part for part in said.parts if part.layer == "service")
    assert (said.a, said.b, service.told_apart) == ("b", "a", True)
    assert service.ms == pytest.approx(-5, abs=0.01)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--subjects", "a", "c"], "no subject 'c'"),
        (["--subjects", "a", "a"], "does not differ from itself"),
        (["--test", "serach"], "did you mean 'search'?"),
    ],
)
def test_a_word_of_why_that_is_not_known_is_named(stored: Path, tmp_path: Path, words: list[str], said: str) -> None:
    ran = steelyard("why", str(stored), *words, folder=tmp_path)
    assert ran.code == 64 and said in ran.err and not ran.out


def test_a_run_without_records_is_told_what_to_do(tmp_path: Path) -> None:
    write_run(tmp_path / "run", Planted(forks=1, pairs=3))
    ran = steelyard("why", "run", folder=tmp_path)
    assert ran.code == 1 and "has no records of layers" in ran.err and 'observe = ["layers"]' in ran.err


def judged(run: Run, *findings: Finding) -> LayerSplit:
    (found,) = [split(timed(run, Times(1, delays={"web": 1.0})), run.schedule.cells[0], "a", "b", findings)]
    assert found is not None
    return found


def test_an_instrument_that_is_not_valid_tells_nothing_apart(whole: Run) -> None:
    assert named(judged(whole)) == {"web"}
    wrong = Finding(RECORDS, "search", "a", Level.INVALID, "", "", "3 requests of a are lost")
    found = judged(whole, wrong)
    assert not named(found) and found.why_not == ["3 requests of a are lost"]
    assert found.sentences[1] == "The layers cannot be compared: 3 requests of a are lost."
    elsewhere = [replace(wrong, cell="another"), replace(wrong, subject="c"), replace(wrong, level=Level.WARNING)]
    assert named(judged(whole, *elsewhere)) == {"web"}


def test_one_fork_tells_nothing_apart(whole: Run) -> None:
    found = judged(replace(whole, trials=whole.trials[:1]))
    assert not named(found) and "one fork" in found.why_not[0]
    assert all(part.interval is None for part in found.parts)


def test_unlike_subjects_are_not_told_apart(whole: Run) -> None:
    unlike = replace(whole, schedule=whole.schedule.model_copy(update={"unlike": [("b", "a")]}))
    assert not named(judged(unlike))


def test_records_of_other_requests_than_the_answers_are_not_believed(whole: Run) -> None:
    run = timed(whole, Times(1))
    trials = [
        replace(
            trial, slices={n: replace(row, response_ns_sum=row.response_ns_sum // 2) for n, row in trial.slices.items()}
        )
        for trial in run.trials
    ]
    found = split(replace(run, trials=trials), whole.schedule.cells[0], "a", "b", ())
    assert found is not None and not named(found) and "the records belong to other requests" in found.why_not[0]


def test_subjects_that_no_trial_measured_together_have_no_split(whole: Run) -> None:
    assert split(whole, whole.schedule.cells[0], "a", "b", ()) is None  # no records yet

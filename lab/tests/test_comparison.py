"""Comparisons from the command line, and when they have enough forks."""

import re
import tomllib
from collections.abc import Callable

import pytest
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries, subject_syntax
from steelyard.models.records import Schedule
from steelyard.models.study import Study
from steelyard.plan import stopping
from steelyard.plan.budget import Fitted, fit_to_budget
from steelyard.plan.designs.design import LEAST_PAIRS
from steelyard.plan.estimate import of_trial
from steelyard.plan.run_parameters import Request, merge_parameters
from steelyard.plan.schedule import schedule_of


def study(*subjects: str, budget: float = 900, rate: float | None = None) -> Study:
    return subject_syntax.study_of(subjects, "wstest", "echoStruct", rate=rate, budget_seconds=budget, margin=0.03)


def schedule(one: Study, turn_ms: float = 0, **wishes: object) -> Schedule:
    """Slices of 2 s in one stretch cost 2.3 s."""
    request = Request(**wishes)  # type: ignore[arg-type]
    service = entries.service(one.service).model
    planned = schedule_of(one, service, request, merge_parameters(one, request), 8)
    return planned.model_copy(update={"turn_ms": turn_ms})


@pytest.mark.parametrize(
    ("words", "server", "factors"),
    [
        ("go", "go", {}),
        ("tomcat-metro@heap=512m", "tomcat-metro", {"heap": "512m"}),
        ('tomcat-metro@jvm="-Xmx256m"@jdk=17', "tomcat-metro", {"jvm": "-Xmx256m", "jdk": "17"}),
    ],
)
def test_a_subject_is_a_server_with_settings(words: str, server: str, factors: dict[str, str]) -> None:
    (part,) = subject_syntax.subject_of(words).parts
    assert (part.server, part.factors) == (server, factors)


@pytest.mark.parametrize("words", ["", "@heap=1m", "a@Heap=1m", "a@heap", "a@heap=1m@heap=2m"])
def test_a_subject_that_cannot_be_understood_is_refused(words: str) -> None:
    with pytest.raises(ConfigurationError, match="not of the form"):
        subject_syntax.subject_of(words)


def test_a_server_may_be_compared_with_itself() -> None:
    labels = schedule(study("go", "go")).subjects
    assert labels == ["go", "go.again"]


def test_the_second_of_two_is_the_reference_and_the_first_of_more() -> None:
    assert study("a", "b").reference == "b"
    assert study("a", "b", "c").reference == "a"


def test_a_stored_comparison_can_be_run_again() -> None:
    made = study("tomcat-metro@heap=512m", "go", rate=500.0)
    assert Study.model_validate(tomllib.loads(subject_syntax.text_of(made))) == made


def test_a_rate_makes_the_load_open() -> None:
    (cell,) = schedule(study("a", "b", rate=500.0)).cells
    assert cell.profile.kind == "rate"


@pytest.mark.parametrize(("words", "seconds"), [("90s", 90), ("10m", 600), ("1.5h", 5400), ("2 min", 120)])
def test_times_are_read(words: str, seconds: float) -> None:
    assert subject_syntax.seconds_of(words) == seconds


@pytest.mark.parametrize("words", ["", "0s", "ten", "-3m", "5 d", "45"])
def test_what_is_no_time_is_refused(words: str) -> None:
    with pytest.raises(ConfigurationError, match="not a time"):
        subject_syntax.seconds_of(words)


@pytest.mark.parametrize(("words", "share"), [("5%", 0.05), ("0.05", 0.05)])
def test_margins_are_read(words: str, share: float) -> None:
    assert subject_syntax.share_of(words) == pytest.approx(share)


def never() -> bool:
    return False


def after_one(now: Schedule, seconds: float, pairs: int | None = None) -> Schedule:
    """The schedule after a first trial of so many seconds, where the pilot asks for so many pairs."""
    return stopping.stopping_of(never, lambda planned: pairs or planned.pairs_per_cell)(now, 1, seconds)


def forks_driven(one: Study, decided: Callable[[], bool], seconds_a_fork: float, **wishes: object) -> int:
    """How many forks a run of this study drives when each costs so much."""
    now = schedule(one, **wishes)
    enough = stopping.stopping_of(decided, lambda planned: planned.pairs_per_cell)
    done = 0
    while done < len(now.trials):
        done += 1
        now = enough(now, done, done * seconds_a_fork)
    return done // stopping.trials_per_fork(now)


def test_a_comparison_ends_at_the_first_look_that_decides() -> None:
    assert forks_driven(study("a", "b"), lambda: True, 1) == 4


def test_an_undecided_comparison_ends_at_the_last_look() -> None:
    assert forks_driven(study("a", "b"), never, 1) == 12


def test_groups_of_different_sizes_cost_what_they_have_subjects() -> None:
    """Five servers of which four fit a trial: the second group has the reference and one more, and costs half."""
    soakit = entries.study("soakit").model
    now = schedule(soakit, operations=("sushi-boats",), budget_seconds=3000.0)
    assert [len(trial.start_order) for trial in now.trials] == [4, 2] * 4
    enough, spent, done = stopping.stopping_of(never, lambda planned: planned.pairs_per_cell), 0.0, 0
    while done < len(now.trials):
        spent += 100.0 * len(now.trials[done].start_order)
        done += 1
        now = enough(now, done, spent)
    assert (done, spent) == (8, 2400.0)


@pytest.mark.parametrize(
    ("seconds_a_fork", "forks", "looks"), [(80, 7, [4, 7]), (100, 6, [4, 6]), (125, 5, [4, 5]), (150, 4, [4])]
)
def test_an_undecided_comparison_ends_at_the_last_fork_of_its_budget_with_looks_for_so_many(
    seconds_a_fork: float, forks: int, looks: list[int]
) -> None:
    one = study("a", "b", budget=600)
    assert forks_driven(one, never, seconds_a_fork) == forks
    now, enough = schedule(one), stopping.stopping_of(never, lambda planned: planned.pairs_per_cell)
    for done in (1, 2, 3):
        now = enough(now, done, done * seconds_a_fork)
    assert now.looks == looks and len(now.trials) == forks


def test_a_first_fork_that_is_dear_takes_no_later_forks_away() -> None:
    now, enough = (
        schedule(study("a", "b", budget=300)),
        stopping.stopping_of(never, lambda planned: planned.pairs_per_cell),
    )
    spent = [70.0, 122.0, 165.0, 212.0]
    planned = []
    for done, seconds in enumerate(spent, 1):
        now = enough(now, done, seconds)
        planned.append(len(now.trials))
    assert planned == [4, 4, 6, 6] and now.looks == [4, 6]


def test_looks_are_not_chosen_again_once_one_was_taken() -> None:
    now, enough = (
        schedule(study("a", "b", budget=600)),
        stopping.stopping_of(never, lambda planned: planned.pairs_per_cell),
    )
    for done, seconds in ((1, 150.0), (2, 300.0), (3, 450.0), (4, 460.0)):
        now = enough(now, done, seconds)
    assert now.looks == [4] and len(now.trials) == 4


def test_a_budget_is_a_promise_also_where_it_does_not_hold_the_first_look() -> None:
    assert forks_driven(study("a", "b", budget=10), never, 80) == 1
    assert forks_driven(study("a", "b", budget=240), never, 80) == 3
    assert forks_driven(study("a", "b", budget=310), never, 80) == 4, "a twentieth over is no other fork"


def test_where_the_first_look_would_come_too_late_later_forks_hold_fewer_pairs() -> None:
    now = schedule(study("a", "b", budget=240), pairs=12)
    changed = after_one(now, 90)  # 55.2 s of them for twelve pairs of two slices of 2 s
    assert (changed.pairs_per_cell, len(changed.trials)) == (3, 4)
    assert changed.left_out == ["9 of 12 pairs a fork"]
    assert 90 + 3 * (90 - 55.2 + 3 * 4.6) <= 240


def test_what_was_spent_before_the_first_trial_is_no_trials_cost() -> None:
    now = schedule(study("a", "b", budget=270), pairs=12)
    rule = stopping.stopping_of(never, lambda planned: planned.pairs_per_cell, 30.0)
    changed = rule(now, 1, 30.0 + 90.0)
    alone = after_one(now.model_copy(update={"budget_seconds": 240.0}), 90)
    assert changed == alone.model_copy(update={"budget_seconds": 270.0})
    assert stopping.without_verdict(now, now, 110.0, 60.0) == "", "a trial took 50 s"
    assert stopping.without_verdict(now, now, 110.0) != ""


def test_a_budget_holds_the_pilot_of_the_engines_threads() -> None:
    one = schedule(study("a", "b", budget=120))
    plain, piloted = (
        fit_to_budget(one, {"a": False, "b": False}, slice_fixed=False, engine_processors=count).schedule
        for count in (1, 4)
    )
    assert 3 <= piloted.pairs_per_cell < plain.pairs_per_cell
    assert piloted.budget_seconds == 120


def compared(budget: float, *, compiles: bool, **asked: object) -> Fitted:
    one = schedule(study("a", "b", budget=budget), **asked)
    return fit_to_budget(one, {"a": compiles, "b": compiles}, slice_fixed="slice_seconds" in asked)


def test_a_small_budget_is_fitted_before_anything_runs_and_that_is_said() -> None:
    whole = compared(900, compiles=True)
    assert (whole.schedule.slice_seconds, whole.schedule.pairs_per_cell, whole.messages) == (2.0, 12, ())
    small = compared(120, compiles=False)
    assert small.schedule.slice_seconds == 1.0 and 3 <= small.schedule.pairs_per_cell < 12
    trial = of_trial(small.schedule, ["a", "b"], {"a": False, "b": False}).least
    assert 4 * trial <= 120 < 4 * (trial + 2 * 1.3) and len(small.messages) == 1
    assert small.messages[0].startswith("to keep to 2 min 00 s: slices of 1 s, not 2, at most ")
    fixed = compared(160, compiles=False, slice_seconds=2.0)
    assert fixed.schedule.slice_seconds == 2.0 and fixed.schedule.pairs_per_cell < 12


def test_what_a_budget_cannot_hold_is_said_before_anything_runs_with_what_could() -> None:
    tiny = compared(60, compiles=True)
    assert tiny.schedule.pairs_per_cell == 3
    assert tiny.messages[0].startswith(
        "1 min 00 s is enough for about 1 of the 4 forks that a verdict needs, so there may be no verdict; a budget of"
    )
    enough = re.search(r"about (\d+) min (\d+) s would", tiny.messages[0])
    assert enough is not None
    again = compared(60 * int(enough[1]) + int(enough[2]) + 1, compiles=True)
    assert not any("is enough for about" in message for message in again.messages)


def test_a_budget_that_holds_no_fork_is_refused_with_one_that_does() -> None:
    with pytest.raises(ConfigurationError, match="a budget of 10 s is too small: one fork takes about") as refused:
        compared(10, compiles=True)
    enough = re.fullmatch(r"--budget (\d+)s is enough", refused.value.hint)
    assert enough is not None
    assert not any("is enough for about" in line for line in compared(float(enough[1]), compiles=True).messages)


def test_only_a_comparison_that_promises_no_forks_is_cut_at_its_budget() -> None:
    assert stopping.seconds_until_cut(schedule(study("a", "b", budget=100))) == pytest.approx(105)
    assert stopping.seconds_until_cut(schedule(WSTEST, budget_seconds=100)) is None
    assert stopping.seconds_until_cut(schedule(entries.study("demo").model)) is None


def test_a_schedule_without_a_budget_stays_as_it_is() -> None:
    plain = schedule(WSTEST)
    assert fit_to_budget(plain, dict.fromkeys(plain.subjects, True), slice_fixed=False) == Fitted(plain)


def test_nothing_is_judged_between_looks() -> None:
    asked: list[int] = []
    forks_driven(study("a", "b"), lambda: bool(asked.append(1)), 1)
    assert len(asked) == 4


def test_split_subjects_are_judged_after_whole_forks_only() -> None:
    one = study("a", "b", "c", "d", "e")
    assert stopping.trials_per_fork(schedule(one)) == 2
    assert forks_driven(one, lambda: True, 1) == 4


def test_the_demo_takes_as_many_forks_as_its_time_holds_and_never_fewer_than_four() -> None:
    demo = entries.study("demo").model
    assert forks_driven(demo, never, 45) == 6
    assert forks_driven(demo, never, 60) == 4
    assert forks_driven(demo, never, 500) == 4


def test_where_the_least_forks_do_not_fit_the_demo_measures_fewer_pairs_a_fork() -> None:
    demo = entries.study("demo").model
    now = schedule(demo)
    changed = after_one(now, 75)
    assert len(changed.trials) == 4
    assert stopping.LEAST_PAIRS <= changed.pairs_per_cell < now.pairs_per_cell
    assert changed.left_out == [f"{6 - changed.pairs_per_cell} of 6 pairs a fork", "2 of 6 forks"]


WSTEST = entries.study("wstest").model
TEN = ("tomcat-metro", "tomcat-cxf", "go", "null", "node-soap", "gsoap", "tomee", "liberty", "wildfly", "rust-axum")


def test_a_budget_that_holds_all_leaves_nothing_out() -> None:
    changed = after_one(schedule(WSTEST, forks=5, budget_seconds=10_000), 1500)
    assert (len(changed.trials), changed.left_out) == (5, [])


def test_operations_that_are_not_judged_are_given_up_before_subjects() -> None:
    now = schedule(WSTEST, only=TEN, pairs=3, budget_seconds=1333)
    assert stopping.trials_per_fork(now) == 3
    changed = after_one(now, 160)
    assert [cell.name for cell in changed.cells] == ["echoStruct", "echoVoid", "echoList"]
    assert changed.left_out == ["echoSynthetic, getOrder, of which only the first fork has figures"]
    assert (len(changed.trials), changed.subjects) == (12, list(TEN))


def test_subjects_are_given_up_last_and_named() -> None:
    changed = after_one(schedule(WSTEST, only=TEN, pairs=3, budget_seconds=400), 160)
    assert changed.subjects == ["tomcat-metro", "tomcat-cxf", "go", "null", "node-soap", "gsoap", "tomee"]
    assert changed.left_out[-1] == "the subjects liberty, wildfly, rust-axum"
    assert [sorted(trial.start_order) for trial in changed.trials] == [
        ["go", "null", "tomcat-cxf", "tomcat-metro"],
        ["gsoap", "node-soap", "tomcat-metro", "tomee"],
    ] * 4


def test_what_the_first_fork_cost_beside_its_pairs_is_told_by_those_that_it_had_not_by_those_it_deserves() -> None:
    now = schedule(WSTEST, only=TEN, operations=("echoStruct",), budget_seconds=2300).model_copy(
        update={"pairs_per_cell": 15}
    )
    kept = after_one(now, 260, pairs=6)
    assert (kept.pairs_per_cell, kept.subjects, len(kept.trials)) == (6, list(TEN), 12)
    assert kept.left_out == []


def test_a_budget_that_does_not_hold_the_least_that_gives_a_verdict_is_said_with_what_would() -> None:
    for budget, said in ((10, "is enough for 1 of the 4 forks"), (240, "is enough for 3 of the 4 forks"), (400, "")):
        now = schedule(study("a", "b", budget=budget), pairs=4)
        assert said in (found := stopping.without_verdict(now, after_one(now, 80), 80)), budget
        assert bool(found) == bool(said)
    demo = schedule(entries.study("demo").model)
    assert "more than the budget" in stopping.without_verdict(demo, after_one(demo, 200), 200)


def test_the_warm_up_leaves_room_for_the_least_forks_of_the_pairs_planned_in_half_a_trial_at_most() -> None:
    assert stopping.warm_up_within(schedule(study("a", "b", budget=400), pairs=4)) == pytest.approx(100 - 4 * 2 * 2.3)
    in_turns = schedule(study("a", "b", budget=400), turn_ms=50, pairs=4)
    assert stopping.warm_up_within(in_turns) == pytest.approx(100 - 4 * 2 * 2.4), (
        "a fifth as much again beside the turns"
    )
    assert stopping.warm_up_within(schedule(study("a", "b", budget=400), pairs=50)) == pytest.approx(50)
    assert stopping.warm_up_within(schedule(WSTEST, only=TEN, budget_seconds=1200)) == pytest.approx(50), (
        "three trials a fork"
    )


def test_a_trial_ends_its_pairs_where_one_more_would_not_end_within_its_share_of_the_budget() -> None:
    assert stopping.trial_within(schedule(study("a", "b", budget=300))) == pytest.approx(75)
    assert stopping.trial_within(schedule(WSTEST, only=TEN, budget_seconds=1200)) == pytest.approx(100)
    assert stopping.trial_within(schedule(WSTEST)) is None
    ending = stopping.END_SECONDS
    assert stopping.pairs_are_over(75, 75 - ending - 4, 9, 9 * 4.1)
    assert not stopping.pairs_are_over(75, 75 - ending - 4, 9, 9 * 3.9), "there is time for one more"
    assert not stopping.pairs_are_over(75, 200, LEAST_PAIRS - 1, 8.0), "the least are driven whatever they take"
    assert stopping.pairs_are_over(75, 200, LEAST_PAIRS, 12.0)
    assert not stopping.pairs_are_over(75, 200, LEAST_PAIRS, 12.0, LEAST_PAIRS + 1), "its fork needs one more to count"
    assert not stopping.pairs_are_over(None, 10_000, 30, 120.0)


def test_without_a_budget_and_before_tests_the_warm_up_takes_its_time() -> None:
    assert stopping.warm_up_within(schedule(WSTEST)) is None
    assert stopping.warm_up_within(schedule(entries.study("soaservers").model, budget_seconds=600)) is None


def test_the_budget_ends_a_warm_up_in_time_but_never_before_each_had_the_least() -> None:
    def over(within: float | None, since_begin: float, *had: tuple[bool, float]) -> bool:
        return stopping.warm_up_is_over(within, since_begin, [stopping.Pending(*each) for each in had])

    assert over(40, 41, (True, 11), (True, 12))
    assert not over(40, 39, (True, 11), (True, 12))
    assert not over(40, 90, (True, 11), (True, 9))
    assert not over(None, 90, (True, 11), (True, 12))
    assert over(40, 41, (False, 5)) and not over(40, 41, (True, 5))


def test_where_a_verdict_is_promised_the_budget_ends_no_warm_up_whose_pairs_would_all_be_void() -> None:
    compiling = [stopping.Pending(True, 60, compiling=True), stopping.Pending(False, 60)]
    assert not stopping.warm_up_is_over(40, 90, compiling, verdict_promised=True)
    assert stopping.warm_up_is_over(40, 90, compiling), "a budget of the user's is a promise of its own"
    settled = [stopping.Pending(True, 60), stopping.Pending(False, 60)]
    assert stopping.warm_up_is_over(40, 90, settled, verdict_promised=True)


def test_a_run_that_turns_out_dearer_gives_up_forks_and_in_the_end_the_verdict_but_not_those_asked_for_whatever_it_takes() -> (
    None
):
    rule = stopping.stopping_of(never, lambda planned: planned.pairs_per_cell)
    now = rule(schedule(WSTEST, forks=8, pairs=3, budget_seconds=890), 1, 110)
    assert len(now.trials) == 8
    assert len(rule(now, 3, 400).trials) == 6
    assert len(rule(now, 3, 900).trials) == 3
    asked = now.model_copy(update={"least_forks": 4})
    assert len(stopping.fit_after_trial(asked, 3, 900, 300, 890, asked).trials) == 4


@pytest.mark.parametrize(("fork", "forks"), [(230, 4), (244, 4), (246, 3), (150, 6)])
def test_a_run_whose_last_fork_gives_the_verdict_may_take_a_tenth_more_than_its_budget(fork: float, forks: int) -> None:
    """More forks than a verdict needs are only driven within a twentieth."""
    now = schedule(WSTEST, forks=8, pairs=3, budget_seconds=890)
    assert len(stopping.fit_after_trial(now, 2, 2 * fork, fork, 890, now).trials) == forks


def test_the_pilot_decides_the_pairs_only_where_nobody_else_did() -> None:
    assert after_one(schedule(WSTEST), 100, pairs=7).pairs_per_cell == 7
    assert after_one(schedule(WSTEST, pairs=9), 100, pairs=7).pairs_per_cell == 9


def test_a_users_own_number_of_forks_is_kept() -> None:
    assert forks_driven(entries.study("demo").model, never, 500, forks=5) == 5
    assert forks_driven(study("a", "b", budget=10), lambda: True, 80, forks=5) == 5

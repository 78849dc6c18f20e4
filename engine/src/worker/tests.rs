//! Tests of the loop with every profile, pause and failure, in simulated time.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::simulation::{BEGIN, OK, Reply, Simulation};
use crate::clock::{MILLISECOND, Ns, SECOND};
use crate::corpus::{Corpus, Entry};
use crate::plan::SlicePlan;
use crate::record::{Counts, Edges, OperationRecord};
use crate::verify::Failure;
use crate::worker::Driven;

pub(super) const MS: Ns = MILLISECOND;

pub(super) fn slice(profile: Value, more: Value) -> Value {
    let mut slice = json!({
        "number": 0, "subject": "a", "phase": "p", "profile": profile, "mix": {"echo": 1}, "deck_seed": 3,
        "lead_in_ms": 0,
    });
    more.as_object()
        .unwrap()
        .iter()
        .for_each(|(key, value)| slice[key] = value.clone());
    slice
}

pub(super) fn users(users: u32, seconds: f64) -> Value {
    json!({"kind": "big-bang", "users": users, "seconds": seconds})
}

pub(super) fn rate(rate: f64, seconds: f64, cap: u32) -> Value {
    json!({"kind": "rate", "stages": [{"from_rate": rate, "to_rate": rate, "seconds": seconds}], "max_in_flight": cap})
}

pub(super) fn record(driven: &Driven) -> &OperationRecord {
    driven.recorder.operations[0].as_deref().unwrap()
}

pub(super) fn counts(driven: &Driven) -> Counts {
    record(driven).counts
}

pub(super) fn failed(driven: &Driven, failure: Failure) -> u64 {
    counts(driven).measured.failures[failure as usize]
}

#[test]
fn a_closed_user_asks_again_once_answered_and_littles_law_holds() {
    let job = json!({"slices": [slice(users(4, 2.0), json!({"lead_in_ms": 100}))]});
    let (driven, ticks) = Simulation::new(job, |_, _| Reply::After(10 * MS, OK)).drive(0);
    let counts = counts(&driven);
    assert_eq!(
        (driven.recorder.begin, driven.recorder.end),
        (BEGIN + 100 * MS, BEGIN + 2100 * MS)
    );
    // Four users, 2 s, 10 ms each: the answers at the begin count, those at the end do not.
    assert_eq!(
        (counts.started, counts.measured.completed, counts.response_ns_sum),
        (800, 800, 800 * 10 * MS)
    );
    // Outside: those of the lead-in, and those in flight at the end.
    assert_eq!(
        (counts.outside.completed, driven.unfinished, driven.oldest_unfinished),
        (36 + 4, 4, 10 * MS)
    );
    assert!(
        ticks
            .iter()
            .all(|tick| tick.operations[0].measured.completed.abs_diff(400) <= 4)
    );
}

pub(super) fn turn(simulation: &Simulation, length: Ns) -> SlicePlan {
    SlicePlan {
        length,
        lead_in: 0,
        edges: Edges::WholeTurn,
        ..simulation.plan(0)
    }
}

#[test]
fn many_turns_see_as_much_of_a_servers_pauses_as_one_long_slice_does() {
    let job = || json!({"slices": [slice(users(4, 300.0), json!({}))]});
    // One request in 40 stops the server for 30 ms, as a collection of garbage would.
    let pausing = || {
        let (mut draw, mut stands_until) = (SmallRng::seed_from_u64(5), 0);
        move |now: Ns, _: &str| {
            if draw.random_ratio(1, 40) {
                stands_until = now + 30 * MS;
            }
            Reply::After(MS + stands_until.max(now) - now, OK)
        }
    };
    let (long, _) = Simulation::new(job(), pausing()).drive(0);
    let wanted = counts(&long).measured.completed as f64 / (long.recorder.end - long.recorder.begin) as f64;

    let mut simulation = Simulation::new(job(), pausing());
    let plan = turn(&simulation, 50 * MS);
    let (mut completed, mut measured, mut waited) = (0, 0, 0);
    for _ in 0..4000 {
        let (driven, _) = simulation.drive_plan(&plan);
        assert_eq!(driven.unfinished, 0);
        completed += counts(&driven).measured.completed;
        waited += counts(&driven).response_ns_sum;
        measured += driven.recorder.end - driven.recorder.begin;
    }
    let found = completed as f64 / measured as f64;
    assert!((found / wanted - 1.0).abs() < 0.02, "{found} where {wanted} is true");
    let users = waited as f64 / measured as f64;
    assert!((users / 4.0 - 1.0).abs() < 0.02, "{users} users of 4 by Little's law");
}

#[test]
fn a_turn_lasts_from_its_first_request_to_its_last_answer_and_waits_for_that_no_longer_than_the_drain_limit() {
    let job =
        |more: Value| json!({"slices": [slice(users(2, 60.0), json!({}))], "drain_limit_ms": 500, "timeout_ms": more});
    let mut simulation = Simulation::new(job(json!(30_000)), |_, _| Reply::After(7 * MS, OK));
    let (driven, _) = simulation.drive_plan(&turn(&simulation, 100 * MS));
    // Answers come every 7 ms, the last of those that were asked for within 100 ms after 105.
    assert_eq!((driven.recorder.begin, driven.recorder.end), (BEGIN, BEGIN + 105 * MS));
    assert_eq!(counts(&driven).response_ns_sum, 2 * 105 * MS);
    assert_eq!(
        (
            counts(&driven).started,
            counts(&driven).measured.completed,
            driven.unfinished
        ),
        (30, 30, 0)
    );

    let mut simulation = Simulation::new(job(json!(30_000)), |now, _| {
        if now < BEGIN + 40 * MS {
            Reply::After(7 * MS, OK)
        } else {
            Reply::Never
        }
    });
    let (driven, _) = simulation.drive_plan(&turn(&simulation, 100 * MS));
    assert_eq!(driven.recorder.end, BEGIN + 100 * MS);
    assert_eq!((counts(&driven).measured.completed, driven.unfinished), (12, 2));
    assert!(driven.oldest_unfinished > 0);
}

#[test]
fn connections_outlast_slices_and_the_same_deck_gives_the_same_requests() {
    use std::sync::{Arc, Mutex};
    let requests = Arc::new(Mutex::new(Vec::new()));
    let seen = requests.clone();
    let entries = (0..10u64)
        .map(|n| Entry {
            offset: n,
            length: 1,
            operation: 0,
            rule: 0,
            line: 0,
            safe: true,
        })
        .collect();
    let mut corpus = Corpus::of_one("echo", b"0123456789".to_vec(), true);
    corpus.entries = entries;
    let second = slice(users(1, 0.5), json!({"number": 1}));
    let job = json!({"slices": [slice(users(1, 0.5), json!({})), second]});
    let mut simulation = Simulation::with_corpus(job, corpus, move |_, request| {
        seen.lock().unwrap().push(request.chars().last());
        Reply::After(10 * MS, OK)
    });
    simulation.drive(0);
    let first = std::mem::take(&mut *requests.lock().unwrap());
    simulation.drive(1);
    assert_eq!(first, *requests.lock().unwrap());
    assert_eq!(first.iter().collect::<std::collections::BTreeSet<_>>().len(), 10);
    assert_eq!(simulation.connections_opened(), 1);
}

#[test]
fn ramps_steps_and_bursts_have_the_users_they_say() {
    let at_work = |profile: Value| {
        let job = json!({"slices": [slice(profile, json!({}))]});
        let (driven, ticks) = Simulation::new(job, |_, _| Reply::After(10 * MS, OK)).drive(0);
        assert!(driven.recorder.instrument.is_none());
        ticks
            .iter()
            .map(|tick| (tick.operations[0].started + 50) / 100)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        at_work(json!({"kind": "ramp", "from_users": 1, "to_users": 4, "seconds": 4})),
        [1, 2, 3, 4]
    );
    let steps = json!({"kind": "steps", "levels": [2, 5], "hold_seconds": 2, "pause_seconds": 1});
    assert_eq!(at_work(steps), [2, 2, 0, 5, 5, 0]);
    let bursts =
        json!({"kind": "bursts", "users": 3, "on_seconds": 1, "off_seconds": 2, "seconds": 6, "idle_seconds": 1});
    assert_eq!(at_work(bursts), [0, 3, 0, 0, 3, 0]);
}

#[test]
fn think_time_goes_before_the_next_request_and_is_no_part_of_its_response() {
    let think = json!({"think": {"kind": "constant", "ms": 40}});
    let job = json!({"slices": [slice(users(1, 1.0), think)]});
    let (driven, _) = Simulation::new(job, |_, _| Reply::After(10 * MS, OK)).drive(0);
    assert_eq!(counts(&driven).measured.completed, 20);
    assert_eq!(counts(&driven).response_ns_sum, 20 * 10 * MS);
    assert_eq!(driven.recorder.think_kept_ns, driven.recorder.think_drawn_ns);
}

#[test]
fn an_open_load_shows_a_freeze_in_every_request_that_was_due_in_it() {
    // Frozen from 1 s to 2 s, at 1,000 a second: those due in it are answered at its end.
    let script = |now: Ns, _: &str| {
        let since = now - BEGIN;
        Reply::After(
            if (SECOND..2 * SECOND).contains(&since) {
                2 * SECOND - since
            } else {
                MS
            },
            OK,
        )
    };
    let job = json!({"slices": [slice(rate(1000.0, 4.0, 2000), json!({}))]});
    let (driven, _) = Simulation::new(job, script).drive(0);
    let record = record(&driven);
    assert_eq!(
        (
            record.counts.started,
            record.counts.measured.completed,
            driven.unfinished
        ),
        (4000, 3999, 1)
    );
    // A quarter waited from 1 s down to 1 ms: the percentiles are those of a straight line.
    for (quantile, expected) in [(0.80, 200_000.0), (0.95, 800_000.0), (0.99, 960_000.0)] {
        let got = record.response.value_at_quantile(quantile) as f64;
        assert!((got / expected - 1.0).abs() < 0.01, "{quantile}: {got}");
    }
}

#[test]
fn arrivals_above_the_cap_are_sent_late_with_their_lateness_and_never_dropped() {
    // Two at a time, 10 ms each, is 200 a second; 300 a second are due, for a second.
    let job = json!({"slices": [slice(rate(300.0, 1.0, 2), json!({}))], "drain_limit_ms": 0});
    let (driven, ticks) = Simulation::new(job, |_, _| Reply::After(10 * MS, OK)).drive(0);
    let counts = counts(&driven);
    assert_eq!(counts.started, 300);
    assert!((196..=200).contains(&counts.measured.completed), "{counts:?}");
    assert_eq!(driven.unfinished, counts.started - counts.measured.completed);
    assert!(driven.recorder.forgone >= 95, "{}", driven.recorder.forgone);
    assert!(ticks[0].lateness.quantile(0.99) > 300 * MS);
    assert!(counts.late_starts > 150);
    let slowest = record(&driven).response.max();
    assert!((300_000..360_000).contains(&slowest), "{slowest}");
    assert!((300 * MS..360 * MS).contains(&driven.oldest_unfinished));
}

#[test]
fn what_the_edges_of_a_slice_cut_off_makes_littles_law_exact_however_long_some_answers_take() {
    // One answer in fifty takes nearly as long as the slice, so that some users have none within it.
    let job = json!({"slices": [slice(users(4, 0.5), json!({"lead_in_ms": 100}))], "drain_limit_ms": 1000});
    let mut requests = 0;
    let script = move |_, _: &str| {
        requests += 1;
        Reply::After(if requests % 50 == 0 { 450 } else { 10 } * MS, OK)
    };
    let (driven, _) = Simulation::new(job, script).drive(0);
    let answered = counts(&driven).response_ns_sum;
    let held = answered + driven.unfinished_waits - driven.recorder.carried;
    assert_eq!(held, 4 * 500 * MS, "four users, half a second");
    assert!(
        answered.abs_diff(4 * 500 * MS) > 100 * MS,
        "{answered}: without its edges the law would be missed"
    );
    assert!(driven.unfinished_waits > 0 && driven.recorder.carried > 0);
}

#[test]
fn a_time_out_is_recorded_at_its_limit_and_its_connection_is_closed() {
    let job = json!({"slices": [slice(users(1, 1.0), json!({}))], "timeout_ms": 90});
    let mut simulation = Simulation::new(job, |_, _| Reply::Never);
    let (driven, _) = simulation.drive(0);
    assert_eq!(failed(&driven, Failure::Timeout), 10);
    let histogram = &record(&driven).failure;
    assert!(
        histogram.min() > 89_900 && histogram.max() < 90_100,
        "{} to {}",
        histogram.min(),
        histogram.max()
    );
    assert_eq!(record(&driven).all().len(), 10);
    // One before the slice, and one for each request after a time-out; the last is due at the very end.
    assert_eq!(simulation.connections_opened(), 10);
    assert_eq!(driven.samples.len(), 10);
}

#[test]
fn after_a_failure_a_user_waits_goes_on_or_ends_as_the_job_says() {
    for (on_failure, failures) in [
        (json!({}), 100..=100),
        (json!({"kind": "wait", "ms": 100}), 10..=10),
        (json!({"kind": "end"}), 1..=1),
    ] {
        let job = json!({"slices": [slice(users(1, 1.0), json!({}))], "on_failure": on_failure});
        let mut simulation = Simulation::new(job, |_, _| Reply::Never);
        simulation.refuse(Failure::Refused);
        let (driven, _) = simulation.drive(0);
        let refused = failed(&driven, Failure::Refused);
        assert!(failures.contains(&refused), "{on_failure}: {refused}");
    }
}

#[test]
fn a_machine_out_of_descriptors_voids_the_slice_and_is_no_failure_of_the_server() {
    let job = json!({"slices": [slice(users(2, 1.0), json!({}))]});
    let mut simulation = Simulation::new(job, |_, _| Reply::Never);
    simulation.exhaust();
    let (driven, _) = simulation.drive(0);
    assert!(driven.recorder.instrument.unwrap().contains("EMFILE"));
    assert_eq!(counts(&driven).measured.failed(), 0);
}

#[test]
fn a_request_to_a_closed_connection_is_sent_again_and_timed_from_due() {
    let mut requests = 0;
    // Every fifth request meets a connection that the server has closed.
    let script = move |_: Ns, _: &str| {
        requests += 1;
        if requests % 5 == 0 {
            Reply::CloseBefore(MS)
        } else {
            Reply::After(9 * MS, OK)
        }
    };
    let job = json!({"slices": [slice(users(1, 1.0), json!({}))]});
    let (driven, _) = Simulation::new(job.clone(), script).drive(0);
    let safe = counts(&driven);
    assert!(safe.measured.stale >= 20 && safe.measured.failed() == 0, "{safe:?}");
    assert_eq!(
        record(&driven).response.max() / 100,
        100,
        "1 ms until the close, 9 ms for the answer"
    );
}

#[test]
fn a_fresh_connection_that_closes_is_truncated_and_not_stale() {
    let job = json!({"slices": [slice(users(1, 1.0), json!({}))], "connection": "per-request"});
    let mut simulation = Simulation::new(job, |_, _| Reply::Close(MS));
    let (driven, _) = simulation.drive(0);
    assert!(failed(&driven, Failure::Truncated) > 50);
    assert_eq!(
        (counts(&driven).measured.stale, failed(&driven, Failure::StaleFailed)),
        (0, 0)
    );
    assert_eq!(u64::from(simulation.connections_opened()), driven.recorder.connects);
}

#[test]
fn a_session_goes_through_its_steps_with_their_pauses_and_its_cookies() {
    use std::sync::{Arc, Mutex};
    let requests = Arc::new(Mutex::new(Vec::new()));
    let seen = requests.clone();
    let script = move |now: Ns, request: &str| {
        let cookie = request
            .lines()
            .find_map(|line| line.strip_prefix("Cookie: "))
            .unwrap_or("-")
            .to_owned();
        seen.lock().unwrap().push(((now - BEGIN) / MS, cookie));
        Reply::After(
            5 * MS,
            "HTTP/1.1 200 OK\r\nSet-Cookie: id=7\r\nContent-Length: 0\r\n\r\n",
        )
    };
    let sessions = json!({"visit": {"steps": [
        {"operation": "echo", "think": {"kind": "constant", "ms": 20}},
        {"operation": "echo"},
        {"operation": "echo", "think": {"kind": "constant", "ms": 60}},
    ]}});
    let mix = json!({"mix": {"visit": 1}});
    let job = json!({"slices": [slice(users(1, 0.2), mix.clone()), slice(rate(10.0, 0.2, 5), json!({"number": 1, "mix": {"visit": 1}}))], "sessions": sessions});
    let mut simulation = Simulation::new(job, script);
    let (driven, _) = simulation.drive(0);
    let expected = [
        (0, "-"),
        (25, "id=7"),
        (30, "id=7"),
        (95, "id=7"),
        (120, "id=7"),
        (125, "id=7"),
        (190, "id=7"),
    ];
    let got = std::mem::take(&mut *requests.lock().unwrap());
    assert_eq!(got, expected.map(|(at, cookie)| (at, cookie.to_owned())));
    assert_eq!(driven.started, [3]);
    // Every arrival of an open load is a visitor who was never here before.
    simulation.drive(1);
    let got = requests.lock().unwrap();
    assert_eq!(got.iter().filter(|(_, cookie)| cookie == "-").count(), 2);
}

#[test]
fn a_failure_ends_the_session_and_the_next_one_begins_anew() {
    let mut requests = 0;
    let script = move |_: Ns, _: &str| {
        requests += 1;
        Reply::After(
            5 * MS,
            if requests % 2 == 0 {
                "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"
            } else {
                OK
            },
        )
    };
    let sessions = json!({"visit": {"steps": [{"operation": "echo"}, {"operation": "echo"}, {"operation": "echo"}]}});
    let job = json!({"slices": [slice(users(1, 0.2), json!({"mix": {"visit": 1}}))], "sessions": sessions});
    let (driven, _) = Simulation::new(job, script).drive(0);
    assert_eq!(failed(&driven, Failure::Status), 10);
    assert_eq!((counts(&driven).measured.completed, driven.started[0]), (10, 10));
}

#[test]
fn what_is_in_flight_at_the_end_may_finish_within_the_drain_limit_uncounted() {
    let job = |limit: u32| json!({"slices": [slice(users(3, 1.0), json!({}))], "drain_limit_ms": limit});
    let (driven, _) = Simulation::new(job(1000), |_, _| Reply::After(700 * MS, OK)).drive(0);
    assert_eq!(
        (
            counts(&driven).measured.completed,
            counts(&driven).outside.completed,
            driven.unfinished
        ),
        (3, 3, 3)
    );
    assert_eq!(driven.oldest_unfinished, 300 * MS);
    let (driven, _) = Simulation::new(job(100), |_, _| Reply::After(700 * MS, OK)).drive(0);
    assert_eq!(
        (
            counts(&driven).measured.completed,
            counts(&driven).outside.completed,
            driven.unfinished
        ),
        (3, 0, 3)
    );
}

//! Requests that end at once: control returns to the loop after each, however many there are.

use std::rc::Rc;

use serde_json::{Value, json};

use super::StopSignal;
use super::simulation::{BEGIN, OK, Reply, Simulation};
use super::tests::{counts, failed, rate, slice, users};
use crate::clock::{MICROSECOND, MILLISECOND, Ns, SECOND};
use crate::verify::Failure;

const MILLION: u64 = 1_000_000;

/// Runs a test on a small stack.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let small = std::thread::Builder::new().stack_size(256 * 1024);
    small.spawn(test).unwrap().join().unwrap();
}

/// A simulation in which opening a connection and sending take a microsecond each, and users continue at once after a failure.
fn at_once(profile: Value, timeout_ms: u64, script: impl FnMut(Ns, &str) -> Reply + 'static) -> Simulation {
    let job = json!({
        "slices": [slice(profile, json!({}))], "on_failure": {"kind": "continue"}, "timeout_ms": timeout_ms,
    });
    let simulation = Simulation::new(job, script);
    simulation.take_effort(MICROSECOND);
    simulation
}

#[test]
fn a_million_answers_at_once_need_no_more_stack_than_one() {
    on_a_small_stack(|| {
        let mut simulation = at_once(users(1, 2.0), 30_000, |_, _| Reply::AtOnce(OK));
        let (driven, _) = simulation.drive(0);
        assert!(
            counts(&driven).measured.completed.abs_diff(MILLION) < 10,
            "{:?}",
            counts(&driven)
        );
    });
}

#[test]
fn a_million_resets_at_once_need_no_more_stack_than_one() {
    on_a_small_stack(|| {
        let mut simulation = at_once(users(1, 2.0), 30_000, |_, _| Reply::Reset);
        let (driven, _) = simulation.drive(0);
        let reset = failed(&driven, Failure::Reset);
        assert!(reset.abs_diff(MILLION) < 10, "{:?}", counts(&driven));
    });
}

#[test]
fn a_million_refusals_at_once_need_no_more_stack_than_one_and_the_seconds_are_told_in_time() {
    on_a_small_stack(|| {
        let mut simulation = at_once(users(3, 1.1), 30_000, |_, _| Reply::Never);
        simulation.refuse(Failure::Refused);
        let mut ticks = Vec::new();
        let plan = simulation.plan(0);
        let driven = simulation.drive_under(&plan, &StopSignal::default(), |at, tick| ticks.push((at, tick.end)));
        assert!(failed(&driven, Failure::Refused) >= MILLION, "{:?}", counts(&driven));
        assert_eq!(ticks.len(), 2);
        assert!(ticks.iter().all(|(at, due)| at - due < MILLISECOND), "{ticks:?}");
    });
}

#[test]
fn arrivals_that_come_faster_than_they_are_refused_leave_time_for_the_clock() {
    let mut simulation = at_once(rate(4e5, 2.0, 10), 30_000, |_, _| Reply::Never);
    simulation.refuse(Failure::Refused);
    simulation.take_effort(5 * MICROSECOND);
    let (mut ticks, plan) = (Vec::new(), simulation.plan(0));
    let driven = simulation.drive_under(&plan, &StopSignal::default(), |at, tick| ticks.push((at, tick.end)));
    assert_eq!(ticks.len(), 2);
    assert!(ticks.iter().all(|(at, due)| at - due < MILLISECOND), "{ticks:?}");
    let counts = counts(&driven);
    // 200,000 a second can be refused, and 400,000 are due.
    assert!(counts.sent.abs_diff(400_000) < 100, "{counts:?}");
    assert_eq!(driven.recorder.forgone + counts.sent, counts.started, "{counts:?}");
}

#[test]
fn failures_at_once_leave_time_for_the_stop_signal() {
    for profile in [users(3, 3600.0), rate(4e5, 3600.0, 10)] {
        let mut simulation = at_once(profile, 30_000, |_, _| Reply::Never);
        simulation.refuse(Failure::Refused);
        simulation.take_effort(5 * MICROSECOND);
        let (stop, plan) = (Rc::new(StopSignal::default()), simulation.plan(0));
        let raised = stop.clone();
        // Broken off after its first second: an hour would take this test as long.
        let driven = simulation.drive_under(&plan, &stop, move |_, _| raised.raise());
        assert!(driven.interrupted);
        assert!(driven.recorder.end - BEGIN - SECOND < MILLISECOND);
    }
}

#[test]
fn failures_at_once_leave_time_for_the_time_outs_of_others() {
    let mut requests = 0;
    let script = move |_: Ns, _: &str| {
        requests += 1;
        if requests == 1 { Reply::Never } else { Reply::Reset }
    };
    let mut simulation = at_once(users(2, 1.0), 90, script);
    let (driven, _) = simulation.drive(0);
    assert_eq!(failed(&driven, Failure::Timeout), 1, "{:?}", counts(&driven));
}

#[test]
fn a_backlog_that_is_not_taken_up_any_more_is_counted_whole_while_answers_come() {
    let job = json!({"slices": [slice(rate(1e6, 1.0, 10), json!({}))], "drain_limit_ms": 1000});
    let mut simulation = Simulation::new(job, |_, _| Reply::After(600 * MILLISECOND, OK));
    let (driven, _) = simulation.drive(0);
    let counts = counts(&driven);
    // The second answers of all ten come in the drain, whatever is counted meanwhile.
    assert_eq!(
        (counts.sent, counts.measured.completed, counts.outside.completed),
        (20, 10, 10)
    );
    assert_eq!(driven.recorder.forgone, 999_980);
}

#[test]
fn connections_that_are_refused_at_once_are_not_all_tried_once_the_time_to_open_them_is_over() {
    let mut simulation = at_once(users(5000, 0.001), 30_000, |_, _| Reply::AtOnce(OK));
    simulation.take_effort(MILLISECOND);
    simulation.drive(0);
    // A second's worth before the slice, of which all users had wanted one, and some in it.
    assert!(
        simulation.connections_opened() < 1100,
        "{}",
        simulation.connections_opened()
    );
}

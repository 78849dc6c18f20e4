//! Every request that was taken up is in exactly one count, whenever and however it ended. `simulation.rs` checks for every simulated
//! slice that the counts add up.

use serde_json::{Value, json};

use super::simulation::{BEGIN, OK, Reply, Simulation};
use super::tests::{MS, counts, slice, turn, users};
use crate::clock::Ns;
use crate::record::{Counts, Outcomes, When};
use crate::verify::Failure;

const UNAVAILABLE: &str = "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n";
const FALSE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno";

/// A second of one user, after 100 ms of lead-in in which requests are answered otherwise.
fn with_lead_in(mut otherwise: impl FnMut() -> Reply + 'static) -> Counts {
    let job = json!({
        "slices": [slice(users(1, 1.0), json!({"lead_in_ms": 100}))], "rules": {"right": {"contains": "ok"}},
        "on_failure": {"kind": "wait", "ms": 10}, "timeout_ms": 25,
    });
    let script = move |now: Ns, _: &str| {
        if now < BEGIN + 90 * MS {
            otherwise()
        } else {
            Reply::After(10 * MS, OK)
        }
    };
    counts(&Simulation::new(job, script).drive(0).0)
}

fn failures(outcomes: &Outcomes, failure: Failure) -> u64 {
    outcomes.failures[failure as usize]
}

#[test]
fn what_goes_wrong_in_the_lead_in_is_counted_outside_the_measured_time() {
    let wrong = with_lead_in(|| Reply::After(10 * MS, FALSE));
    assert_eq!((wrong.outside.wrong, wrong.measured.wrong), (9, 0));
    // Ten milliseconds until the answer, ten until the next request.
    let unavailable = with_lead_in(|| Reply::After(10 * MS, UNAVAILABLE));
    assert_eq!(failures(&unavailable.outside, Failure::Status), 5);
    let timed_out = with_lead_in(|| Reply::Never);
    assert_eq!(failures(&timed_out.outside, Failure::Timeout), 3);
    let reset = with_lead_in(|| Reply::Reset);
    assert!(failures(&reset.outside, Failure::Reset) >= 8, "{reset:?}");
    for counts in [wrong, unavailable, timed_out, reset] {
        assert_eq!((counts.measured.failed(), counts.measured.wrong), (0, 0), "{counts:?}");
        assert!(counts.measured.completed >= 98, "{counts:?}");
    }
}

#[test]
fn a_request_sent_once_more_in_the_lead_in_is_counted_as_stale_outside() {
    let mut requests = 0;
    let stale = with_lead_in(move || {
        requests += 1;
        if requests == 2 {
            Reply::CloseBefore(MS)
        } else {
            Reply::After(10 * MS, OK)
        }
    });
    assert_eq!((stale.outside.stale, stale.measured.stale), (1, 0));
}

/// Two users for a second, each of whose requests ends after 700 ms.
fn ends_after_the_end(reply: &'static str, drain_limit_ms: u64) -> (Counts, u64) {
    let job = json!({"slices": [slice(users(2, 1.0), json!({}))], "drain_limit_ms": drain_limit_ms});
    let (driven, _) = Simulation::new(job, move |_, _| Reply::After(700 * MS, reply)).drive(0);
    (counts(&driven), driven.unfinished)
}

#[test]
fn what_fails_in_the_drain_is_counted_outside_and_what_never_ends_is_dropped() {
    let (drained, unfinished) = ends_after_the_end(UNAVAILABLE, 1000);
    assert_eq!(failures(&drained.outside, Failure::Status), 2);
    assert_eq!((drained.dropped, drained.sent, unfinished), (0, 4, 2));
    let (dropped, unfinished) = ends_after_the_end(OK, 100);
    assert_eq!(dropped.outside, Outcomes::default());
    assert_eq!((dropped.dropped, dropped.sent, unfinished), (2, 4, 2));
}

#[test]
fn what_this_machine_could_not_send_is_dropped() {
    let job = json!({"slices": [slice(users(2, 1.0), json!({}))]});
    let mut simulation = Simulation::new(job, |_, _| Reply::Never);
    simulation.exhaust();
    let counts = counts(&simulation.drive(0).0);
    assert!(counts.sent >= 200 && counts.sent == counts.dropped, "{counts:?}");
}

#[test]
fn all_of_a_turn_is_counted_within_it_its_last_answers_too() {
    let job: Value = json!({"slices": [slice(users(2, 60.0), json!({}))], "on_failure": {"kind": "continue"}});
    let mut simulation = Simulation::new(job, |_, _| Reply::After(7 * MS, UNAVAILABLE));
    let plan = turn(&simulation, 100 * MS);
    let counts = counts(&simulation.drive_plan(&plan).0);
    assert_eq!((counts.sent, failures(&counts.measured, Failure::Status)), (30, 30));
    assert_eq!(failures(&counts.outside, Failure::Status), 0, "{counts:?}");
}

/// One user for a second, answered after 10 ms until 500 ms have passed, and never from then on.
fn falls_silent(timeout_ms: u64) -> crate::worker::Driven {
    let job = json!({
        "slices": [slice(users(1, 1.0), json!({}))], "timeout_ms": timeout_ms, "drain_limit_ms": timeout_ms,
    });
    let script = |now: Ns, _: &str| match now < BEGIN + 500 * MS {
        true => Reply::After(10 * MS, OK),
        false => Reply::Never,
    };
    Simulation::new(job, script).drive(0).0
}

#[test]
fn a_request_without_an_answer_at_the_end_of_the_drain_is_unanswered_and_not_timed_out() {
    let driven = falls_silent(2_000);
    let counts = counts(&driven);
    assert_eq!((counts.measured.completed, counts.dropped, counts.sent), (50, 1, 51));
    assert_eq!(failures(&counts.outside, Failure::Timeout), 0, "{counts:?}");
    // It waited for the second half of the measured time; the last answer came at the end of the first.
    assert_eq!(driven.recorder.unanswered_waits, 500 * MS);
    assert_eq!(driven.recorder.last_answer, BEGIN + 500 * MS);
}

#[test]
fn a_request_that_times_out_in_the_measured_time_has_failed_and_waited_for_nothing() {
    let driven = falls_silent(200);
    let counts = counts(&driven);
    assert_eq!(failures(&counts.measured, Failure::Timeout), 2);
    assert_eq!((counts.dropped, counts.sent), (1, 53));
    // Two waits of 200 ms, each followed by a pause of 10 ms, and what is left of the second.
    assert_eq!(driven.recorder.unanswered_waits, 480 * MS);
}

#[test]
fn right_answers_in_the_drain_have_a_histogram_of_their_own() {
    let job = json!({"slices": [slice(users(3, 1.0), json!({}))], "drain_limit_ms": 1000});
    let driven = Simulation::new(job, |_, _| Reply::After(700 * MS, OK)).drive(0).0;
    let record = driven.recorder.operations.iter().flatten().next().unwrap();
    assert_eq!((record.response.len(), record.late.len()), (3, 3));
    assert!((record.late.mean() / 700_000.0 - 1.0).abs() < 0.01);
}

#[test]
fn what_was_due_before_the_measured_time_is_told_from_what_was_due_in_it() {
    let job = json!({"slices": [slice(users(3, 1.0), json!({"lead_in_ms": 100}))], "drain_limit_ms": 1000});
    let driven = Simulation::new(job, |_, _| Reply::After(300 * MS, OK)).drive(0).0;
    let record = driven.recorder.operations.iter().flatten().next().unwrap();
    let by_when: Vec<_> = record
        .endings
        .sorted()
        .iter()
        .map(|(ending, count)| (ending.when, *count))
        .collect();
    // Due at -100 ms, at 200 and 500 ms, and at 800 ms, of each of three users.
    assert_eq!(by_when, [(When::Carried, 3), (When::Measured, 6), (When::After, 3)]);
    let histograms = [&record.carried, &record.response, &record.late].map(|histogram| histogram.len());
    assert_eq!(histograms, [3, 9, 3]);
}

#[test]
fn endings_name_status_and_cause() {
    let ended = |reply: fn() -> Reply| {
        let job = json!({"slices": [slice(users(1, 0.1), json!({}))]});
        let driven = Simulation::new(job, move |_, _| reply()).drive(0).0;
        let record = driven.recorder.operations.iter().flatten().next().unwrap();
        let (ending, _) = record.endings.sorted()[0];
        (ending.outcome, ending.cause, ending.status)
    };
    assert_eq!(ended(|| Reply::After(MS, OK)), ("right", "", 200));
    assert_eq!(
        ended(|| Reply::After(MS, FALSE)).0,
        "right",
        "no rule says that it is wrong"
    );
    assert_eq!(ended(|| Reply::After(MS, UNAVAILABLE)), ("status", "", 503));
    let malformed = ended(|| Reply::After(MS, "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"));
    assert_eq!(malformed, ("malformed", "Content-Length is not a length", 200));
}

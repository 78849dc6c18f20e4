//! Every request that was taken up is in one count, whenever and however it ended. That the counts add up is asked of every simulated
//! slice, in `simulation.rs`.

use serde_json::{Value, json};

use super::simulation::{BEGIN, OK, Reply, Simulation};
use super::tests::{MS, counts, slice, turn, users};
use crate::clock::Ns;
use crate::record::{Counts, Outcomes};
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
    let mut asked = 0;
    let stale = with_lead_in(move || {
        asked += 1;
        if asked == 2 {
            Reply::Close(MS)
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

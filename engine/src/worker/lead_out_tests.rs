//! Tests of sessions that come to their end after the measured time, in simulated time.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::simulation::{BEGIN, OK, Reply, Simulation};
use super::tests::{MS, counts, rate, slice, users};
use super::{Driven, StopSignal};
use crate::clock::Ns;

/// A session of three steps with 20 ms between them; with answers of 10 ms it takes 70 ms.
fn visit(lead_out_ms: u64) -> Value {
    let pause = json!({"kind": "constant", "ms": 20});
    json!({
        "steps": [{"operation": "echo", "think": pause}, {"operation": "echo", "think": pause}, {"operation": "echo"}],
        "lead_out_ms": lead_out_ms,
    })
}

fn job(lead_out_ms: u64, profile: Value, mix: Value) -> Value {
    let slices = [slice(profile, json!({"mix": mix}))];
    json!({"slices": slices, "sessions": {"visit": visit(lead_out_ms)}, "timeout_ms": 200, "drain_limit_ms": 500})
}

/// A simulation whose answers take 10 ms, or never come to requests from the instant `deaf` on; and the instants of the requests in ms.
fn simulation(job: Value, deaf: Ns) -> (Simulation, Arc<Mutex<Vec<u64>>>) {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let log = sent.clone();
    let script = move |now: Ns, _: &str| {
        log.lock().unwrap().push((now - BEGIN) / MS);
        if now - BEGIN < deaf {
            Reply::After(10 * MS, OK)
        } else {
            Reply::Never
        }
    };
    (Simulation::new(job, script), sent)
}

/// How many sessions ended whole or failed, in the measured time and outside, and how many were cut off.
fn endings(driven: &Driven) -> [u64; 5] {
    let sessions = driven.recorder.sessions.iter().flatten().next().unwrap();
    sessions.by_kind().map(|(_, histogram)| histogram.len())
}

#[test]
fn a_session_that_has_begun_ends_after_the_measured_time_and_no_other_begins() {
    let (mut simulation, sent) = simulation(job(1000, users(1, 0.1), json!({"visit": 1})), Ns::MAX);
    let (driven, _) = simulation.drive(0);
    assert_eq!(*sent.lock().unwrap(), [0, 30, 60, 70, 100, 130]);
    assert_eq!((driven.started.clone(), endings(&driven)), (vec![2], [1, 0, 1, 0, 0]));
    let counted = counts(&driven);
    assert_eq!((counted.measured.completed, counted.outside.completed), (4, 2));
    assert_eq!(driven.recorder.end - driven.recorder.begin, 100 * MS);
    assert_eq!(
        (driven.unfinished, driven.recorder.thinks),
        (0, 2),
        "only what the measured time has is measured"
    );
}

#[test]
fn without_a_lead_out_the_end_cuts_a_session_which_is_counted() {
    let (mut simulation, sent) = simulation(job(0, users(1, 0.1), json!({"visit": 1})), Ns::MAX);
    let (driven, _) = simulation.drive(0);
    assert_eq!(*sent.lock().unwrap(), [0, 30, 60, 70]);
    assert_eq!(endings(&driven), [1, 0, 0, 0, 1]);
}

#[test]
fn a_lead_out_ends_at_its_limit_and_counts_what_it_cuts() {
    let (mut simulation, sent) = simulation(job(20, users(1, 0.1), json!({"visit": 1})), Ns::MAX);
    let (driven, _) = simulation.drive(0);
    assert_eq!(*sent.lock().unwrap(), [0, 30, 60, 70, 100]);
    assert_eq!(endings(&driven), [1, 0, 0, 0, 1]);
}

#[test]
fn a_server_that_falls_silent_ends_the_lead_out_by_the_timeout() {
    let (mut simulation, _) = simulation(job(10_000, users(2, 0.1), json!({"visit": 1})), 100 * MS);
    let (driven, _) = simulation.drive(0);
    assert_eq!(endings(&driven), [2, 0, 0, 0, 2]);
    assert_eq!(counts(&driven).dropped, 2);
}

#[test]
fn plain_requests_of_the_mix_end_with_the_measured_time() {
    let (mut simulation, sent) = simulation(job(1000, users(5, 0.5), json!({"visit": 1, "echo": 1})), Ns::MAX);
    let (driven, _) = simulation.drive(0);
    let [whole, failed, outside, outside_failed, cut] = endings(&driven);
    assert_eq!([failed, outside_failed, cut], [0; 3]);
    assert!(whole > 5 && outside > 0);
    let part = |name: &str| {
        let plan = simulation.plan(0);
        let place = plan.mix.iter().position(|part| part.name == name).unwrap();
        driven.started[place]
    };
    assert_eq!(whole + outside, part("visit"));
    assert_eq!(counts(&driven).sent, 3 * part("visit") + part("echo"));
    assert!(sent.lock().unwrap().iter().all(|ms| *ms < 500 + 70));
}

#[test]
fn the_visitors_of_an_open_load_go_to_their_end_and_no_other_arrives() {
    let (mut simulation, sent) = simulation(job(1000, rate(50.0, 0.1, 20), json!({"visit": 1})), Ns::MAX);
    let (driven, _) = simulation.drive(0);
    let [whole, _, outside, _, cut] = endings(&driven);
    assert_eq!((whole + outside, cut), (driven.started[0], 0));
    assert!(outside > 1 && sent.lock().unwrap().len() as u64 == 3 * driven.started[0]);
}

#[test]
fn a_slice_that_is_broken_off_in_its_lead_out_counts_its_sessions_as_cut() {
    let (mut simulation, _) = simulation(job(1000, users(3, 0.1), json!({"visit": 1})), Ns::MAX);
    let (plan, stop) = (simulation.plan(0), StopSignal::default());
    let driven = simulation.drive_under(&plan, &stop, |_, _| stop.raise());
    assert!(driven.interrupted);
    assert_eq!(endings(&driven), [3, 0, 0, 0, 3]);
}

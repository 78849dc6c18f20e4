//! Slow answers: a stretch with a longer lead-in measures the true throughput, whenever it begins and ends.

use serde_json::json;

use super::simulation::{BEGIN, OK, Reply, Simulation};
use super::tests::{MS, counts, slice, users};
use crate::clock::{Ns, SECOND};
use crate::plan::SlicePlan;

const USERS: u32 = 20;
const ANSWER: Ns = 1_100 * MS;

/// Throughput over the true one of a server that answers any number of requests after the same time.
fn throughput(lead_in: Ns, spread: Ns, length: Ns) -> f64 {
    let job = json!({"slices": [slice(users(USERS, 1.0), json!({}))]});
    let mut simulation = Simulation::new(job, |_, _| Reply::After(ANSWER, OK));
    let plan = SlicePlan {
        lead_in,
        spread,
        length,
        ..simulation.plan(0)
    };
    let counts = counts(&simulation.drive_plan(&plan).0);
    let seconds = length as f64 / SECOND as f64;
    counts.measured.completed as f64 / seconds / (f64::from(USERS) / (ANSWER as f64 / SECOND as f64))
}

#[test]
fn users_start_evenly_over_the_spread() {
    let job = json!({"slices": [slice(users(4, 1.0), json!({}))]});
    let mut seen = Vec::new();
    let plan = SlicePlan {
        lead_in: 500 * MS,
        spread: 400 * MS,
        ..Simulation::new(job.clone(), |_, _| Reply::After(10 * MS, OK)).plan(0)
    };
    let (sender, receiver) = std::sync::mpsc::channel();
    let script = move |now: Ns, _: &str| {
        sender.send(now - BEGIN).unwrap();
        Reply::After(10 * SECOND, OK)
    };
    Simulation::new(job, script).drive_plan(&plan);
    seen.extend(receiver.try_iter());
    assert_eq!(seen, [0, 100 * MS, 200 * MS, 300 * MS]);
}

#[test]
fn users_who_start_at_once_make_throughput_hang_on_where_a_stretch_begins_and_spread_ones_do_not() {
    // Two seconds after 200 ms hold one answer of each user, where 1.8 are true.
    let at_once = throughput(200 * MS, 0, 2 * SECOND);
    assert!((at_once - 1.0).abs() > 0.4, "{at_once}");
    for part in 0..10 {
        let lead_in = 2 * ANSWER + part * ANSWER / 10;
        let spread = throughput(lead_in, ANSWER, 10 * ANSWER + part * 77 * MS);
        assert!((spread - 1.0).abs() < 0.01, "{spread} with a lead-in of {lead_in}");
    }
}

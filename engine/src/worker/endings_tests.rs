//! Tests of orderly ends of connections in simulated time: requests that are sent again, and failures.

use serde_json::{Value, json};

use super::Driven;
use super::simulation::{OK, Reply, Simulation};
use super::tests::{MS, counts, failed, slice, users};
use crate::clock::Ns;
use crate::corpus::Corpus;
use crate::verify::Failure;

/// Drives one user for 100 ms with requests of a method that are not marked as safe; every third of a connection meets its end as
/// `ends` says.
fn drive(method: &str, ends: impl Fn(Ns) -> Reply + 'static) -> Driven {
    let target = json!([{"subject": "a", "url": "http://127.0.0.1:9/", "method": method}]);
    let job = json!({"targets": target, "slices": [slice(users(1, 0.1), json!({}))]});
    let mut requests = 0;
    let script = move |_: Ns, _: &str| {
        requests += 1;
        match requests % 3 {
            0 => ends(MS),
            _ => Reply::After(MS, OK),
        }
    };
    let corpus = Corpus::of_one("echo", b"hello".to_vec(), false);
    Simulation::with_corpus(job, corpus, script).drive(0).0
}

#[test]
fn a_request_that_cannot_have_reached_the_server_is_sent_again_whatever_it_does() {
    let driven = drive("POST", Reply::CloseBefore);
    assert_eq!(counts(&driven).measured.failed(), 0);
    assert!(counts(&driven).measured.stale >= 10, "{:?}", counts(&driven));
    assert_eq!(
        driven.recorder.repeated, 0,
        "it was sent once, as far as the server goes"
    );
}

#[test]
fn a_request_that_the_server_took_in_before_it_closed_has_failed_whatever_its_method() {
    for method in ["GET", "PUT", "POST"] {
        let driven = drive(method, Reply::Close);
        assert_eq!(counts(&driven).measured.stale, 0, "{method}");
        assert!(failed(&driven, Failure::Truncated) >= 3, "{method}");
    }
}

#[test]
fn a_reset_says_nothing_of_what_arrived() {
    let driven = drive("GET", |_| Reply::Reset);
    assert!(counts(&driven).measured.stale >= 10 && counts(&driven).measured.failed() == 0);
    assert_eq!(driven.recorder.repeated, counts(&driven).measured.stale);
    assert!(failed(&drive("POST", |_| Reply::Reset), Failure::StaleFailed) >= 3);
}

fn spread(addresses: usize, deaf: Option<usize>, profile: Value) -> (Driven, u32) {
    let more = json!({});
    let job = json!({"connection": "per-request", "slices": [slice(profile, more)]});
    let mut simulation = Simulation::new(job, |_, _| Reply::After(MS, OK));
    simulation.spread(addresses, deaf);
    let driven = simulation.drive(0).0;
    let opened = simulation.connections_opened();
    (driven, opened)
}

#[test]
fn a_connection_that_one_address_refuses_is_opened_to_the_next() {
    let (driven, opened) = spread(3, Some(1), users(2, 0.1));
    assert_eq!(counts(&driven).measured.failed(), 0);
    assert!(opened >= 100, "{opened}");
    // One that the only address refuses is.
    let (driven, _) = spread(1, Some(0), users(2, 0.1));
    assert!(failed(&driven, Failure::Refused) > 3 && counts(&driven).measured.completed == 0);
}

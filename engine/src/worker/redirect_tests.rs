//! Tests of redirects in simulated time.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::Driven;
use super::simulation::{OK, Reply, Simulation};
use super::tests::{MS, counts, failed, record, slice};
use crate::clock::Ns;
use crate::verify::Failure;

const FOUND: &str = "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 4\r\n\r\ngone";

/// One user's three requests to a target that follows redirects to `hosts`; `more` is set in the job.
fn three(hosts: Value, more: Value) -> Value {
    let mut job = json!({
        "slices": [slice(json!({"kind": "fixed-work", "users": 1, "each": 3, "most_seconds": 60}), json!({}))],
        "targets": [{
            "subject": "a", "url": "http://127.0.0.1:9/a", "headers": {"Authorization": "secret"},
            "redirects": {"hosts": hosts},
        }],
    });
    let more = more.as_object().unwrap();
    more.iter().for_each(|(key, value)| job[key] = value.clone());
    job
}

/// What came of it, the heads of all requests, and the number of connections.
fn drive(job: Value, answer: impl Fn(&str) -> Reply + 'static) -> (Driven, Vec<String>, u32) {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = heads.clone();
    let script = move |_: Ns, request: &str| {
        seen.lock().unwrap().push(request.to_owned());
        answer(request)
    };
    let mut simulation = Simulation::new(job, script);
    let driven = simulation.drive(0).0;
    let connections = simulation.connections_opened();
    let heads = heads.lock().unwrap().clone();
    (driven, heads, connections)
}

fn cause(driven: &Driven) -> &'static str {
    let endings = record(driven).endings.sorted();
    assert_eq!(endings.len(), 1, "{endings:?}");
    endings[0].0.cause
}

#[test]
fn a_redirect_is_a_part_of_its_request_whose_time_is_that_of_the_chain() {
    let answer = |request: &str| match request.starts_with("POST /a ") {
        true => Reply::After(10 * MS, FOUND),
        false => Reply::After(20 * MS, OK),
    };
    let (driven, heads, connections) = drive(three(json!({}), json!({})), answer);
    let counts = counts(&driven);
    assert_eq!(
        (counts.sent, counts.measured.completed, driven.recorder.redirects),
        (3, 3, 3)
    );
    assert_eq!((counts.response_ns_sum, counts.service_ns_sum), (90 * MS, 90 * MS));
    assert_eq!((heads.len(), connections), (6, 1));
    assert_eq!(
        heads[1],
        "GET /b HTTP/1.1\r\nHost: 127.0.0.1:9\r\nAuthorization: secret\r\n\r\n"
    );
}

#[test]
fn a_method_that_stays_takes_its_body_along() {
    let answer = |request: &str| match request.starts_with("POST /a ") {
        true => Reply::After(
            MS,
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n",
        ),
        false => Reply::After(MS, OK),
    };
    let (driven, heads, _) = drive(three(json!({}), json!({})), answer);
    assert_eq!(counts(&driven).measured.completed, 3);
    assert!(
        heads[1].starts_with("POST /b ") && heads[1].ends_with("\r\n\r\nhello"),
        "{}",
        heads[1]
    );
}

#[test]
fn an_endless_redirect_is_a_failure_with_its_name_after_ten() {
    let (driven, heads, _) = drive(three(json!({}), json!({})), |_| Reply::After(MS, FOUND));
    assert_eq!((failed(&driven, Failure::Status), heads.len()), (3, 33));
    assert_eq!(driven.recorder.redirects, 30);
    assert_eq!(cause(&driven), "more than 10 redirects in a row");
}

#[test]
fn a_redirect_to_another_host_is_followed_only_where_the_job_names_it() {
    const AWAY: &str = "HTTP/1.1 301 Moved\r\nLocation: http://other.test:81/b\r\nContent-Length: 0\r\n\r\n";
    let answer = |request: &str| match request.starts_with("POST /a ") {
        true => Reply::After(MS, AWAY),
        false => Reply::After(MS, OK),
    };
    let (driven, heads, _) = drive(three(json!({}), json!({})), answer);
    assert_eq!((failed(&driven, Failure::Status), heads.len()), (3, 3));
    assert_eq!(cause(&driven), "a redirect to a host that is not declared");
    let (driven, heads, connections) = drive(three(json!({"other.test": ["127.0.0.1"]}), json!({})), answer);
    assert_eq!(counts(&driven).measured.completed, 3);
    assert_eq!(heads[1], "GET /b HTTP/1.1\r\nHost: other.test:81\r\n\r\n");
    assert_eq!(connections, 2, "each server keeps its connection");
    let to_none = |_: &str| {
        Reply::After(
            MS,
            "HTTP/1.1 302 Found\r\nLocation: mailto:a@b\r\nContent-Length: 0\r\n\r\n",
        )
    };
    assert_eq!(
        cause(&drive(three(json!({}), json!({})), to_none).0),
        "a redirect to an address that is not an HTTP URL"
    );
}

#[test]
fn a_redirect_without_an_address_and_one_that_a_job_does_not_follow_are_judged_as_answers() {
    let no_address = |_: &str| Reply::After(MS, "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n");
    let (driven, heads, _) = drive(three(json!({}), json!({})), no_address);
    assert_eq!(
        (failed(&driven, Failure::Status), heads.len(), cause(&driven)),
        (3, 3, "")
    );
    let plain = json!([{"subject": "a", "url": "http://127.0.0.1:9/a"}]);
    let (driven, heads, _) = drive(three(json!({}), json!({"targets": plain})), |_| Reply::After(MS, FOUND));
    assert_eq!(
        (failed(&driven, Failure::Status), heads.len(), cause(&driven)),
        (3, 3, "")
    );
}

#[test]
fn a_connection_that_ends_with_the_redirect_is_replaced() {
    const LAST: &str = "HTTP/1.1 303 See Other\r\nLocation: /b\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    let answer = |request: &str| match request.starts_with("POST /a ") {
        true => Reply::After(MS, LAST),
        false => Reply::After(MS, OK),
    };
    let (driven, _, connections) = drive(three(json!({}), json!({})), answer);
    assert_eq!((counts(&driven).measured.completed, connections), (3, 4));
    let (driven, _, connections) = drive(three(json!({}), json!({"connection": "per-request"})), answer);
    assert_eq!((counts(&driven).measured.completed, connections), (3, 6));
}

#[test]
fn the_timeout_is_that_of_the_whole_chain() {
    let job = three(json!({}), json!({"timeout_ms": 50}));
    let (driven, _, _) = drive(job, |_| Reply::After(30 * MS, FOUND));
    assert_eq!(failed(&driven, Failure::Timeout), 3);
}

#[test]
fn a_session_takes_the_cookies_of_a_redirect_along() {
    const LOGIN: &str = "HTTP/1.1 302 Found\r\nLocation: /b\r\nSet-Cookie: id=7\r\nContent-Length: 0\r\n\r\n";
    let mut job = three(
        json!({}),
        json!({"sessions": {"visit": {"steps": [{"operation": "echo"}]}}}),
    );
    job["slices"][0]["mix"] = json!({"visit": 1});
    let answer = |request: &str| match request.starts_with("POST /a ") {
        true => Reply::After(MS, LOGIN),
        false => Reply::After(MS, OK),
    };
    let (driven, heads, _) = drive(job, answer);
    assert_eq!(counts(&driven).measured.completed, 3);
    assert!(heads[1].contains("Cookie: id=7\r\n"), "{}", heads[1]);
}

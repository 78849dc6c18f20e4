//! The parts of incomplete answers that are kept, and their effects.

use std::sync::{Arc, Mutex};

use serde_json::json;

use super::simulation::{Reply, Simulation};
use super::tests::{MS, counts, slice, users};
use crate::clock::Ns;

const IN_CHUNKS: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nall is o\r\n1\r\nk\r\n0\r\n\r\n";

#[test]
fn a_cookie_that_comes_before_a_request_was_sent_whole_goes_with_the_next_one() {
    let sent = Arc::new(Mutex::new(String::new()));
    let (seen, mut calls) = (sent.clone(), 0);
    // Each request is taken in three pieces, and its answer begins after the first of them.
    let script = move |_: Ns, text: &str| {
        calls += 1;
        let (taken, reply) = match calls % 3 {
            1 => (
                text.len() / 2,
                Reply::Half(
                    5 * MS,
                    "HTTP/1.1 200 OK\r\nSet-Cookie: id=7\r\nContent-Length: 2\r\n\r\no",
                ),
            ),
            2 => (text.len() / 2, Reply::Half(5 * MS, "k")),
            _ => (text.len(), Reply::Never),
        };
        seen.lock().unwrap().push_str(&text[..taken]);
        reply
    };
    let sessions = json!({"visit": {"steps": [{"operation": "echo"}, {"operation": "echo"}]}});
    let job = json!({"slices": [slice(users(1, 0.015), json!({"mix": {"visit": 1}}))], "sessions": sessions});
    let (driven, _) = Simulation::new(job, script).drive(0);
    assert_eq!(counts(&driven).measured.completed, 1);
    let head = "POST / HTTP/1.1\r\nHost: 127.0.0.1:9\r\n";
    let end = "Content-Length: 5\r\n\r\nhello";
    assert_eq!(*sent.lock().unwrap(), format!("{head}{end}{head}Cookie: id=7\r\n{end}"));
}

#[test]
fn answers_that_an_expression_cannot_read_for_want_of_room_are_the_instruments_matter_and_not_wrong() {
    let job = json!({"slices": [slice(users(3, 0.1), json!({}))], "rules": {"right": {"matches": "is ok$"}}});
    let mut simulation = Simulation::new(job, |_, _| Reply::After(MS, IN_CHUNKS));
    simulation.room = "all is ok".len();
    let (driven, _) = simulation.drive(0);
    assert!(driven.recorder.instrument.is_none());
    assert!(counts(&driven).measured.completed > 100);

    simulation.room -= 1;
    let (driven, _) = simulation.drive(0);
    assert!(driven.recorder.instrument.is_some_and(|why| why.contains("matches")));
    let counts = counts(&driven);
    assert_eq!((counts.ended(), counts.dropped), (0, counts.sent));
}

#[test]
fn an_answer_of_which_something_was_not_kept_is_no_sample_of_a_right_one() {
    let job = json!({"slices": [slice(users(1, 0.1), json!({}))]});
    let mut simulation = Simulation::new(job, |_, _| Reply::After(MS, IN_CHUNKS));
    let (driven, _) = simulation.drive(0);
    assert!(driven.samples.iter().any(|sample| sample.answer == b"all is ok"));
    simulation.room = 3;
    let (driven, _) = simulation.drive(0);
    assert!(counts(&driven).measured.completed > 50);
    assert!(driven.samples.is_empty(), "{:?}", driven.samples);
}

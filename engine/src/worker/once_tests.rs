//! Tests of steps that a user makes once, and of rows of data, in simulated time.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::Driven;
use super::simulation::{OK, Reply, Simulation};
use super::tests::{MS, counts, slice, users};
use crate::clock::{Ns, SECOND};
use crate::corpus::{Corpus, Entry, RequestLine};

const NO: &str = "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n";
const TOKEN: &str = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\ntoken=7;";

/// A corpus of the operations `login` and `cart`; the latter sends the values of `body`.
fn shop(body: &str) -> Corpus {
    let mut corpus = Corpus::of_one("cart", body.as_bytes().to_vec(), true);
    corpus.lines[0].filled = true;
    corpus.lines.push(RequestLine {
        operation: 1,
        path: Some("/login".to_owned()),
        ..RequestLine::default()
    });
    let login = Entry {
        operation: 1,
        line: 1,
        length: 0,
        ..corpus.entries[0]
    };
    corpus.entries.push(login);
    corpus.operations.push("login".to_owned());
    corpus
}

fn visit(more: Value) -> Value {
    let capture = json!({"token": {"kind": "regex", "expression": "token=(.*?);"}});
    let mut session = json!({"steps": [
        {"operation": "login", "once": true, "captures": capture},
        {"operation": "cart"},
        {"operation": "cart", "think": {"kind": "constant", "ms": 10}},
    ]});
    session
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    session
}

/// Drives a session against a script; the requests as the server saw them, `login` or the body.
fn drive(
    session: &Value,
    profile: Value,
    script: impl Fn(Ns, &str, usize) -> Reply + 'static,
) -> (Driven, Vec<String>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let job = json!({"slices": [slice(profile, json!({"mix": {"visit": 1}}))], "sessions": {"visit": session}});
    let mut simulation = Simulation::with_corpus(job, shop("{{token}}"), move |now, request: &str| {
        let mut seen = log.lock().unwrap();
        let text = if request.contains("/login") {
            "login"
        } else {
            request.rsplit("\r\n").next().unwrap()
        };
        seen.push(text.to_owned());
        script(now, text, seen.len())
    });
    let (driven, _) = simulation.drive(0);
    let seen = seen.lock().unwrap().clone();
    (driven, seen)
}

fn sessions(driven: &Driven) -> (u64, u64) {
    let session = driven.recorder.sessions[0].as_ref().unwrap();
    (session.completed, session.failed)
}

fn answer(text: &str) -> Reply {
    Reply::After(10 * MS, if text == "login" { TOKEN } else { OK })
}

#[test]
fn a_step_made_once_is_the_first_of_each_user_and_its_value_stays() {
    let (driven, seen) = drive(&visit(json!({})), users(2, 0.5), |_, text, _| answer(text));
    assert_eq!(seen.iter().filter(|text| *text == "login").count(), 2);
    assert!(seen.iter().filter(|text| *text == "7").count() > 20);
    assert!(sessions(&driven).0 > 10 && sessions(&driven).1 == 0);
}

#[test]
fn an_answer_that_asks_for_it_makes_a_user_log_in_again_and_repeat_its_request() {
    let script = |_: Ns, text: &str, number: usize| match number % 5 {
        0 if text != "login" => Reply::After(10 * MS, NO),
        _ => answer(text),
    };
    let (driven, seen) = drive(&visit(json!({"again_on": [401]})), users(1, 0.5), script);
    let counted = counts(&driven);
    assert_eq!(counted.measured.failed(), 0);
    assert!(counted.expected_faults > 5, "{}", counted.expected_faults);
    assert_eq!(seen[..8], ["login", "7", "7", "7", "7", "login", "7", "7"]);
    assert_eq!(sessions(&driven).1, 0);
}

#[test]
fn a_second_answer_that_asks_for_it_is_a_failure_and_ends_the_session() {
    let script = |_: Ns, text: &str, _: usize| {
        if text == "login" {
            answer(text)
        } else {
            Reply::After(10 * MS, NO)
        }
    };
    let (driven, seen) = drive(&visit(json!({"again_on": [401]})), users(1, 0.5), script);
    let counted = counts(&driven);
    assert!(counted.measured.failed() > 3);
    assert_eq!(counted.measured.failed(), sessions(&driven).1);
    assert_eq!(seen[..6], ["login", "7", "login", "7", "login", "7"]);
    assert_eq!(sessions(&driven).0, 0);
}

#[test]
fn steps_made_once_are_made_again_when_they_are_old() {
    let (driven, seen) = drive(&visit(json!({"again_after_ms": 95})), users(1, 1.0), |_, text, _| {
        answer(text)
    });
    let logins = seen.iter().filter(|text| *text == "login").count();
    assert!((8..=12).contains(&logins), "{logins}");
    assert_eq!(sessions(&driven).1, 0);
    assert_eq!(counts(&driven).measured.failed(), 0);
}

#[test]
fn a_failed_step_made_once_ends_its_session_even_where_others_may_fail() {
    let script = |_: Ns, _: &str, _: usize| Reply::After(10 * MS, NO);
    let (driven, seen) = drive(&visit(json!({"on_failure": "continue"})), users(1, 0.2), script);
    assert!(seen.iter().all(|text| text == "login"));
    assert_eq!(sessions(&driven).0, 0);
}

#[test]
fn each_arrival_of_a_rate_is_a_new_user_that_makes_all_steps() {
    let stages = json!([{"from_rate": 50, "to_rate": 50, "seconds": 0.5}]);
    let profile = json!({"kind": "rate", "stages": stages, "max_in_flight": 20});
    let (driven, seen) = drive(&visit(json!({})), profile, |_, text, _| answer(text));
    let logins = seen.iter().filter(|text| *text == "login").count() as u64;
    assert_eq!(logins, driven.started[0]);
}

#[test]
fn a_load_whose_rows_end_ends_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.csv");
    std::fs::write(&file, "token\nann\nbob\ncid\n").unwrap();
    for (each, profile, sent) in [
        ("session", users(2, 9.0), ["ann", "bob", "cid"]),
        ("user", users(5, 9.0), ["ann", "bob", "cid"]),
    ] {
        let rows = json!({"file": file, "columns": ["token"], "each": each, "at_end": "stop"});
        let session = json!({"steps": [{"operation": "cart"}], "rows": rows});
        let (driven, mut seen) = drive(&session, profile, |_, text, _| answer(text));
        let length = driven.recorder.end - driven.recorder.begin;
        if each == "session" {
            seen.sort();
            assert_eq!(seen, sent);
            assert!(length < SECOND, "{length}");
        } else {
            seen.sort();
            seen.dedup();
            assert_eq!(seen, sent);
            assert_eq!(length, 9 * SECOND, "the users that have a row go on");
        }
    }
}

//! Tests of sessions in simulated time: captured values, and sessions with hostile answers.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::Driven;
use super::simulation::{OK, Reply, Simulation};
use super::tests::{MS, counts, slice, users};
use crate::clock::Ns;
use crate::corpus::{Corpus, Entry, RequestLine};
use crate::plan::Steps;
use crate::validation;
use crate::verify::Failure;

/// A corpus whose one request has places in its body.
fn with_places(body: &str) -> Corpus {
    let mut corpus = Corpus::of_one("echo", body.as_bytes().to_vec(), true);
    corpus.lines[0].filled = true;
    corpus
}

fn job(session: Value, profile: Value) -> Value {
    let more = json!({"mix": {"visit": 1}});
    json!({"slices": [slice(profile, more)], "sessions": {"visit": session}})
}

fn two_steps() -> Value {
    json!([{"operation": "echo", "captures": {"id": {"kind": "regex", "expression": "id=(.*?);"}}}, {"operation": "echo"}])
}

fn sessions(driven: &Driven) -> (u64, u64) {
    let session = driven.recorder.sessions[0].as_ref().unwrap();
    (session.completed, session.failed)
}

/// Drives one user for 100 ms against answers that take 10 ms each.
fn drive(session: Value, answer: &'static str) -> Driven {
    let script = move |_: Ns, _: &str| Reply::After(10 * MS, answer);
    Simulation::new(job(session, users(1, 0.1)), script).drive(0).0
}

#[test]
fn an_answer_without_the_value_fails_as_a_capture_and_ends_its_session() {
    for answer in [
        OK,
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nid=\0;",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nid=\r\n2\r\nx\n\r\n0\r\n\r\n",
    ] {
        let driven = drive(json!({"steps": two_steps()}), answer);
        let counts = counts(&driven);
        assert!(counts.measured.failures[Failure::Capture as usize] > 3, "{answer}");
        assert_eq!(counts.measured.completed, 0);
        let (whole, failed) = sessions(&driven);
        assert!(whole == 0 && failed > 3);
    }
}

#[test]
fn a_value_of_a_json_answer_fills_the_next_request_and_one_that_is_missing_fails_its_session() {
    let steps = json!([
        {"operation": "echo", "captures": {"id": {"kind": "json", "path": ["items", 1, "id"]}}},
        {"operation": "echo"},
    ]);
    for (answer, whole) in [
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{\"items\":\r\n10\r\n[0,{\"id\":\"a\\/b\"}\r\n2\r\n]}\r\n0\r\n\r\n",
            true,
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{\"items\":[0]}", false),
    ] {
        let bodies = Arc::new(Mutex::new(BTreeSet::new()));
        let seen = bodies.clone();
        let script = move |_: Ns, request: &str| {
            seen.lock()
                .unwrap()
                .insert(request.rsplit("\r\n").next().unwrap().to_owned());
            Reply::After(10 * MS, answer)
        };
        let session = json!({"steps": steps, "on_failure": "continue"});
        let mut simulation = Simulation::with_corpus(job(session, users(1, 0.1)), with_places("{{id}}"), script);
        let (completed, failed) = sessions(&simulation.drive(0).0);
        assert_eq!((completed > 0, failed > 0), (whole, !whole), "{answer}");
        assert_eq!(bodies.lock().unwrap().contains("a/b"), whole, "{answer}");
    }
}

#[test]
fn a_session_that_may_continue_does_after_a_failure_unless_a_value_is_missing() {
    const NO: &str = "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n";
    let steps = json!([{"operation": "echo"}, {"operation": "echo"}, {"operation": "echo"}]);
    for (rule, seen_by_server) in [("continue", 3), ("end-session", 1)] {
        let driven = drive(json!({"steps": steps, "on_failure": rule}), NO);
        let (whole, failed) = sessions(&driven);
        assert_eq!(whole, 0, "{rule}");
        assert_eq!(
            counts(&driven).measured.failed().div_ceil(seen_by_server),
            driven.started[0],
            "{rule}"
        );
        assert!(failed > 1, "{rule}");
    }
    let second_needs = Arc::new(Mutex::new(Vec::new()));
    let seen = second_needs.clone();
    let script = move |_: Ns, request: &str| {
        seen.lock().unwrap().push(request.to_owned());
        Reply::After(10 * MS, NO)
    };
    let session = json!({"steps": two_steps(), "on_failure": "continue"});
    let mut simulation = Simulation::with_corpus(job(session, users(1, 0.1)), with_places("{{id}}"), script);
    let (driven, _) = simulation.drive(0);
    // Even the first request lacks the value here, so none that goes on to the second step is ever sent with it empty.
    assert_eq!(sessions(&driven), (0, driven.started[0]));
    assert_eq!(counts(&driven).sent, driven.started[0]);
}

#[test]
fn a_wrong_answer_gives_no_value_so_its_session_fails_and_nothing_is_sent_with_a_place_unfilled() {
    let seen_by_server = Arc::new(Mutex::new(Vec::new()));
    let seen = seen_by_server.clone();
    let script = move |_: Ns, request: &str| {
        seen.lock().unwrap().push(request.to_owned());
        Reply::After(10 * MS, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nid=7;")
    };
    let mut job = job(json!({"steps": two_steps()}), users(1, 0.1));
    job["rules"] = json!({"right": {"contains": "what never comes"}});
    let mut simulation = Simulation::with_corpus(job, with_places("{{id}}"), script);
    let (driven, _) = simulation.drive(0);
    let (whole, failed) = sessions(&driven);
    let counts = counts(&driven);
    assert!(whole == 0 && failed > 3);
    assert_eq!(counts.measured.wrong + counts.outside.wrong, counts.sent);
    assert_eq!(
        seen_by_server.lock().unwrap().len() as u64,
        driven.started[0],
        "no second step was sent"
    );
}

#[test]
fn values_and_stamps_are_filled_anew_for_every_session_and_the_seed_replays_them() {
    let run = || {
        let seen_by_server = Arc::new(Mutex::new(Vec::new()));
        let seen = seen_by_server.clone();
        let script = move |_: Ns, request: &str| {
            seen.lock()
                .unwrap()
                .push(request.rsplit_once("\r\n\r\n").unwrap().1.to_owned());
            Reply::After(10 * MS, OK)
        };
        let session = json!({"steps": [{"operation": "echo"}]});
        Simulation::with_corpus(job(session, users(2, 0.1)), with_places("{{counter}} {{uuid}}"), script).drive(0);
        std::mem::take(&mut *seen_by_server.lock().unwrap())
    };
    let seen_by_server = run();
    let numbers: Vec<u64> = seen_by_server
        .iter()
        .map(|text| text.split_once(' ').unwrap().0.parse().unwrap())
        .collect();
    assert_eq!(numbers, (1..=seen_by_server.len() as u64).collect::<Vec<_>>());
    let uuids: BTreeSet<&str> = seen_by_server
        .iter()
        .map(|text| text.split_once(' ').unwrap().1)
        .collect();
    assert_eq!(uuids.len(), seen_by_server.len());
    assert_eq!(run(), seen_by_server);
}

#[test]
fn a_session_that_a_slice_or_a_level_cut_off_is_not_taken_up_by_the_next() {
    let seen_by_server = Arc::new(Mutex::new(Vec::new()));
    let seen = seen_by_server.clone();
    let script = move |_: Ns, request: &str| {
        seen.lock().unwrap().push(request.contains("Cookie: "));
        Reply::After(
            10 * MS,
            "HTTP/1.1 200 OK\r\nSet-Cookie: id=7\r\nContent-Length: 0\r\n\r\n",
        )
    };
    // Each session is in its pause when its slice, or its burst, ends; a second step would come with a cookie.
    let steps = json!([{"operation": "echo", "think": {"kind": "constant", "ms": 500}}, {"operation": "echo"}]);
    let bursts = json!({"kind": "bursts", "users": 1, "on_seconds": 0.1, "off_seconds": 0.1, "seconds": 0.4});
    let slices = [
        slice(users(1, 0.1), json!({"mix": {"visit": 1}})),
        slice(bursts, json!({"mix": {"visit": 1}, "number": 1})),
    ];
    let sessions = json!({"visit": {"steps": steps, "new_visitor": true}});
    let mut simulation = Simulation::new(json!({"slices": slices, "sessions": sessions}), script);
    simulation.drive(0);
    simulation.drive(1);
    assert_eq!(*seen_by_server.lock().unwrap(), [false; 3]);
}

#[test]
fn a_new_visitor_has_no_cookie_of_the_session_before() {
    for (new_visitor, without) in [(true, 5), (false, 1)] {
        let seen_by_server = Arc::new(Mutex::new(0));
        let seen = seen_by_server.clone();
        let script = move |_: Ns, request: &str| {
            *seen.lock().unwrap() += u64::from(!request.contains("Cookie: "));
            Reply::After(
                10 * MS,
                "HTTP/1.1 200 OK\r\nSet-Cookie: id=7\r\nContent-Length: 0\r\n\r\n",
            )
        };
        let steps = json!([{"operation": "echo"}, {"operation": "echo"}]);
        let session = json!({"steps": steps, "new_visitor": new_visitor});
        Simulation::new(job(session, users(1, 0.1)), script).drive(0);
        assert_eq!(*seen_by_server.lock().unwrap(), without);
    }
}

#[test]
fn a_pause_of_the_corpus_takes_the_place_of_the_steps_and_is_part_of_the_sessions_time() {
    let mut corpus = Corpus::of_one("echo", b"hello".to_vec(), true);
    corpus.pauses.insert(0, 30 * MS);
    let steps = json!([{"operation": "echo", "think": {"kind": "constant", "ms": 1}}, {"operation": "echo"}]);
    let job = job(json!({"steps": steps}), users(1, 1.0));
    let (driven, _) = Simulation::with_corpus(job, corpus, |_, _| Reply::After(10 * MS, OK)).drive(0);
    let session = driven.recorder.sessions[0].as_ref().unwrap();
    assert_eq!(session.time_ns_sum, session.completed * 50 * MS);
    assert!(session.completed > 10);
}

#[test]
fn fixed_work_ends_with_the_last_user_and_counts_what_was_asked() {
    let work = json!({"kind": "fixed-work", "users": 3, "each": 4, "most_seconds": 60});
    let session = json!({"steps": [{"operation": "echo"}, {"operation": "echo"}]});
    for (more, requests) in [(json!({"visit": 1}), 24), (json!({"echo": 1}), 12)] {
        let slices = [slice(work.clone(), json!({"mix": more}))];
        let job = json!({"slices": slices, "sessions": {"visit": session}});
        let mut simulation = Simulation::new(job, |_, _| Reply::After(400 * MS, OK));
        let (driven, ticks) = simulation.drive(0);
        assert_eq!((driven.started.clone(), driven.work_left), (vec![12], 0));
        assert_eq!(counts(&driven).measured.completed, requests);
        let length = driven.recorder.end - driven.recorder.begin;
        assert_eq!(length, requests / 3 * 400 * MS);
        let ticked: u64 = ticks.iter().map(|tick| tick.operations[0].measured.completed).sum();
        assert_eq!(ticked, requests);
        assert!(matches!(simulation.plan(0).steps.as_slice(), [Steps::Session(_)]) == (requests == 24));
    }
}

#[test]
fn fixed_work_that_does_not_divide_gives_the_first_users_one_more_also_where_engines_share_it() {
    let work = json!({"kind": "fixed-work", "users": 7, "each": 142, "extra": 6, "most_seconds": 60});
    let drive = |place: u32, of: u32| {
        let slices = [slice(work.clone(), json!({}))];
        let job = json!({"slices": slices, "share": {"place": place, "of": of}});
        let (driven, _) = Simulation::new(job, |_, _| Reply::After(MS, OK)).drive(0);
        assert_eq!(driven.work_left, 0);
        counts(&driven).sent
    };
    assert_eq!(drive(0, 1), 1000);
    let shared: Vec<u64> = (0..3).map(|place| drive(place, 3)).collect();
    // Users 0, 3 and 6, of whom the last makes no more; 1 and 4; 2 and 5.
    assert_eq!(shared, [143 * 2 + 142, 143 * 2, 143 * 2]);
}

/// A corpus of the operations `echo`, which sends the value `next`, and `first`, which sends nothing.
fn pages() -> Corpus {
    let mut corpus = with_places("{{next}}");
    corpus.lines.push(RequestLine {
        operation: 1,
        ..RequestLine::default()
    });
    corpus.entries.push(Entry {
        operation: 1,
        line: 1,
        length: 0,
        ..corpus.entries[0]
    });
    corpus.operations.push("first".to_owned());
    corpus
}

#[test]
fn a_step_is_left_out_where_the_value_that_it_needs_was_not_captured() {
    let next = json!({"next": {"kind": "regex", "expression": "next=(.*?);"}});
    let first = json!({"operation": "first", "captures": next});
    let page = json!({"operation": "echo", "captures": next, "if_captured": "next"});
    let steps = json!([first, page, page, page, {"operation": "first"}]);
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let seen = bodies.clone();
    let script = move |_: Ns, request: &str| {
        let body = request.rsplit("\r\n").next().unwrap().to_owned();
        let answer = match body.as_str() {
            "" => "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nnext=2;",
            "2" => "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nnext=3;",
            _ => OK,
        };
        seen.lock().unwrap().push(body);
        Reply::After(10 * MS, answer)
    };
    let job = job(json!({"steps": steps}), users(1, 0.2));
    let driven = Simulation::with_corpus(job, pages(), script).drive(0).0;
    assert_eq!(counts(&driven).measured.failed(), 0);
    let (whole, failed) = sessions(&driven);
    assert!(whole > 3 && failed == 0, "{whole} {failed}");
    // The third page is left out: page 3 names no next one.
    assert_eq!(bodies.lock().unwrap()[..8], ["", "2", "3", "", "", "2", "3", ""]);
}

#[test]
fn a_condition_that_no_earlier_step_can_meet_is_refused() {
    let captures = json!({"id": {"kind": "header", "name": "X"}});
    for (steps, why) in [
        (json!([{"operation": "echo", "if_captured": "id"}]), "are always made"),
        (
            json!([{"operation": "echo", "captures": captures}, {"operation": "echo", "if_captured": "no"}]),
            "captures `no`",
        ),
        (
            json!([{"operation": "echo", "once": true, "captures": captures}, {"operation": "echo", "if_captured": "id"}]),
            "are always made",
        ),
    ] {
        let whole = json!({
            "seed": 1, "corpus": "", "rules": {"right": {}}, "targets": [{"subject": "a", "url": "http://127.0.0.1:9/"}],
            "slices": [slice(users(1, 0.1), json!({"mix": {"visit": 1}}))], "sessions": {"visit": {"steps": steps}},
        });
        let error = validation::parse(whole.to_string().as_bytes()).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

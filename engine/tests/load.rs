//! The engine alone: `load` and `probe`, as a person or a script calls them.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod testserver_harness;

use std::process::{Command, Output};

use serde_json::Value;
use testserver_harness::TestServer;

fn engine(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_steelyard-engine"))
        .args(words)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs `load` with these further words against a server, for a second; its exit code and its object.
fn load(server: &TestServer, words: &[&str]) -> (i32, Value) {
    let url = format!("http://{}/", server.address);
    let output = engine(&[&["load", &url, "--for", "1s", "--json"], words].concat());
    let printed = text(&output.stdout);
    (
        output.status.code().unwrap(),
        serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{printed}")),
    )
}

#[test]
fn json_is_one_object_with_the_documented_keys() {
    let server = TestServer::start(&["null"]);
    let (code, output) = load(&server, &["--users", "4", "--expect-contains", "echoVoidResponse"]);
    assert_eq!(code, 0, "{output}");
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        keys(&output),
        [
            "addresses",
            "dropped",
            "engine",
            "failures",
            "reconnects",
            "requests",
            "response_time_us",
            "service_time_us",
            "throughput_per_s",
            "valid",
            "why_not"
        ]
    );
    assert_eq!(
        keys(&output["response_time_us"]),
        ["max", "mean", "p50", "p90", "p99", "p99_9"]
    );
    assert_eq!(
        keys(&output["engine"]),
        [
            "lateness_p99_us",
            "max_rss_mb",
            "system_cpu_us_per_request",
            "user_cpu_us_per_request"
        ]
    );
    assert!(output["requests"].as_u64().unwrap() > 100 && output["valid"] == true && output["why_not"].is_null());
    assert!(output["failures"].as_object().unwrap().values().all(|count| count == 0));
}

#[test]
fn an_open_load_sends_as_many_as_were_due() {
    let server = TestServer::start(&["null"]);
    let (_, output) = load(&server, &["--rate", "200"]);
    let requests = output["requests"].as_u64().unwrap();
    assert!((190..=200).contains(&requests), "{output}");
    assert!(
        output["response_time_us"]["p99"].is_null(),
        "200 requests support no p99"
    );
    let (_, output) = load(&server, &["--rate", "200", "--poisson", "--threads", "2"]);
    assert!((120..=280).contains(&output["requests"].as_u64().unwrap()), "{output}");
}

#[test]
fn wrong_answers_and_failures_are_told_with_exit_1() {
    let server = TestServer::start(&["misbehave", "unavailable", "--share", "0.5"]);
    let (code, output) = load(&server, &["--users", "2"]);
    assert!(
        code == 1 && output["failures"]["status"].as_u64().unwrap() > 0,
        "{output}"
    );
    let (code, output) = load(&server, &["--users", "2", "--expect-status", "503"]);
    assert!(
        code == 1 && output["failures"]["status"].as_u64().unwrap() > 0,
        "{output}"
    );
    let server = TestServer::start(&["null"]);
    let (code, output) = load(&server, &["--expect-contains", "what is never there"]);
    assert_eq!((code, &output["valid"]), (1, &Value::Bool(false)));
    assert!(output["why_not"].as_str().unwrap().contains("wrong answers"));
}

#[test]
fn requests_that_are_never_answered_are_counted_as_unanswered() {
    let server = TestServer::start(&["misbehave", "never-answers"]);
    let (code, output) = load(&server, &["--users", "3", "--timeout", "2s"]);
    assert_eq!(
        (code, &output["dropped"], &output["requests"]),
        (1, &Value::from(3), &Value::from(0))
    );
    let output = engine(&[
        "load",
        &format!("http://{}/", server.address),
        "--for",
        "300ms",
        "--users",
        "3",
        "--timeout",
        "1s",
    ]);
    let table = text(&output.stdout);
    assert!(
        table.contains("unanswered             3 when the drain ended"),
        "{table}"
    );
}

#[test]
fn a_table_is_printed_for_people() {
    let server = TestServer::start(&["null"]);
    let output = engine(&[
        "load",
        &format!("http://{}/", server.address),
        "--for",
        "300ms",
        "--users",
        "2",
    ]);
    let table = text(&output.stdout);
    for part in [
        "requests",
        "throughput",
        "failures",
        "none",
        "response",
        "service",
        "p99.9",
        "engine:",
    ] {
        assert!(table.contains(part), "{part} in {table}");
    }
    assert!(output.status.success() && table.lines().count() < 15);
}

#[test]
fn what_cannot_be_asked_is_refused_in_a_sentence() {
    for (words, part) in [
        (vec!["load", "http://127.0.0.1:1/", "--users", "0"], "users"),
        (
            vec!["load", "http://127.0.0.1:1/", "--rate", "5", "--users", "3"],
            "--rate",
        ),
        (vec!["load", "http://127.0.0.1:1/", "--poisson"], "--rate"),
        (vec!["load", "http://127.0.0.1:1/", "--for", "soon"], "is not a time"),
        (
            vec!["load", "http://127.0.0.1:1/", "--body", "/no/such/file"],
            "/no/such/file",
        ),
        (
            vec!["load", "http://127.0.0.1:1/", "--header", "nonsense"],
            "Name: value",
        ),
        (vec!["load", "nonsense"], "http://"),
        (vec!["load", "http://no-such-host.invalid/"], "no-such-host.invalid"),
    ] {
        let output = engine(&words);
        let errors = text(&output.stderr);
        assert!(!output.status.success() && errors.contains(part), "{words:?}: {errors}");
        assert!(!errors.contains("panicked"), "{errors}");
    }
}

#[test]
fn a_probe_succeeds_only_on_a_200() {
    let probe = |words: &[&str], path: &str| {
        let server = TestServer::start(words);
        let output = engine(&["probe", &format!("http://{}{path}", server.address)]);
        (output.status.code().unwrap(), text(&output.stderr))
    };
    assert_eq!(probe(&["null"], "/").0, 0);
    for (mode, part) in [
        ("refuses", "no connection"),
        ("never-answers", "within a second"),
        ("closes-unanswered", "without an answer"),
        ("redirects", "302"),
        ("garbage", "not HTTP"),
    ] {
        let (code, output) = probe(&["misbehave", mode], "/");
        assert!(code == 1 && output.contains(part), "{mode}: {output}");
    }
}

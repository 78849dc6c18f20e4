//! Servers that break the protocol, one after the other: each gives the right kind of failure, and nothing crashes, hangs,
//! leaks or spins.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod engine_harness;
mod testserver_harness;

use engine_harness::{Bench, KINDS, Row, job, number, slice};
use serde_json::{Value, json};
use testserver_harness::TestServer;

/// Three users for 600 ms against a server that misbehaves; the slice's row.
fn against(words: &[&str], more: Value) -> (Row, Value) {
    let server = TestServer::start(&[&["misbehave"], words].concat());
    let secure = server.authority_pem.is_some() || words[0].starts_with("tls");
    let bench = Bench::new();
    let mut job = job(
        "",
        json!([slice(0, json!({"kind": "big-bang", "users": 3, "seconds": 0.6}))]),
        more,
    );
    let scheme = if secure { "https" } else { "http" };
    job["targets"][0]["url"] = format!("{scheme}://{}/", server.address).into();
    if let Some(pem) = &server.authority_pem {
        std::fs::write(bench.path("ca.pem"), pem).unwrap();
        job["targets"][0]["tls"] = json!({"ca": "ca.pem"});
    }
    let row = bench.run(&job).remove(0);
    let summary = bench.summary();
    let rss = summary["engine"]["max_rss_bytes"].as_u64().unwrap();
    assert!(rss < 64 * 1024 * 1024, "{words:?} made the engine take {rss} bytes");
    let cpu = summary["engine"]["user_cpu_s"].as_f64().unwrap();
    assert!(cpu < 5.0, "{words:?} kept the engine busy for {cpu} s");
    (row, summary)
}

/// All requests that ended did so in one of these kinds, and the first of them is there.
fn fails_only_as(words: &[&str], kinds: &[&str]) {
    let (row, _) = against(words, json!({}));
    assert!(number(&row, kinds[0]) > 0, "{words:?}: no {} in {row:?}", kinds[0]);
    for other in KINDS.iter().filter(|kind| !kinds.contains(kind)) {
        assert_eq!(number(&row, other), 0, "{words:?}: {other} in {row:?}");
    }
    if !kinds.contains(&"right") {
        assert_eq!(number(&row, "completed"), 0, "{words:?}: {row:?}");
    }
    assert_eq!(number(&row, "wrong"), 0, "{words:?}: {row:?}");
}

fn is_right(words: &[&str]) -> Row {
    let (row, _) = against(words, json!({}));
    assert!(number(&row, "completed") > 0, "{words:?}: {row:?}");
    for kind in KINDS {
        assert_eq!(number(&row, kind), 0, "{words:?}: {kind} in {row:?}");
    }
    row
}

#[test]
fn a_server_that_refuses_is_counted_as_refused_and_is_no_busy_loop() {
    let (row, _) = against(&["refuses"], json!({}));
    let refused = number(&row, "refused");
    // Three users, 600 ms, a pause of 10 ms after each failure.
    assert!((3..=190).contains(&refused), "{refused}");
}

#[test]
fn a_server_that_never_answers_or_drips_times_out_at_the_limit() {
    for mode in ["never-answers", "drips", "drips-head"] {
        fails_only_as(&[mode], &["timeout"]);
    }
}

#[test]
fn an_answer_that_ends_early_is_truncated_and_a_reset_is_a_reset() {
    for mode in ["closes-unanswered", "closes-in-head", "closes-in-body", "chunk-cut"] {
        fails_only_as(&[mode], &["truncated"]);
    }
    for mode in ["resets", "resets-in-body"] {
        fails_only_as(&[mode], &["reset"]);
    }
}

#[test]
fn a_length_that_is_no_length_is_malformed_and_one_that_is_never_reached_times_out() {
    for mode in [
        "length-overflow",
        "length-negative",
        "length-no-number",
        "length-twice",
        "length-too-small",
    ] {
        fails_only_as(&[mode], &["malformed"]);
    }
    for mode in ["length-too-large", "length-huge"] {
        fails_only_as(&[mode], &["timeout"]);
    }
}

#[test]
fn what_has_no_end_is_malformed_or_times_out_in_bounded_memory() {
    for mode in ["endless-head", "endless-header", "continue-storm"] {
        fails_only_as(&[mode], &["malformed"]);
    }
    for mode in ["endless-body", "endless-body-unstated"] {
        fails_only_as(&[mode], &["timeout"]);
    }
}

#[test]
fn bad_chunks_garbage_and_surplus_answers_are_malformed() {
    for mode in ["chunk-bad", "chunk-huge", "chunk-too-long", "garbage", "answers-twice"] {
        fails_only_as(&[mode], &["malformed"]);
    }
    let (row, _) = against(&["body-after-204"], json!({"rules": {"right": {"status": [204]}}}));
    assert!(
        number(&row, "malformed") > 0 && number(&row, "completed") == 0,
        "{row:?}"
    );
}

#[test]
fn an_answer_before_the_request_is_malformed() {
    let (row, _) = against(&["answers-unasked"], json!({}));
    assert!(number(&row, "malformed") > 0, "{row:?}");
}

#[test]
fn a_redirect_is_not_followed_but_told_as_a_status() {
    fails_only_as(&["redirects"], &["status"]);
}

#[test]
fn lawful_answers_of_unusual_shape_are_right() {
    for mode in ["length-unstated", "chunks-small", "informational", "answers-early"] {
        is_right(&[mode]);
    }
}

#[test]
fn a_polite_close_costs_a_connection_and_no_answer() {
    let row = is_right(&["closes-politely"]);
    assert!(number(&row, "closes") > 0 && number(&row, "connects") > 0, "{row:?}");
    assert_eq!(number(&row, "stale"), 0);
}

#[test]
fn a_request_that_met_the_end_of_a_kept_connection_is_sent_again_and_is_no_failure() {
    let (row, _) = against(&["closes-kept", "--share", "0.2"], json!({}));
    assert!(number(&row, "completed") > 0, "{row:?}");
    // Some closes are seen in time, with the answer; what was sent into a closed connection is stale, never a failure.
    for kind in KINDS {
        assert_eq!(number(&row, kind), 0, "{kind} in {row:?}");
    }
    // Where most closes meet a request on its way, as on a busy machine, it is unknown whether it was received.
    let in_doubt = row["why_not"].contains("may have received them");
    assert!(
        number(&row, "stale") > 0 && (row["valid"] == "1" || in_doubt),
        "{row:?}"
    );
}

#[test]
fn an_answer_before_the_whole_request_was_sent_counts_and_costs_the_connection() {
    let server = TestServer::start(&["misbehave", "answers-early-and-closes"]);
    let large = vec![b'x'; 8 * 1024 * 1024];
    let bench = Bench::with_corpus(&[("echoVoid", &large, true)]);
    let slices = json!([slice(0, json!({"kind": "big-bang", "users": 2, "seconds": 0.6}))]);
    let row = bench
        .run(&job(&format!("http://{}/", server.address), slices, json!({})))
        .remove(0);
    let ended = number(&row, "completed") + number(&row, "reset");
    assert!(ended > 0, "{row:?}");
    assert!(
        number(&row, "bytes_out") < ended * large.len() as u64 + 64 * 1024 * 1024,
        "{row:?}"
    );
}

#[test]
fn what_goes_wrong_in_the_lead_in_is_counted_outside_the_measured_time() {
    for (mode, column) in [
        ("resets", "outside_reset"),
        ("fault", "outside_fault"),
        ("wrong", "outside_wrong"),
    ] {
        let server = TestServer::start(&["misbehave", mode]);
        let mut with_lead_in = slice(0, json!({"kind": "big-bang", "users": 2, "seconds": 0.2}));
        with_lead_in["lead_in_ms"] = json!(200);
        let job = job(&format!("http://{}/", server.address), json!([with_lead_in]), json!({}));
        let row = Bench::new().run(&job).remove(0);
        assert!(number(&row, column) > 0, "{mode}: {row:?}");
    }
}

#[test]
fn wrong_answers_void_the_slice_and_are_no_failure() {
    let (row, summary) = against(&["wrong", "--share", "0.1"], json!({}));
    assert!(number(&row, "wrong") > 0 && number(&row, "completed") > 0, "{row:?}");
    assert!(KINDS.iter().all(|kind| number(&row, kind) == 0), "{row:?}");
    assert_eq!(row["valid"], "0");
    assert!(row["why_not"].contains("wrong"), "{row:?}");
    assert_eq!(summary["slices"][0]["valid"], false);
}

#[test]
fn unexpected_faults_and_statuses_have_kinds_of_their_own() {
    for (mode, kind) in [
        ("fault", "fault"),
        ("fault-with-200", "fault"),
        ("unavailable", "status"),
    ] {
        fails_only_as(&[mode, "--share", "0.1"], &[kind, "right"]);
    }
}

#[test]
fn expected_faults_are_answers() {
    let rule = json!({"rules": {"right": {"status": [500], "fault": "present"}}});
    let (row, _) = against(&["fault", "--share", "1"], rule);
    assert!(number(&row, "completed") > 0, "{row:?}");
    assert_eq!(number(&row, "completed"), number(&row, "expected_faults"));
}

#[test]
fn tls_is_right_with_its_authority_and_fails_with_a_wrong_name_date_or_authority() {
    is_right(&["tls"]);
    for mode in ["tls-wrong-name", "tls-expired", "tls-unknown-authority", "tls-garbage"] {
        fails_only_as(&[mode], &["tls"]);
    }
    fails_only_as(&["tls-silent"], &["timeout"]);
}

#[test]
fn a_host_that_cannot_be_resolved_is_named_and_ends_the_run() {
    let bench = Bench::new();
    let slices = json!([slice(0, json!({"kind": "big-bang", "users": 1, "seconds": 1}))]);
    let (status, errors) = bench
        .start(&job("http://no-such-host.invalid/", slices, json!({})))
        .end();
    assert_eq!(status.code(), Some(1));
    assert!(
        errors.contains("no-such-host.invalid") && errors.trim().lines().count() == 1,
        "{errors}"
    );
}

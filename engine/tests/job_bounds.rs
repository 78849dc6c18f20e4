//! Values that would not fit the engine's clock or memory are refused by their name.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use steelyard_engine::validation;

fn with(pointer: &str, value: Value) -> Result<(), String> {
    let mut job = json!({
        "seed": 1, "corpus": "corpus", "rules": {"right": {}}, "timeout_ms": 1000, "drain_limit_ms": 1000,
        "targets": [{"subject": "a", "url": "http://127.0.0.1:9/"}], "on_failure": {"kind": "wait", "ms": 1},
        "sessions": {"visit": {"steps": [{"operation": "echo"}], "lead_out_ms": 1}},
        "slices": [{
            "number": 0, "subject": "a", "phase": "p", "deck_seed": 1, "mix": {"echo": 1}, "lead_in_ms": 1,
            "think": {"kind": "uniform", "ms": 1, "to_ms": 2},
            "profile": {"kind": "big-bang", "users": 1, "seconds": 1},
        }],
    });
    *job.pointer_mut(pointer).unwrap() = value;
    validation::parse(job.to_string().as_bytes()).map(|_| ())
}

#[test]
fn a_time_that_would_not_fit_the_clock_is_refused_by_name() {
    for pointer in [
        "/timeout_ms",
        "/drain_limit_ms",
        "/on_failure/ms",
        "/sessions/visit/lead_out_ms",
        "/slices/0/lead_in_ms",
        "/slices/0/think/ms",
        "/slices/0/think/to_ms",
        "/slices/0/profile/seconds",
    ] {
        let name = pointer.rsplit('/').next().unwrap();
        for value in [1e14, 1e300, -1.0] {
            let why = with(pointer, json!(value)).expect_err(pointer);
            assert!(why.contains(name) && !why.contains('\n'), "{pointer}: {why}");
        }
        with(pointer, json!(1.5)).unwrap_or_else(|why| panic!("{pointer}: {why}"));
    }
    for pointer in ["/timeout_ms", "/slices/0/profile/seconds"] {
        let why = with(pointer, json!(1e-12)).expect_err(pointer);
        assert!(why.contains("1e-12") || why.contains("0.000000000001"), "{why}");
    }
}

#[test]
fn a_profile_lasts_a_week_at_most_however_many_stages_it_has() {
    let day = 24 * 3600;
    let stage = json!({"from_rate": 1, "to_rate": 1, "seconds": day});
    let rate = |days| json!({"kind": "rate", "stages": vec![stage.clone(); days]});
    with("/slices/0/profile", rate(7)).unwrap();
    assert!(with("/slices/0/profile", rate(8)).unwrap_err().contains("in all"));
    let steps =
        |days| json!({"kind": "steps", "levels": vec![1; days], "hold_seconds": day / 2, "pause_seconds": day / 2});
    with("/slices/0/profile", steps(7)).unwrap();
    assert!(with("/slices/0/profile", steps(8)).unwrap_err().contains("in all"));
}

#[test]
fn bursts_too_short_for_the_clock_are_refused_and_not_counted_for_ever() {
    let bursts = json!({"kind": "bursts", "users": 1, "on_seconds": 1e-300, "off_seconds": 1e-300, "seconds": 1});
    assert!(with("/slices/0/profile", bursts).unwrap_err().contains("on_seconds"));
}

#[test]
fn redirects_lead_to_hosts_with_addresses() {
    let target = |more: Value| {
        let mut target = json!({"subject": "a", "url": "http://127.0.0.1:9/"});
        for (key, value) in more.as_object().unwrap() {
            target[key] = value.clone();
        }
        with("/targets/0", target)
    };
    target(json!({"redirects": {"hosts": {"shop.test": ["127.0.0.1"], "::1": ["::1"]}}})).unwrap();
    for (hosts, part) in [
        (json!({"shop.test": []}), "addresses"),
        (json!({"shop.test/a": ["127.0.0.1"]}), "is not a host"),
        (json!({"shop.test:80": ["127.0.0.1"]}), "is not a host"),
    ] {
        let why = target(json!({"redirects": {"hosts": hosts}})).unwrap_err();
        assert!(why.contains(part), "{why}");
    }
    target(json!({"redirects": {}, "http2": {"streams": 1}})).unwrap();
}

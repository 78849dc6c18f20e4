//! Several engines that drive one target together: they begin at an instant, and all of them send what one would.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod engine_harness;
mod testserver_harness;

use engine_harness::{Bench, job, number, slice};
use serde_json::{Value, json};
use testserver_harness::TestServer;

const SECOND: u64 = 1_000_000_000;

/// An instant of the engines' clock, CLOCK_MONOTONIC, so many nanoseconds from now.
fn ahead(ns: u64) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * SECOND + time.tv_nsec as u64 + ns
}

fn null_server() -> (TestServer, String) {
    let server = TestServer::start(&["null"]);
    let url = format!("http://{}/", server.address);
    (server, url)
}

fn rate(arrivals: &str, seconds: f64) -> Value {
    let stages = json!([{"from_rate": 100, "to_rate": 300, "seconds": seconds}]);
    json!({"kind": "rate", "arrivals": arrivals, "stages": stages, "max_in_flight": 100})
}

/// How many requests were due in a slice, whether they were taken up in time or not.
fn started(benches: &[Bench], slice: u64) -> u64 {
    let rows = benches.iter().flat_map(Bench::slices);
    rows.filter(|row| number(row, "slice") == slice)
        .map(|row| number(&row, "started"))
        .sum()
}

#[test]
fn engines_that_share_a_rate_begin_at_one_instant_and_send_what_one_engine_would() {
    let (_server, url) = null_server();
    let slices = json!([slice(0, rate("constant", 0.5)), slice(1, rate("poisson", 0.5))]);
    let alone = Bench::new();
    alone.run(&job(&url, slices.clone(), json!({})));
    let benches = [Bench::new(), Bench::new(), Bench::new()];
    let mut engines: Vec<_> = benches
        .iter()
        .enumerate()
        .map(|(place, bench)| {
            let share = json!({"log_requests": true, "share": {"place": place, "of": 3}, "drain_limit_ms": 20_000, "timeout_ms": 20_000});
            bench.ready(&job(&url, slices.clone(), share))
        })
        .collect();
    for place in [0, 1] {
        for engine in &mut engines {
            engine.say(&json!({"prepare": place}).to_string());
        }
        for engine in &mut engines {
            engine.expect(&json!({"prepared": place}));
        }
        let at = ahead(SECOND / 5);
        for engine in &mut engines {
            engine.say(&json!({"go": place, "at_ns": at}).to_string());
        }
        for (engine, bench) in engines.iter_mut().zip(&benches) {
            engine.expect(&json!({"drained": place}));
            assert_eq!(number(bench.slices().last().unwrap(), "begin_ns"), at);
            assert!(bench.summary()["slices"][place]["began_ns"].as_u64().unwrap() >= at);
        }
    }
    for engine in engines {
        assert!(engine.end().0.success());
    }
    for number in [0, 1] {
        let (together, by_one) = (started(&benches, number), started(std::slice::from_ref(&alone), number));
        assert!(by_one > 50, "{by_one}");
        assert_eq!(together, by_one);
    }
    let mut due: Vec<String> = benches
        .iter()
        .flat_map(|bench| bench.table("requests.csv"))
        .map(|row| row["due_ns"].clone())
        .collect();
    let all = due.len();
    due.sort_unstable();
    due.dedup();
    assert_eq!(due.len(), all, "a request was sent by two engines");
}

#[test]
fn engines_that_share_users_have_each_their_part_of_them() {
    let (_server, url) = null_server();
    let users = json!({"kind": "big-bang", "users": 5, "seconds": 0.3});
    for (place, own) in [(0, 3), (1, 2)] {
        let bench = Bench::new();
        let share = json!({"share": {"place": place, "of": 2}});
        let row = &bench.run(&job(&url, json!([slice(0, users.clone())]), share))[0];
        assert_eq!(bench.table("ticks.csv")[0]["users_active"], own.to_string());
        assert!(row["valid"] == "1" && number(row, "completed") > 0, "{row:?}");
    }
}

#[test]
fn stretches_of_two_engines_on_two_targets_begin_and_end_together() {
    let servers = [null_server(), null_server()];
    let users = json!({"kind": "big-bang", "users": 3, "seconds": 9});
    let benches = [Bench::new(), Bench::new()];
    let mut engines: Vec<_> = benches
        .iter()
        .zip(&servers)
        .map(|(bench, (_, url))| bench.ready(&job(url, json!([slice(0, users.clone())]), json!({}))))
        .collect();
    for engine in &mut engines {
        engine.say(r#"{"stretch":{"slice":0,"lead_in_ms":100,"spread_ms":50,"seconds":0.4,"prepare":true}}"#);
    }
    for engine in &mut engines {
        engine.expect(&json!({"prepared": 0}));
    }
    let at = ahead(SECOND / 5);
    for engine in &mut engines {
        engine.say(&json!({"go": 0, "at_ns": at}).to_string());
    }
    for (engine, bench) in engines.iter_mut().zip(&benches) {
        engine.expect(&json!({"drained": 0}));
        let row = bench.slices().swap_remove(0);
        assert_eq!(number(&row, "begin_ns"), at + SECOND / 10);
        assert_eq!(number(&row, "end_ns"), at + SECOND / 2);
        assert!(number(&row, "completed") > 0, "{row:?}");
    }
    for engine in engines {
        assert!(engine.end().0.success());
    }
}

#[test]
fn a_slice_that_was_prepared_waits_and_ends_with_whoever_prepared_it() {
    let (_server, url) = null_server();
    let users = json!({"kind": "big-bang", "users": 1, "seconds": 0.1});
    let bench = Bench::new();
    let mut engine = bench.ready(&job(&url, json!([slice(0, users)]), json!({})));
    engine.say("{\"prepare\":0}");
    engine.expect(&json!({"prepared": 0}));
    let (status, errors) = engine.end();
    assert!(status.success(), "{errors}");
    let rows = bench.slices();
    assert_eq!((number(&rows[0], "sent"), rows[0]["valid"].as_str()), (0, "0"));
}

#[test]
fn what_cannot_be_shared_or_begun_so_is_one_sentence_and_exit_1_or_2() {
    let (_server, url) = null_server();
    let users = json!({"kind": "big-bang", "users": 1, "seconds": 0.1});
    for (line, part) in [
        ("{\"go\":0,\"at_ns\":5}", "was not prepared"),
        ("{\"prepare\":0}\n{\"go\":0}", "a slice is prepared"),
        (
            "{\"prepare\":0}\n{\"go\":0,\"at_ns\":18446744073709551615}",
            "within the next hour",
        ),
    ] {
        let bench = Bench::new();
        let mut engine = bench.ready(&job(&url, json!([slice(0, users.clone())]), json!({})));
        for line in line.lines() {
            engine.say(line);
            if line.contains("prepare") {
                engine.expect(&json!({"prepared": 0}));
            }
        }
        let (status, errors) = engine.end();
        assert_eq!(status.code(), Some(1), "{errors}");
        assert!(errors.contains(part) && errors.trim().lines().count() == 1, "{errors}");
    }
    let bench = Bench::new();
    let (status, errors) = bench
        .start(&job(
            &url,
            json!([slice(0, users)]),
            json!({"share": {"place": 2, "of": 2}}),
        ))
        .end();
    assert_eq!(status.code(), Some(2));
    assert!(errors.contains("`share` is 2 of 2"), "{errors}");
}

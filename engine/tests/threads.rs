//! Turns on several engine threads: no request is lost or counted twice, and each thread's part is reported.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod engine_harness;
mod plain_server;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine_harness::{Bench, Row, job, number};
use plain_server::{Then, ok, serve};
use serde_json::{Value, json};

/// An odd number, so that one of two threads has a user more.
const USERS: u64 = 5;
const TURN_MS: u64 = 50;
const TURNS: u64 = 12;

/// What a server counted by itself.
#[derive(Default)]
struct Counted {
    requests: AtomicU64,
    connections: AtomicU64,
}

fn counting_server() -> (SocketAddr, Arc<Counted>) {
    let counted = Arc::new(Counted::default());
    let own = counted.clone();
    let address = serve(move |request| {
        own.requests.fetch_add(1, Ordering::Relaxed);
        own.connections
            .fetch_add(u64::from(request.before == 0), Ordering::Relaxed);
        (ok(""), Then::GoesOn)
    });
    (address, counted)
}

fn slice(number: usize, subject: &str) -> Value {
    let seconds = (TURN_MS * TURNS) as f64 / 1000.0;
    json!({
        "number": number, "subject": subject, "phase": "measure", "mix": {"echoVoid": 1}, "deck_seed": 7, "lead_in_ms": 0,
        "profile": {"kind": "big-bang", "users": USERS, "seconds": seconds},
    })
}

/// Drives both subjects in turns with so many threads on one processor; gives their rows and their audits.
fn in_turns(addresses: [SocketAddr; 2], threads: u32) -> Vec<(Row, Value)> {
    let subjects = ["first", "second"];
    let targets = subjects.iter().zip(addresses).map(|(subject, address)| {
        json!({"subject": subject, "url": format!("http://{address}/"), "headers": {"Content-Type": "text/xml"}})
    });
    let targets: Vec<Value> = targets.collect();
    let slices = json!([slice(0, subjects[0]), slice(1, subjects[1])]);
    let more = json!({
        "targets": targets, "threads": threads, "cpus": [0], "timeout_ms": 30_000, "drain_limit_ms": 30_000,
    });
    let bench = Bench::new();
    let mut engine = bench.ready(&job("", slices, more));
    engine.say(&json!({"turns": {"slices": [0, 1], "ms": TURN_MS}}).to_string());
    engine.expect(&json!({"drained": 0}));
    engine.expect(&json!({"drained": 1}));
    let (status, errors) = engine.end();
    assert!(status.success(), "{errors}");
    let audits = bench.summary()["slices"].as_array().unwrap().clone();
    bench.slices().into_iter().zip(audits).collect()
}

/// In a turn a user waits for answers without a break, from the turn's begin to an answer behind its planned end.
fn keeps_littles_law(row: &Row) {
    let waited = number(row, "response_ns_sum") + number(row, "unfinished_ns_sum");
    assert!(waited >= USERS * TURNS * TURN_MS * 1_000_000, "{row:?}");
    assert!(waited <= USERS * number(row, "measured_ns"), "{row:?}");
}

/// The threads' parts in the audit add up to the slice, and the row has the greatest of them.
fn reports_each_thread(row: &Row, audit: &Value, threads: usize) {
    let parts = audit["threads"].as_array().unwrap();
    assert_eq!(parts.len(), threads, "{audit}");
    let sent: Vec<u64> = parts.iter().map(|part| part["sent"].as_u64().unwrap()).collect();
    assert!(sent.iter().all(|sent| *sent >= TURNS), "{audit}");
    assert_eq!(sent.iter().sum::<u64>(), number(row, "sent"));
    assert_eq!(*sent.iter().max().unwrap(), number(row, "thread_sent_most"));
    let cpu: Vec<f64> = parts.iter().map(|part| part["cpu_s"].as_f64().unwrap() * 1e9).collect();
    let all = number(row, "engine_user_ns") + number(row, "engine_system_ns");
    assert!(
        (cpu.iter().sum::<f64>() - all as f64).abs() < 1.0,
        "{audit} and {row:?}"
    );
    let most = number(row, "thread_cpu_most_ns");
    assert!((cpu.iter().copied().fold(0.0, f64::max) - most as f64).abs() < 1.0);
    assert!(most > 0 && most <= all);
}

#[test]
fn turns_of_several_threads_on_one_processor_lose_no_request_and_report_each_threads_part() {
    for threads in [1, 2, 3] {
        let (servers, counted): (Vec<_>, Vec<_>) = [counting_server(), counting_server()].into_iter().unzip();
        for (place, (row, audit)) in in_turns([servers[0], servers[1]], threads).iter().enumerate() {
            assert_eq!(row["valid"], "1", "{row:?}");
            let requests = counted[place].requests.load(Ordering::Relaxed);
            assert_eq!(number(row, "sent"), requests, "{threads} threads: {row:?}");
            assert_eq!(number(row, "completed"), requests, "{threads} threads: {row:?}");
            assert_eq!(counted[place].connections.load(Ordering::Relaxed), USERS);
            keeps_littles_law(row);
            reports_each_thread(row, audit, threads as usize);
        }
    }
}

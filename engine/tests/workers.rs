//! A server whose workers each spend 100 µs of a processor on a request answers as many times as much as it has workers.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod engine_harness;
mod testserver_harness;

use engine_harness::{Bench, job, number};
use serde_json::json;
use testserver_harness::TestServer;

const WORKERS: [usize; 3] = [1, 2, 4];
/// For each worker, so that the kernel, which deals connections by chance, leaves no worker without any.
const USERS: usize = 16;
const SECONDS: f64 = 2.0;
/// Where another process takes a processor for a moment, the load is driven again.
const ATTEMPTS: usize = 3;

/// The processors that this test may use.
fn processors() -> Vec<usize> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let listed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let ranges = listed.unwrap().trim().split(',').map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        first.parse::<usize>().unwrap()..=last.parse::<usize>().unwrap()
    });
    ranges.flatten().collect()
}

/// One process a worker, each on a processor of its own, on one port.
fn start(cpus: &[usize]) -> Vec<TestServer> {
    let mut workers: Vec<TestServer> = Vec::new();
    for cpu in cpus {
        let port = workers.first().map_or(0, |first| first.address.port()).to_string();
        let cpu = cpu.to_string();
        let words = ["--shared-port", "--port", &port, "--cpu", &cpu];
        workers.push(TestServer::start(
            &[&words[..], &["defer", "--microseconds", "100"]].concat(),
        ));
    }
    workers
}

/// Answers a second with a worker on each of `cpus` and an engine thread on each of `engine`.
fn rate(cpus: &[usize], engine: &[usize]) -> f64 {
    let workers = start(cpus);
    let profile = json!({"kind": "big-bang", "users": USERS * cpus.len(), "seconds": SECONDS});
    let slices = json!([{
        "number": 0, "subject": "a", "phase": "measure", "profile": profile, "mix": {"echoVoid": 1}, "deck_seed": 7, "lead_in_ms": 200,
    }]);
    let more = json!({"threads": engine.len(), "cpus": engine, "timeout_ms": 30_000, "drain_limit_ms": 30_000});
    let url = format!("http://{}/", workers[0].address);
    let row = Bench::new().run(&job(&url, slices, more)).swap_remove(0);
    assert_eq!(row["valid"], "1", "{}", row["why_not"]);
    number(&row, "completed") as f64 / (number(&row, "measured_ns") as f64 / 1e9)
}

#[test]
fn throughput_is_as_many_times_that_of_one_worker_as_there_are_workers() {
    let processors = processors();
    let fitting = WORKERS.into_iter().filter(|workers| *workers < processors.len());
    let Some(most) = fitting.max().filter(|most| *most > 1) else {
        eprintln!(
            "skipped: {} processors hold no two workers beside an engine",
            processors.len()
        );
        return;
    };
    let engine = &processors[most..processors.len().min(most + 2)];
    let grows = || {
        let one = rate(&processors[..1], engine);
        WORKERS.into_iter().filter(|workers| *workers <= most).all(|workers| {
            let times = rate(&processors[..workers], engine) / one;
            let is_right = (times / workers as f64 - 1.0).abs() < 0.03;
            if !is_right {
                eprintln!("{workers} workers answered {times:.3} times as much as one");
            }
            is_right
        })
    };
    assert!((0..ATTEMPTS).any(|_| grows()));
}

//! What keeps the processors awake yields to everything else, and ends with its input.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn awake(cpus: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_steelyard-engine"))
        .args(["awake", cpus])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    line
}

/// The scheduling policy of each thread (field 41 of its stat; 5 is SCHED_IDLE) and the ticks of CPU time that it has used.
fn threads(pid: u32) -> Vec<(String, u64)> {
    fs::read_dir(format!("/proc/{pid}/task"))
        .unwrap()
        .map(|entry| {
            let stat = fs::read_to_string(entry.unwrap().path().join("stat")).unwrap();
            let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
            (fields[38].to_owned(), fields[11].parse::<u64>().unwrap())
        })
        .collect()
}

#[test]
fn a_thread_of_the_lowest_priority_runs_until_the_input_ends() {
    let mut child = awake("0");
    assert_eq!(first_line(&mut child), "{\"awake\":[0]}\n");
    let idle = |child: &Child| {
        threads(child.id())
            .into_iter()
            .find(|(policy, _)| policy == "5")
            .unwrap()
    };
    let end = Instant::now() + Duration::from_secs(20);
    while idle(&child).1 == 0 {
        assert!(Instant::now() < end, "the thread never ran");
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn its_session_has_the_lowest_weight_where_the_kernel_groups_by_session() {
    let mut child = awake("0");
    first_line(&mut child);
    if let Ok(group) = fs::read_to_string(format!("/proc/{}/autogroup", child.id())) {
        assert!(group.trim_end().ends_with("nice 19"), "{group}");
    }
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn a_processor_that_is_not_there_is_refused_by_name() {
    let done = awake("1000").wait_with_output().unwrap();
    assert!(!done.status.success());
    assert!(String::from_utf8_lossy(&done.stderr).contains("processor 1000"));
}

//! Pauses all descendants (SIGSTOP), and continues them.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::process_table::{self, Process};
use super::signalling;

/// The time limit for stopping all.
const LIMIT: Duration = Duration::from_secs(5);
/// How long a process may wait in the kernel before its pending stop is taken for a stop.
const GRACE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_micros(500);

/// Sends SIGSTOP to all descendants until two walks in a row find the same processes with all threads stopped.
///
/// Returns them; the error names the process that did not stop.
pub fn freeze() -> Result<Vec<Process>, String> {
    let begin = Instant::now();
    let mut stopped_before: Option<Vec<i32>> = None;
    loop {
        let family = process_table::living_descendants();
        let moving: Vec<&Process> = family
            .iter()
            .filter(|process| !is_stopped(process.pid, begin.elapsed()))
            .collect();
        for process in &moving {
            signalling::send(process, Signal::SIGSTOP);
        }
        if let Some(process) = moving.first() {
            if begin.elapsed() > LIMIT {
                return Err(format!(
                    "process {} ({}) did not stop within {} s",
                    process.pid,
                    process.name,
                    LIMIT.as_secs()
                ));
            }
            stopped_before = None;
            std::thread::sleep(PAUSE);
            continue;
        }
        let stopped: Vec<i32> = family.iter().map(|process| process.pid).collect();
        if stopped_before.as_ref() == Some(&stopped) {
            return Ok(family);
        }
        stopped_before = Some(stopped);
    }
}

/// Sends SIGCONT to these processes.
pub fn thaw(family: &[Process]) {
    for process in family {
        signalling::send(process, Signal::SIGCONT);
    }
}

/// Whether every thread is stopped; true for a process that has ended.
///
/// A parent in vfork waits in the kernel for a child that we may have stopped before it ran its program. Such a process
/// never shows as stopped, but will run no instruction of its own before the stop that is pending for it.
fn is_stopped(pid: i32, waited: Duration) -> bool {
    let still = |state| matches!(state, 'T' | 't' | 'Z' | 'X' | 'x');
    if process_table::thread_states(pid).all(still) {
        return true;
    }
    waited > GRACE
        && process_table::thread_states(pid).all(|state| still(state) || state == 'D')
        && stop_is_pending(pid)
}

fn stop_is_pending(pid: i32) -> bool {
    let Some(status) = process_table::text_of(format!("/proc/{pid}/status")) else {
        return true;
    };
    let pending = status.lines().find_map(|line| line.strip_prefix("ShdPnd:"));
    let mask = pending
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0);
    mask & (1 << (Signal::SIGSTOP as i32 - 1)) != 0
}

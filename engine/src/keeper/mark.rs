//! The mark that all processes of a keeper carry in their environment, and the sweep of those whose keeper was killed.
//!
//! A keeper and its guard leave nothing behind, whichever of them dies. Only where both are killed at once do grandchildren
//! outlive them: the next keeper ends those.

use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::process_table::{self, Process};
use super::signalling;

/// The environment variable that holds the mark.
pub const VARIABLE: &str = "STEELYARD_KEEPER";
/// The time limit of a sweep: a process that cannot be ended must not block the next command.
const LIMIT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(5);

/// The guard above a process: its id and start, and the namespace of the id.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    namespace: u64,
    guard: i32,
    start_ticks: u64,
}

impl fmt::Display for Mark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}-{}", self.namespace, self.guard, self.start_ticks)
    }
}

impl FromStr for Mark {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split('-');
        let mark = Self {
            namespace: next(&mut parts)?,
            guard: next(&mut parts)?,
            start_ticks: next(&mut parts)?,
        };
        parts.next().is_none().then_some(mark).ok_or(())
    }
}

fn next<Number: FromStr>(parts: &mut std::str::Split<'_, char>) -> Result<Number, ()> {
    parts.next().and_then(|part| part.parse().ok()).ok_or(())
}

impl Mark {
    /// The mark of this process as a guard; None if /proc does not show it.
    pub fn of_this_process() -> Option<Self> {
        let this = process_table::process(std::process::id().cast_signed())?;
        Some(Self {
            namespace: fs::metadata("/proc/self/ns/pid").ok()?.ino(),
            guard: this.pid,
            start_ticks: this.start_ticks,
        })
    }

    fn guard_lives(&self) -> bool {
        process_table::process(self.guard)
            .is_some_and(|guard| guard.start_ticks == self.start_ticks && !guard.is_dead())
    }
}

/// Ends processes of this user that killed keepers left behind; returns those that could not be ended.
///
/// It misses a process that cleaned or overwrote its environment, and also left the session of all processes with a mark.
pub fn sweep(ours: &Mark) -> Vec<Process> {
    let begin = Instant::now();
    loop {
        let left = left_behind(ours);
        if left.is_empty() || begin.elapsed() > LIMIT {
            return left;
        }
        for process in &left {
            signalling::send(process, Signal::SIGKILL);
        }
        std::thread::sleep(PAUSE);
    }
}

/// Living processes of this user that carry the mark of a dead guard, and those in a session with one.
///
/// A kept command begins a session of its own, so whatever shares one with a marked process came of a keeper too.
fn left_behind(ours: &Mark) -> Vec<Process> {
    let mut processes = process_table::all_processes();
    processes.retain(|process| !process.is_dead() && is_of_this_user(process.pid));
    let mut sessions: Vec<i32> = processes
        .iter()
        .filter(|process| {
            mark_of(process.pid).is_some_and(|mark| mark.namespace == ours.namespace && !mark.guard_lives())
        })
        .map(|process| process.session)
        .collect();
    sessions.sort_unstable();
    processes.retain(|process| sessions.binary_search(&process.session).is_ok());
    processes
}

fn is_of_this_user(pid: i32) -> bool {
    let user = nix::unistd::geteuid().as_raw();
    fs::metadata(format!("/proc/{pid}")).is_ok_and(|folder| folder.uid() == user)
}

/// The mark of a process, read from the first of its threads that still has an environment.
fn mark_of(pid: i32) -> Option<Mark> {
    let environment = process_table::threads(pid)
        .into_iter()
        .filter_map(|thread| process_table::text_of(format!("/proc/{pid}/task/{thread}/environ")))
        .find(|environment| !environment.is_empty())?;
    let variables = environment.split('\0').filter_map(|variable| variable.split_once('='));
    let (_, value) = variables.into_iter().find(|(name, _)| *name == VARIABLE)?;
    value.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_was_written() {
        let mark = Mark::of_this_process().unwrap();
        assert_eq!(mark.to_string().parse(), Ok(mark));
    }

    #[test]
    fn what_is_not_a_mark_is_none() {
        for text in ["", "1", "1-2", "1-2-3-4", "1-x-3", "yes"] {
            assert_eq!(text.parse::<Mark>(), Err(()), "{text}");
        }
    }

    #[test]
    fn a_guard_lives_only_as_the_very_process_that_made_the_mark() {
        let mark = Mark::of_this_process().unwrap();
        assert!(mark.guard_lives());
        let earlier = Mark {
            start_ticks: mark.start_ticks - 1,
            ..mark
        };
        assert!(!earlier.guard_lives());
    }
}

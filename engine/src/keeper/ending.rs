//! Ends all descendants, gently or not, and knows when none is left.

use std::collections::HashSet;
use std::fmt;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::process_table::{self, Process};
use super::signalling;

/// The interval between checks whether the processes have ended.
pub const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// The time limit after SIGKILL: a process that waits in the kernel may take for ever.
pub const LIMIT: Duration = Duration::from_secs(5);
/// The time for killing only our own children before all descendants are listed again.
const CHASE: Duration = Duration::from_millis(5);

/// Processes that SIGKILL did not end in time.
#[derive(Debug)]
pub struct Left(pub Vec<Process>);

impl fmt::Display for Left {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("not ended by SIGKILL: ")?;
        for (number, process) in self.0.iter().enumerate() {
            let separator = if number == 0 { "" } else { ", " };
            let Process { pid, name, state, .. } = process;
            write!(formatter, "{separator}process {pid} ({name}) in state {state}")?;
        }
        formatter
            .write_str("; end what holds them (D: waiting in the kernel, Z: held by a tracer), or restart the machine")
    }
}

/// Continues stopped descendants and sends SIGTERM to all.
pub fn ask_all() {
    for process in process_table::descendants() {
        signalling::send(&process, Signal::SIGCONT);
        signalling::send(&process, Signal::SIGTERM);
    }
}

/// Reaps ended children; true if no descendant is left, which is certain: every orphan below a subreaper becomes its child.
pub fn none_left() -> bool {
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Err(Errno::ECHILD) => return true,
            Ok(WaitStatus::StillAlive) => return false,
            Err(Errno::EINTR) | Ok(_) => {}
            Err(_) => return false,
        }
    }
}

/// Kills all descendants, frozen or not, repeatedly until none is left. Returns the number killed, or the processes left after
/// `LIMIT`.
///
/// Some processes fork as fast as we kill. Killing a whole group at once leaves it no time to fork. Processes that leave
/// their group become our children as orphans, and are killed without a walk over all processes. A child keeps its id, dead
/// or alive, until `none_left` reaps it, so the signal cannot hit another process.
pub fn kill_all() -> Result<usize, Left> {
    let begin = Instant::now();
    let mut hit = HashSet::new();
    let mut family_before = Vec::new();
    while !none_left() {
        if begin.elapsed() > LIMIT {
            return Err(Left(process_table::all_descendants()));
        }
        let family = process_table::descendants();
        for group in process_table::groups_of_own_children(&family) {
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
        hit.extend(family.iter().map(|process| process.pid));
        for process in &family {
            signalling::send(process, Signal::SIGKILL);
        }
        if family == family_before {
            // No process forks: all have been killed and need time to end.
            std::thread::sleep(LOOK_AGAIN);
            continue;
        }
        family_before = family;
        let chase_end = Instant::now() + CHASE;
        while Instant::now() < chase_end && !none_left() {
            for child in process_table::own_children() {
                let _ = kill(Pid::from_raw(child), Signal::SIGKILL);
            }
            std::thread::yield_now();
        }
    }
    Ok(hit.len())
}

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

/// How often to look whether those asked to end have ended.
pub const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// How long the killed may take to be gone: a process that waits in the kernel may take for ever.
pub const LIMIT: Duration = Duration::from_secs(5);
/// How long our own children alone are hunted before the whole family is looked at again.
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

/// Lets stopped descendants go on and asks all to end.
pub fn ask_all() {
    for process in process_table::descendants() {
        signalling::send(&process, Signal::SIGCONT);
        signalling::send(&process, Signal::SIGTERM);
    }
}

/// Reaps the dead; true when no descendant is left, which is certain: every orphan below a subreaper becomes its child.
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

/// Kills all descendants, frozen or not, again and again until none is left; gives how many were hit, or which are left
/// after `LIMIT`.
///
/// Some fork as fast as we kill. Killing a whole group at once leaves none of it time to fork, and those that also leave
/// their group come to us as orphans, where they are hunted without a walk over all processes. A child keeps its id, dead
/// or alive, until `none_left` takes leave of it, so none but ours can be hit by it.
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
            // Nobody forks: all have been hit, and need time to be gone.
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

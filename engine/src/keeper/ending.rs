//! Ends all descendants, gently or not, and knows when none is left.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::process_table;

/// How often to look whether those asked to end have ended.
pub const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// How long our own children alone are hunted before the whole family is looked at again.
const CHASE: Duration = Duration::from_millis(5);

/// Lets stopped descendants go on and asks all to end.
pub fn ask_all() {
    for process in process_table::descendants() {
        let pid = Pid::from_raw(process.pid);
        let _ = kill(pid, Signal::SIGCONT);
        let _ = kill(pid, Signal::SIGTERM);
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

/// Kills all descendants, frozen or not, again and again until none is left; gives how many were hit.
///
/// Some fork as fast as we kill. Killing a whole group at once leaves none of it time to fork, and those that also leave
/// their group come to us as orphans, where they are hunted without a walk over all processes.
pub fn kill_all() -> usize {
    let mut hit = HashSet::new();
    while !none_left() {
        let family = process_table::descendants();
        for group in process_table::own_groups(&family) {
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
        hit.extend(family.iter().map(|process| process.pid));
        for process in family {
            let _ = kill(Pid::from_raw(process.pid), Signal::SIGKILL);
        }
        let chase_end = Instant::now() + CHASE;
        while Instant::now() < chase_end && !none_left() {
            for child in process_table::own_children() {
                let _ = kill(Pid::from_raw(child), Signal::SIGKILL);
            }
            std::thread::yield_now();
        }
    }
    hit.len()
}

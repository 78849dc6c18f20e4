//! The guard: a second process above the keeper, so that even `kill -9` of one of the two leaves no process behind.

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, getppid};

use super::{KeeperError, ending};

/// The role of this process.
pub enum Role {
    Guard { keeper: Pid },
    Keeper { guard: Pid },
}

/// Forks before anything else is done. Both are subreapers: orphans become children of the keeper while it lives, and of
/// the guard afterwards.
pub fn divide() -> Result<Role, KeeperError> {
    let system = |what| move |errno| KeeperError::System { what, errno };
    concerns().thread_block().map_err(system("hold back signals"))?;
    prctl::set_child_subreaper(true).map_err(system("become the subreaper"))?;
    let guard = Pid::this();
    // SAFETY: no thread has been started, so the child may do whatever the parent may.
    match unsafe { fork() }.map_err(system("start the keeper"))? {
        ForkResult::Parent { child } => Ok(Role::Guard { keeper: child }),
        ForkResult::Child => {
            prctl::set_child_subreaper(true).map_err(system("become the subreaper"))?;
            // The signal upon which the keeper kills all.
            prctl::set_pdeathsig(Signal::SIGTERM).map_err(system("ask for a signal when the guard ends"))?;
            if getppid() == guard {
                Ok(Role::Keeper { guard })
            } else {
                Err(system("go on without the guard")(Errno::ESRCH))
            }
        }
    }
}

/// Forwards signals to the keeper until it ends, kills processes that it left, and returns its exit code.
///
/// Only the guard reports processes that are left, whichever of the two could not end them.
pub fn watch_over(keeper: Pid) -> Result<u8, KeeperError> {
    let code = loop {
        match concerns().wait() {
            Ok(Signal::SIGCHLD) => {
                if let Some(code) = exit_code(keeper) {
                    break code;
                }
            }
            Ok(signal) => {
                let _ = kill(keeper, signal);
            }
            Err(_) => {}
        }
    };
    ending::kill_all().map_err(KeeperError::Left)?;
    Ok(code)
}

/// The signals that end the keeper, and SIGCHLD.
fn concerns() -> SigSet {
    [
        Signal::SIGTERM,
        Signal::SIGINT,
        Signal::SIGHUP,
        Signal::SIGQUIT,
        Signal::SIGCHLD,
    ]
    .into_iter()
    .collect()
}

fn exit_code(keeper: Pid) -> Option<u8> {
    match waitpid(keeper, Some(WaitPidFlag::WNOHANG)) {
        Ok(WaitStatus::Exited(_, code)) => Some(u8::try_from(code).unwrap_or(1)),
        Ok(WaitStatus::Signaled(_, signal, _)) => Some(128 + signal as u8),
        _ => None,
    }
}

//! A second process over the keeper, so that even `kill -9` of either of the two leaves nothing behind.

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, getppid};

use super::{KeeperError, ending};

/// Which of the two a process is.
pub enum Role {
    Guard { keeper: Pid },
    Keeper,
}

/// Divides the process, before it has done anything. Both are subreapers: orphans come to the keeper while it lives, and
/// to the guard when it does not.
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
                Ok(Role::Keeper)
            } else {
                Err(system("go on without the guard")(Errno::ESRCH))
            }
        }
    }
}

/// Passes signals on to the keeper until it ends, kills what it should have left, and gives its exit code.
///
/// Whether anything is left in the end is said here alone, whichever of the two could not end it.
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

/// The signals that end the keeper, and the one that tells of a child.
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

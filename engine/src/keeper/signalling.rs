//! Sends a signal to exactly the process that was seen, never to a later one with the same id.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::process_table::Process;

/// Sends the signal; false if the process has ended or may not be signalled.
pub fn send(process: &Process, signal: Signal) -> bool {
    match handle(process.pid) {
        // The handle is for the process that has the id now; once that is checked, it stays valid.
        Ok(handle) => process.is_still_there() && send_by(&handle, signal),
        // A kernel before 5.3, or a sandbox that forbids unknown calls: a signal by id is almost as safe.
        Err(Errno::ENOSYS | Errno::EPERM) => {
            process.is_still_there() && kill(Pid::from_raw(process.pid), signal).is_ok()
        }
        Err(_) => false,
    }
}

fn handle(pid: i32) -> Result<OwnedFd, Errno> {
    // SAFETY: takes numbers only, and gives a new descriptor or -1.
    let descriptor = Errno::result(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) })?;
    let descriptor = i32::try_from(descriptor).map_err(|_| Errno::EBADF)?;
    // SAFETY: the descriptor was just opened and is nobody else's.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

fn send_by(handle: &OwnedFd, signal: Signal) -> bool {
    let no_details = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: without details, the kernel reads numbers only.
    let sent = unsafe {
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            handle.as_raw_fd(),
            signal as i32,
            no_details,
            0,
        )
    };
    sent == 0
}

#[cfg(test)]
mod tests {
    use super::super::process_table;
    use super::*;

    #[test]
    fn a_signal_reaches_the_process_meant_and_none_that_has_its_id_later() {
        let mut child = std::process::Command::new("sleep").arg("100").spawn().unwrap();
        let meant = process_table::process(child.id().cast_signed()).unwrap();
        let earlier = Process {
            start_ticks: meant.start_ticks - 1,
            ..meant.clone()
        };
        assert!(!send(&earlier, Signal::SIGKILL));
        assert!(child.try_wait().unwrap().is_none());
        assert!(send(&meant, Signal::SIGKILL));
        child.wait().unwrap();
        assert!(!send(&meant, Signal::SIGKILL));
    }
}

//! A last command, run once all processes have ended: it ends what is no descendant, such as a container.

use std::fs::OpenOptions;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, SigmaskHow, sigprocmask};

use super::ending;

/// The time limit of the command.
const LIMIT: Duration = Duration::from_secs(10);

/// Runs `line` by a shell, with its output in the log, for at most `LIMIT`; whether it succeeds does not matter.
pub fn run(line: &str, log: &Path) {
    let Ok(output) = OpenOptions::new().create(true).append(true).open(log) else {
        return;
    };
    let Ok(errors) = output.try_clone() else {
        return;
    };
    let mut command = Command::new("sh");
    command
        .args(["-c", line])
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors);
    // SAFETY: one system call, which allocates nothing, as it must be between fork and exec.
    unsafe {
        command.pre_exec(|| sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None).map_err(Into::into));
    }
    if command.spawn().is_err() {
        return;
    }
    let end = Instant::now() + LIMIT;
    while Instant::now() < end && !ending::none_left() {
        std::thread::sleep(ending::LOOK_AGAIN);
    }
    let _ = ending::kill_all();
}

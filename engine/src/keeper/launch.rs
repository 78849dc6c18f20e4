//! Starts the command, so that it cannot outlive the keeper.

use std::fs::{File, OpenOptions};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::unistd::{Pid, getppid, setsid};

use super::mark::{self, Mark};
use super::{KeeperError, Options};

/// Starts the command with the keeper's mark and its output in the log; returns its process id.
pub fn start(options: &Options, mark: &Mark) -> Result<Pid, KeeperError> {
    prctl::set_child_subreaper(true).map_err(|errno| KeeperError::System {
        what: "become the subreaper",
        errno,
    })?;
    if let Some(cpus) = &options.cpus {
        cpus.check().map_err(KeeperError::Cpus)?;
    }
    keep_our_files_to_ourselves();
    let (output, errors) = open_log(options)?;
    let program = &options.command[0];
    let mut command = Command::new(program);
    command
        .args(&options.command[1..])
        .env(mark::VARIABLE, mark.to_string())
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors);
    let cpus = options.cpus.as_ref().map(super::CpuList::to_set);
    let keeper = Pid::this();
    // SAFETY: `prepare_child` makes system calls only and allocates nothing, as it must between fork and exec.
    unsafe { command.pre_exec(move || prepare_child(keeper, cpus.as_ref()).map_err(Into::into)) };
    let child = command.spawn().map_err(|source| KeeperError::Start {
        program: program.to_string_lossy().into_owned(),
        source,
    })?;
    Ok(Pid::from_raw(child.id().cast_signed()))
}

/// Runs in the child before the command: a session of its own, so that Ctrl-C at a terminal reaches it only through us;
/// death with us, even if we are killed; the signals that we block for ourselves; and its processors.
fn prepare_child(keeper: Pid, cpus: Option<&CpuSet>) -> Result<(), Errno> {
    setsid()?;
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    if getppid() != keeper {
        // The keeper died before the call above took effect.
        return Err(Errno::ESRCH);
    }
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)?;
    match cpus {
        Some(set) => sched_setaffinity(Pid::from_raw(0), set),
        None => Ok(()),
    }
}

fn open_log(options: &Options) -> Result<(File, File), KeeperError> {
    let log_error = |source| KeeperError::Log {
        path: options.log.clone(),
        source,
    };
    let output = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&options.log)
        .map_err(log_error)?;
    let errors = output.try_clone().map_err(log_error)?;
    Ok((output, errors))
}

/// Closes, for the command, all files except the standard three: a file that our parent left open by mistake, such as another
/// keeper's input, must not stay open in a server.
fn keep_our_files_to_ourselves() {
    // SAFETY: sets a flag on descriptors and touches no memory. Kernels before 5.11 refuse, which does no harm.
    unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

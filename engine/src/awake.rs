//! The `awake` command: keeps processors from halting, at the lowest priority.
//!
//! A virtual processor that has nothing to do halts, and its host gives it back only when there is room: every request
//! that wakes a thread then waits for the host. A loop that yields to everything else keeps it running instead.

use std::fs;
use std::io::{Read, Write, stdin, stdout};
use std::sync::mpsc;
use std::thread;

use anyhow::{Context, Result, bail};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::{Pid, setsid};

/// Keeps the processors awake until the end of standard input; prints `{"awake":[0,1]}` when it begins.
pub fn keep_awake(cpus: &[usize]) -> Result<()> {
    yield_to_other_sessions();
    let (ready, started) = mpsc::channel();
    for &cpu in cpus {
        let ready = ready.clone();
        thread::spawn(move || {
            let done = take_lowest_priority_on(cpu);
            let refused = done.is_err();
            let _ = ready.send(done);
            if refused {
                return;
            }
            loop {
                std::hint::spin_loop();
            }
        });
    }
    for _ in cpus {
        started.recv().context("a thread ended")??;
    }
    writeln!(stdout(), "{{\"awake\":{cpus:?}}}")?;
    stdin().read_to_end(&mut Vec::new()).context("standard input")?;
    Ok(())
}

/// Linux shares the processors between sessions first and by priority only within each ("autogroup"), so that a session
/// of its own would have half of a processor whatever its threads' priority is; its own lowest one is 19.
fn yield_to_other_sessions() {
    let _ = setsid(); // refused where this is a session's leader already, which does as well
    let _ = fs::write("/proc/self/autogroup", "19"); // absent on kernels that have no such groups
}

fn take_lowest_priority_on(cpu: usize) -> Result<()> {
    let this_thread = Pid::from_raw(0);
    let mut only = CpuSet::new();
    only.set(cpu).with_context(|| format!("processor {cpu}"))?;
    sched_setaffinity(this_thread, &only).with_context(|| format!("processor {cpu} cannot be used"))?;
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the call reads the structure that is passed, which outlives it, and 0 names this thread.
    if unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const parameters) } != 0 {
        bail!("the lowest priority is refused: {}", std::io::Error::last_os_error());
    }
    Ok(())
}

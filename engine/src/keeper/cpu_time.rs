//! The use of each descendant: processor time, the part of a JVM's compilers, and memory.

use std::collections::HashMap;

use steelyard_engine::clock::cpu_of_process;

use super::process_table::{self, Process, text_of};
use super::protocol::{ProcessClock, ProcessCpu};

/// HotSpot's compiler threads, as far as the kernel keeps their names (15 characters).
const COMPILER_THREADS: [&str; 2] = ["C1 Comp", "C2 Comp"];

/// Process id and start, since an id comes again.
type Identity = (i32, u64);

/// Reads processor times and remembers compiler threads that have ended.
///
/// HotSpot ends idle compiler threads and starts others, and a JVM's compile time must not go backwards with that.
#[derive(Debug, Default)]
pub struct CpuTimes {
    compilers: HashMap<Identity, HashMap<i32, CompilerThread>>,
}

/// A compiler thread's run time: that of earlier threads with its id, and its own at the last reading.
#[derive(Debug, Default, Clone, Copy)]
struct CompilerThread {
    earlier_ns: u64,
    latest_ns: u64,
}

impl CompilerThread {
    fn saw(&mut self, run_ns: u64) {
        if run_ns < self.latest_ns {
            self.earlier_ns += self.latest_ns;
        }
        self.latest_ns = run_ns;
    }
}

impl CpuTimes {
    /// One entry a living descendant.
    pub fn read(&mut self) -> Vec<ProcessCpu> {
        let family = process_table::descendants();
        self.compilers
            .retain(|identity, _| family.iter().any(|process| identity_of(process) == *identity));
        family
            .into_iter()
            .filter_map(|process| {
                // First, since slices are judged by it; None means that the process has just ended.
                let cpu_ns = cpu_of_process(process.pid)?;
                let used = ProcessCpu {
                    pid: process.pid,
                    start_ticks: process.start_ticks,
                    cpu_ns,
                    jit_ns: self.compile_ns(&process),
                    rss_bytes: resident_bytes(process.pid),
                    name: process.name.clone(),
                };
                // What was read by the id is this process's only if the id still is.
                process.is_still_there().then_some(used)
            })
            .collect()
    }

    fn compile_ns(&mut self, process: &Process) -> u64 {
        for (thread, run_ns) in compiler_threads(process.pid) {
            self.compilers
                .entry(identity_of(process))
                .or_default()
                .entry(thread)
                .or_default()
                .saw(run_ns);
        }
        let Some(threads) = self.compilers.get(&identity_of(process)) else {
            return 0;
        };
        threads
            .values()
            .map(|thread| thread.earlier_ns + thread.latest_ns)
            .sum()
    }
}

/// The clocks of these processes; one that has ended meanwhile has none.
pub fn clocks(family: &[Process]) -> Vec<ProcessClock> {
    let clock = |process: &Process| {
        let cpu_ns = cpu_of_process(process.pid)?;
        let clock = ProcessClock {
            pid: process.pid,
            start_ticks: process.start_ticks,
            cpu_ns,
        };
        process.is_still_there().then_some(clock)
    };
    family.iter().filter_map(clock).collect()
}

fn identity_of(process: &Process) -> Identity {
    (process.pid, process.start_ticks)
}

fn compiler_threads(pid: i32) -> Vec<(i32, u64)> {
    let run_ns = |thread: i32| {
        let folder = format!("/proc/{pid}/task/{thread}");
        let name = text_of(format!("{folder}/comm"))?;
        if !COMPILER_THREADS.iter().any(|start| name.starts_with(start)) {
            return None;
        }
        let times = text_of(format!("{folder}/schedstat"))?;
        Some((thread, times.split(' ').next()?.parse().ok()?))
    };
    process_table::threads(pid).into_iter().filter_map(run_ns).collect()
}

/// Resident memory, from the first thread that still has it: a thread that ended before the others shows none.
fn resident_bytes(pid: i32) -> u64 {
    let pages = |thread: i32| {
        let sizes = text_of(format!("/proc/{pid}/task/{thread}/statm"))?;
        sizes.split(' ').nth(1)?.parse().ok().filter(|&pages: &u64| pages > 0)
    };
    process_table::threads(pid).into_iter().find_map(pages).unwrap_or(0) * page_bytes()
}

fn page_bytes() -> u64 {
    // SAFETY: sysconf only reads.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_id_that_comes_again_does_not_make_the_sum_go_backwards() {
        let mut thread = CompilerThread::default();
        for run_ns in [5, 9, 2, 4] {
            thread.saw(run_ns);
        }
        assert_eq!(thread.earlier_ns + thread.latest_ns, 13);
    }

    #[test]
    fn our_own_clock_goes_forward_and_we_use_memory() {
        let this = std::process::id().cast_signed();
        let before = cpu_of_process(this).unwrap();
        let mut spin = 0_u64;
        while cpu_of_process(this).unwrap() == before {
            spin = std::hint::black_box(spin + 1);
        }
        assert!(resident_bytes(this) > 0);
    }

    #[test]
    fn a_process_that_is_not_there_has_no_clock() {
        assert_eq!(cpu_of_process(i32::MAX >> 4), None);
    }
}

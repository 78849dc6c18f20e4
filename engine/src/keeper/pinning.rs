//! Confines all threads of all descendants to a list of processors.

use std::collections::HashSet;

use nix::errno::Errno;
use nix::sched::sched_setaffinity;
use nix::unistd::Pid;

use super::cpu_list::CpuList;
use super::process_table;

/// Pins all existing threads; later threads inherit from the thread that starts them.
///
/// A thread not yet pinned may start another while we walk, so walks go on until one finds no thread that is new.
/// Returns the number of processes pinned.
pub fn pin_all(cpus: &CpuList) -> Result<usize, String> {
    cpus.check()?;
    let set = cpus.to_set();
    let mut pinned_threads = HashSet::new();
    loop {
        let family = process_table::descendants();
        let mut found_new = false;
        for thread in family.iter().flat_map(|process| process_table::threads(process.pid)) {
            if !pinned_threads.insert(thread) {
                continue;
            }
            found_new = true;
            match sched_setaffinity(Pid::from_raw(thread), &set) {
                Ok(()) | Err(Errno::ESRCH) => {}
                Err(errno) => {
                    return Err(format!(
                        "thread {thread} cannot be pinned to processors {cpus}: {errno}"
                    ));
                }
            }
        }
        if !found_new {
            return Ok(family.len());
        }
    }
}

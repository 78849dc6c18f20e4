//! The CPU clocks of a subject's processes, read where its measured time begins and ends.

use crate::clock::{Ns, cpu_of_process};

/// Processes whose CPU time is the subject's; none where nobody told of any.
#[derive(Debug, Clone, Default)]
pub struct Meter {
    processes: Vec<i32>,
}

impl Meter {
    pub fn of(processes: Vec<i32>) -> Self {
        Self { processes }
    }

    /// The CPU time of all of them since their starts; one that has ended has none. It costs less than a microsecond for each of their
    /// threads.
    pub fn read(&self) -> Ns {
        self.processes.iter().filter_map(|pid| cpu_of_process(*pid)).sum()
    }
}

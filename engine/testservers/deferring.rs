//! Work that a server does at another time than it is asked for it, and chores that nobody asked for.
//!
//! All of it is spun by the CPU clock of the thread that does it, so that what a request costs is known to the microsecond.

use std::sync::{Arc, Condvar, Mutex};

use clap::{Args, ValueEnum};

use crate::clock::{now_ns, sleep_until, thread_cpu_ns};

/// What a request costs, and when that is paid.
#[derive(Debug, Clone, Args)]
pub struct Cost {
    /// CPU time of a request
    #[arg(long, default_value_t = 300)]
    microseconds: u64,

    /// The share of it that is not done before the answer
    #[arg(long, default_value_t = 0.0)]
    share: f64,

    /// When that share is done
    #[arg(long, value_enum, default_value_t = When::Thread)]
    when: When,

    /// For `--when cycle`: from the begin of one cycle to that of the next
    #[arg(long, default_value_t = 60)]
    cycle_ms: u64,

    /// CPU time of a chore that comes whatever is asked; 0 for none
    #[arg(long, default_value_t = 0)]
    chore_ms: u64,

    /// From one chore to the next
    #[arg(long, default_value_t = 100)]
    chore_every_ms: u64,

    /// Whether chores that were missed, because the process stood still, are made up for
    #[arg(long)]
    chores_catch_up: bool,
}

impl Cost {
    pub fn share(&self) -> f64 {
        self.share
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// At once, in a thread of its own
    Thread,
    /// All that has come together, once a cycle
    Cycle,
}

/// Does the work, part of it in threads of its own.
pub struct Work {
    before_ns: u64,
    later_ns: u64,
    debt: Arc<Debt>,
}

/// CPU time that is owed.
#[derive(Default)]
struct Debt {
    owed_ns: Mutex<u64>,
    grown: Condvar,
}

impl Work {
    /// Starts the threads that the cost asks for.
    pub fn start(cost: &Cost) -> Self {
        let all_ns = cost.microseconds * 1000;
        let later_ns = (all_ns as f64 * cost.share).round() as u64;
        let debt = Arc::new(Debt::default());
        if later_ns > 0 {
            let (debt, when, cycle_ns) = (debt.clone(), cost.when, cost.cycle_ms * 1_000_000);
            std::thread::spawn(move || debt.pay_for_ever(when, cycle_ns));
        }
        if cost.chore_ms > 0 {
            let cost = cost.clone();
            std::thread::spawn(move || chores(&cost));
        }
        Self {
            before_ns: all_ns - later_ns,
            later_ns,
            debt,
        }
    }

    /// A request was read and is to be answered: does what is done before that, and owes the rest.
    pub fn on_request(&self) {
        spin(self.before_ns);
        if self.later_ns > 0 {
            self.debt.grow(self.later_ns);
        }
    }
}

impl Debt {
    fn grow(&self, ns: u64) {
        if let Ok(mut owed) = self.owed_ns.lock() {
            *owed += ns;
            self.grown.notify_one();
        }
    }

    fn pay_for_ever(&self, when: When, cycle_ns: u64) {
        loop {
            if when == When::Cycle {
                sleep_until(now_ns() + cycle_ns);
            }
            spin(self.take(when));
        }
    }

    /// All that is owed; in a thread that pays at once, waits until that is something.
    fn take(&self, when: When) -> u64 {
        let Ok(mut owed) = self.owed_ns.lock() else { return 0 };
        while when == When::Thread && *owed == 0 {
            owed = match self.grown.wait(owed) {
                Ok(owed) => owed,
                Err(_) => return 0,
            };
        }
        std::mem::take(&mut *owed)
    }
}

fn chores(cost: &Cost) {
    let (every_ns, chore_ns) = (cost.chore_every_ms * 1_000_000, cost.chore_ms * 1_000_000);
    let mut next_ns = now_ns();
    loop {
        next_ns += every_ns;
        if !cost.chores_catch_up {
            next_ns = next_ns.max(now_ns());
        }
        sleep_until(next_ns);
        spin(chore_ns);
    }
}

/// Uses this much CPU time of the calling thread.
fn spin(ns: u64) {
    let begin = thread_cpu_ns();
    while thread_cpu_ns() - begin < ns {
        std::hint::spin_loop();
    }
}

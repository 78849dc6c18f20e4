//! Work that a server defers, and chores that no request causes.
//!
//! All work spins by its thread's CPU clock, so that the cost of a request is known to the microsecond.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use clap::{Args, ValueEnum};

use crate::clock::{now_ns, sleep_until, thread_cpu_ns};

/// The cost of a request, and when it is spent.
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

    /// Time from the end of one cycle to the begin of the next, and the most CPU time that may be deferred; beyond it requests wait
    #[arg(long, default_value_t = 60)]
    cycle_ms: u64,

    /// CPU time of a chore that needs no request; 0 for none
    #[arg(long, default_value_t = 0)]
    chore_ms: u64,

    /// From one chore to the next
    #[arg(long, default_value_t = 100)]
    chore_every_ms: u64,

    /// Whether chores that were missed while the process was stopped are made up for
    #[arg(long)]
    chores_catch_up: bool,

    /// CPU time of refreshing a cache, which the first request after the end of its life pays while the others wait; 0 for no cache
    #[arg(long, default_value_t = 0)]
    refresh_ms: u64,

    /// From the end of a refresh to the end of the cache's life, by the clock
    #[arg(long, default_value_t = 300)]
    live_ms: u64,

    /// Requests that a limiter (a token bucket) lets through in a second; 0 for no limiter
    #[arg(long, default_value_t = 0)]
    limit_per_s: u64,

    /// Tokens that the limiter's bucket holds
    #[arg(long, default_value_t = 100)]
    burst: u64,

    /// What the limiter does with a request for which it has no token
    #[arg(long, value_enum, default_value_t = Excess::Wait)]
    excess: Excess,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Excess {
    /// Waits for the next token
    Wait,
    /// Is refused with status 429, without the work
    Refuse,
}

/// Whether a limiter let a request through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    Admitted,
    Refused,
}

/// Does the work, part of it in threads of its own.
pub struct Work {
    before_ns: u64,
    later_ns: u64,
    debt: Arc<Debt>,
    cache: Option<Cache>,
    limiter: Option<Limiter>,
}

/// A token bucket, kept as the instant at which the next token would have come had the bucket been empty all the time.
struct Limiter {
    interval_ns: u64,
    burst_ns: u64,
    excess: Excess,
    next_ns: Mutex<u64>,
}

impl Limiter {
    fn of(cost: &Cost) -> Option<Self> {
        (cost.limit_per_s > 0).then(|| Self {
            interval_ns: 1_000_000_000 / cost.limit_per_s,
            burst_ns: 1_000_000_000 / cost.limit_per_s * cost.burst,
            excess: cost.excess,
            next_ns: Mutex::new(0),
        })
    }

    fn take_token(&self) -> Admission {
        let mut next_ns = lock(&self.next_ns);
        let now = now_ns();
        // A full bucket takes no more tokens.
        *next_ns = (*next_ns).max(now.saturating_sub(self.burst_ns));
        if *next_ns > now && self.excess == Excess::Refuse {
            return Admission::Refused;
        }
        sleep_until(*next_ns);
        *next_ns += self.interval_ns;
        Admission::Admitted
    }
}

/// A cache that expires by the clock and is refreshed by a request.
struct Cache {
    refresh_ns: u64,
    live_ns: u64,
    old_at_ns: Mutex<u64>,
}

impl Cache {
    fn of(cost: &Cost) -> Option<Self> {
        (cost.refresh_ms > 0).then(|| Self {
            refresh_ns: cost.refresh_ms * 1_000_000,
            live_ns: cost.live_ms * 1_000_000,
            old_at_ns: Mutex::new(0),
        })
    }

    fn read(&self) {
        let mut old_at_ns = lock(&self.old_at_ns);
        if now_ns() >= *old_at_ns {
            spin(self.refresh_ns);
            *old_at_ns = now_ns() + self.live_ns;
        }
    }
}

/// Deferred CPU time; bounded, since a server that defers without limit has no sustainable throughput.
struct Debt {
    owed_ns: Mutex<u64>,
    most_ns: u64,
    changed: Condvar,
}

impl Work {
    /// Starts the threads that the cost asks for.
    pub fn start(cost: &Cost) -> Self {
        let all_ns = cost.microseconds * 1000;
        let later_ns = (all_ns as f64 * cost.share).round() as u64;
        let cycle_ns = cost.cycle_ms * 1_000_000;
        let debt = Arc::new(Debt {
            owed_ns: Mutex::new(0),
            most_ns: cycle_ns,
            changed: Condvar::new(),
        });
        if later_ns > 0 {
            let (debt, when) = (debt.clone(), cost.when);
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
            cache: Cache::of(cost),
            limiter: Limiter::of(cost),
        }
    }

    /// Does the work of a request that is done before its answer, and defers the rest.
    pub fn on_request(&self) -> Admission {
        let admission = self.limiter.as_ref().map_or(Admission::Admitted, Limiter::take_token);
        if admission == Admission::Refused {
            return admission;
        }
        if let Some(cache) = &self.cache {
            cache.read();
        }
        spin(self.before_ns);
        if self.later_ns > 0 {
            self.debt.grow(self.later_ns);
        }
        admission
    }
}

impl Debt {
    fn grow(&self, ns: u64) {
        let room = self
            .changed
            .wait_while(lock(&self.owed_ns), |owed| *owed >= self.most_ns);
        *room.unwrap_or_else(PoisonError::into_inner) += ns;
        self.changed.notify_all();
    }

    fn pay_for_ever(&self, when: When, cycle_ns: u64) {
        loop {
            if when == When::Cycle {
                sleep_until(now_ns() + cycle_ns);
            }
            let owed = self.owed(when);
            spin(owed);
            *lock(&self.owed_ns) -= owed;
            self.changed.notify_all();
        }
    }

    /// All deferred time; `When::Thread` waits until there is some.
    fn owed(&self, when: When) -> u64 {
        let nothing_yet = |owed: &mut u64| when == When::Thread && *owed == 0;
        let owed = self.changed.wait_while(lock(&self.owed_ns), nothing_yet);
        *owed.unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock(ns: &Mutex<u64>) -> MutexGuard<'_, u64> {
    ns.lock().unwrap_or_else(PoisonError::into_inner)
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

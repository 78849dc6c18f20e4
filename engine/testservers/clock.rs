//! CLOCK_MONOTONIC in ns, the clock that the engine records with.

use std::time::Duration;

use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};

pub fn now_ns() -> u64 {
    // Cannot fail: the clock is there on every Linux.
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(0, |time| Duration::from(time).as_nanos() as u64)
}

/// CPU time of the calling thread.
pub fn thread_cpu_ns() -> u64 {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(0, |time| Duration::from(time).as_nanos() as u64)
}

/// Sleeps to an instant, whatever wakes us before.
pub fn sleep_until(instant_ns: u64) {
    let instant = TimeSpec::from_duration(Duration::from_nanos(instant_ns));
    while now_ns() < instant_ns {
        let _ = clock_nanosleep(ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME, &instant);
    }
}

//! The planted slow-down: spinning for so many microseconds of processor time.

use std::time::Duration;

/// Spins until this thread has used so much more processor time.
pub fn stay_busy(time: Duration) {
    let end = thread_time() + time;
    while thread_time() < end {}
}

fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes only to `time`, which outlives it.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

//! Instants: nanoseconds of CLOCK_MONOTONIC, and the CPU time of the calling thread.

use std::sync::atomic::{AtomicI64, Ordering};

/// Nanoseconds by which CLOCK_MONOTONIC is ahead of the clock that instants refer to.
static AHEAD: AtomicI64 = AtomicI64::new(0);

/// An instant of CLOCK_MONOTONIC, or a length of time, in nanoseconds.
pub type Ns = u64;

pub const SECOND: Ns = 1_000_000_000;
pub const MILLISECOND: Ns = 1_000_000;
pub const MICROSECOND: Ns = 1_000;

/// Where the worker reads the time. Tests put a clock of their own here.
pub trait Clock {
    fn now(&self) -> Ns;
}

/// Makes all instants refer to the CLOCK_MONOTONIC of another machine, which is `ahead` nanoseconds behind this one's: that of the lab,
/// where the engine runs on another host. Call it before the first instant is read.
pub fn follow_clock_behind(ahead: i64) {
    AHEAD.store(ahead, Ordering::Relaxed);
}

/// The machine's clock, or the one that it follows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Monotonic;

impl Clock for Monotonic {
    #[inline]
    fn now(&self) -> Ns {
        read(libc::CLOCK_MONOTONIC).wrapping_add_signed(AHEAD.load(Ordering::Relaxed).wrapping_neg())
    }
}

#[inline]
fn read(clock: libc::clockid_t) -> Ns {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place to write to, and the call has no other effect.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as Ns * SECOND + time.tv_nsec as Ns
}

/// The CPU time, user and system, of the calling thread.
pub fn cpu_of_thread() -> Ns {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// The CPU time, user and system, of all threads of a process since its start, ended ones too; None where there is no such process.
pub fn cpu_of_process(pid: i32) -> Option<Ns> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // The kernel's encoding of another process's clock: the id inverted, above two bits that say "scheduler's time".
    let clock = (!pid << 3) | 2;
    // SAFETY: `time` is a valid place to write to, and the call has no other effect.
    let found = unsafe { libc::clock_gettime(clock, &mut time) } == 0;
    found.then(|| time.tv_sec as Ns * SECOND + time.tv_nsec as Ns)
}

/// Seconds since 1970, for the head of logs.
pub fn wall_seconds() -> f64 {
    read(libc::CLOCK_REALTIME) as f64 / SECOND as f64
}

/// CPU time in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CpuTime {
    pub user: Ns,
    pub system: Ns,
}

impl CpuTime {
    /// Of the calling thread.
    pub fn of_thread() -> Self {
        Self::read(libc::RUSAGE_THREAD)
    }

    /// Of the whole process.
    pub fn of_process() -> Self {
        Self::read(libc::RUSAGE_SELF)
    }

    fn read(who: libc::c_int) -> Self {
        // SAFETY: rusage is plain data, for which all zeroes are valid; getrusage fills it in.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(who, &mut usage);
            usage
        };
        let ns = |time: libc::timeval| time.tv_sec as Ns * SECOND + time.tv_usec as Ns * MICROSECOND;
        Self {
            user: ns(usage.ru_utime),
            system: ns(usage.ru_stime),
        }
    }

    pub fn since(self, earlier: Self) -> Self {
        Self {
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
        }
    }

    pub fn plus(self, other: Self) -> Self {
        Self {
            user: self.user + other.user,
            system: self.system + other.system,
        }
    }

    pub fn total(self) -> Ns {
        self.user + self.system
    }
}

/// The peak resident size of this process in bytes; 0 where the kernel does not report it.
///
/// Not from getrusage: its figure survives exec, so a large parent would be counted as the engine.
pub fn greatest_resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = status.lines().find_map(|line| {
        line.strip_prefix("VmHWM:")?
            .split_whitespace()
            .next()?
            .parse::<u64>()
            .ok()
    });
    kib.unwrap_or(0) * 1024
}

/// Milliseconds as a job gives them, in nanoseconds.
pub fn from_ms(ms: f64) -> Ns {
    (ms * 1e6).round() as Ns
}

/// Seconds as a job gives them, in nanoseconds.
pub fn from_seconds(seconds: f64) -> Ns {
    (seconds * 1e9).round() as Ns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_resident_size_follows_what_this_process_touches() {
        let before = greatest_resident_bytes();
        let touched = vec![1_u8; 64 << 20];
        assert_eq!(touched.iter().map(|&byte| u64::from(byte)).sum::<u64>(), 64 << 20);
        assert!(before > 0);
        assert!(greatest_resident_bytes() >= 64 << 20);
    }
}

//! Instants: nanoseconds of CLOCK_MONOTONIC, and the CPU time of the calling thread.

/// An instant of CLOCK_MONOTONIC, or a length of time, in nanoseconds.
pub type Ns = u64;

pub const SECOND: Ns = 1_000_000_000;
pub const MILLISECOND: Ns = 1_000_000;
pub const MICROSECOND: Ns = 1_000;

/// Where the worker reads the time. Tests put a clock of their own here.
pub trait Clock {
    fn now(&self) -> Ns;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct Monotonic;

impl Clock for Monotonic {
    #[inline]
    fn now(&self) -> Ns {
        read(libc::CLOCK_MONOTONIC)
    }
}

#[inline]
fn read(clock: libc::clockid_t) -> Ns {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place to write to, and the call has no other effect.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as Ns * SECOND + time.tv_nsec as Ns
}

/// Seconds since 1970, for the head of logs.
pub fn wall_seconds() -> f64 {
    read(libc::CLOCK_REALTIME) as f64 / SECOND as f64
}

/// CPU time used so far, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CpuTime {
    pub user: Ns,
    pub system: Ns,
}

impl CpuTime {
    /// Of the calling thread.
    pub fn of_thread() -> Self {
        Self::read(libc::RUSAGE_THREAD).0
    }

    /// Of the whole process, with its greatest resident size in bytes.
    pub fn of_process() -> (Self, u64) {
        Self::read(libc::RUSAGE_SELF)
    }

    fn read(who: libc::c_int) -> (Self, u64) {
        // SAFETY: rusage is plain data, for which all zeroes are valid; getrusage fills it in.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(who, &mut usage);
            usage
        };
        let ns = |time: libc::timeval| time.tv_sec as Ns * SECOND + time.tv_usec as Ns * MICROSECOND;
        (
            Self {
                user: ns(usage.ru_utime),
                system: ns(usage.ru_stime),
            },
            usage.ru_maxrss as u64 * 1024,
        )
    }

    pub fn since(self, earlier: Self) -> Self {
        Self {
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
        }
    }

    pub fn total(self) -> Ns {
        self.user + self.system
    }
}

/// Milliseconds as a job gives them, in nanoseconds.
pub fn from_ms(ms: f64) -> Ns {
    (ms * 1e6).round() as Ns
}

/// Seconds as a job gives them, in nanoseconds.
pub fn from_seconds(seconds: f64) -> Ns {
    (seconds * 1e9).round() as Ns
}

//! What reaches a slice from outside while it runs: that it is to end early, or at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::clock::Ns;

/// Shared by the thread that leads a run and those that drive its slices.
#[derive(Debug)]
pub struct StopSignal {
    raised: AtomicBool,
    length: AtomicU64,
}

impl Default for StopSignal {
    fn default() -> Self {
        Self {
            raised: AtomicBool::new(false),
            length: AtomicU64::new(Ns::MAX),
        }
    }
}

impl StopSignal {
    /// Breaks off the running slice and the rest of the run.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// Ends the measured time of the running slice after `length`, with what is in flight drained as always.
    pub fn shorten_to(&self, length: Ns) {
        self.length.store(length, Ordering::Relaxed);
    }

    /// The most that the running slice may measure; a thread looks at it once a second.
    pub fn length(&self) -> Ns {
        self.length.load(Ordering::Relaxed)
    }

    /// The next slice is as long as it was planned.
    pub fn reset(&self) {
        self.shorten_to(Ns::MAX);
    }
}

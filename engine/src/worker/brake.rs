//! What reaches a slice from outside while it runs: that it is to end early, or at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::clock::Ns;

/// Shared by the thread that leads a run and those that drive its slices.
#[derive(Debug)]
pub struct Brake {
    pulled: AtomicBool,
    length: AtomicU64,
}

impl Default for Brake {
    fn default() -> Self {
        Self {
            pulled: AtomicBool::new(false),
            length: AtomicU64::new(Ns::MAX),
        }
    }
}

impl Brake {
    /// Breaks the running slice off, and all that would come after it.
    pub fn pull(&self) {
        self.pulled.store(true, Ordering::Relaxed);
    }

    pub fn pulled(&self) -> bool {
        self.pulled.load(Ordering::Relaxed)
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
    pub fn release(&self) {
        self.shorten_to(Ns::MAX);
    }
}

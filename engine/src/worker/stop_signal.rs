//! The signal that ends a running slice early or at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::clock::Ns;

/// Shared by the main thread and the worker threads.
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

    /// Ends the measured time of the running slice after `length`; the drain follows as usual.
    pub fn shorten_to(&self, length: Ns) {
        self.length.store(length, Ordering::Relaxed);
    }

    /// The longest measured time of the running slice; threads check it once a second.
    pub fn length(&self) -> Ns {
        self.length.load(Ordering::Relaxed)
    }

    /// Removes the limit for the next slice.
    pub fn reset(&self) {
        self.shorten_to(Ns::MAX);
    }
}
